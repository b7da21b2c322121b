import { setTimeout as pause } from "node:timers/promises";
import { drip } from "./post-load.mjs";

/** A rate holds while less than this time's worth of posts waits to be answered and delivered. */
const MAX_BEHIND_S = 0.25;
/** One that is so far behind on the way is given up. */
const HOPELESS_S = 1;
const STEPS = 6;

/**
 * Posts at `rate` for `seconds`, and lets everything arrive afterwards.
 *
 * @param service of `startBusyService`
 * @returns whether deliveries kept up with the posts
 */
export async function keepsUp(service, rate, seconds) {
  await service.reset();
  let behind = 0;
  const { url, targets } = service;
  const behindOf = async (due) => due - (await service.delivered());
  const { posts } = await drip(
    { url, targets, rate, seconds },
    async (due) => {
      behind = await behindOf(due);
    },
    async (due) => (await behindOf(due)) <= rate * HOPELESS_S,
  );
  await service.arrived(posts);
  await pause(200);
  return behind <= rate * MAX_BEHIND_S;
}

/**
 * Halves the range between nothing and `most` until the highest rate that holds for a few seconds is known to 1.6 %.
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
