import { setTimeout as pause } from "node:timers/promises";
import { postAtRate } from "./post-load.mjs";

/** A rate is steady while fewer posts than those of this time wait to be answered and delivered. */
const MAX_BEHIND_S = 0.25;
/** A measurement this far behind is ended early. */
const HOPELESS_S = 1;
const STEPS = 6;

/**
 * Posts at `rate` for `seconds`, then waits until everything has arrived.
 *
 * @param service of `startBusyService`
 * @returns whether deliveries kept up with the posts
 */
export async function keepsUp(service, rate, seconds) {
  await service.reset();
  let behind = 0;
  const { url, targets } = service;
  const behindOf = async (due) => due - (await service.delivered());
  const { posts } = await postAtRate(
    { url, targets, rate, seconds },
    async (due) => {
      behind = await behindOf(due);
    },
    async (due) => (await behindOf(due)) <= rate * HOPELESS_S,
  );
  await service.waitForArrivals(posts);
  await pause(200);
  return behind <= rate * MAX_BEHIND_S;
}

/**
 * Halves the range between 0 and `most` until the highest rate that is steady for a few seconds is known to 1.6 %.
 *
 * @returns posts a second, each delivered
 */
export async function findSteadyRate(service, most, secondsPerStep) {
  let holds = 0;
  let fails = most;
  for (let step = 0; step < STEPS; step++) {
    const rate = (holds + fails) / 2;
    if (await keepsUp(service, rate, secondsPerStep)) holds = rate;
    else fails = rate;
  }
  return holds;
}
