import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "../../store/store.js";

/** A call begins no further step after this time: proxies cut off requests that take much longer. Upkeep erases the rest. */
export const ERASING_MS = 5_000;
export const ROWS_PER_STEP = 500;
/** How often to ask again while another instance, which holds the upkeep, erases. */
const ASK_AGAIN_MS = 20;

/** How a call does each of its steps; by default at once, within the turn of its request. */
export type RunStep = <Result>(step: () => Promise<Result>) => Promise<Result>;

/**
 * Erases what an owner's deletions have left, or waits until the instance that holds the upkeep has done so.
 *
 * @param endsAt by `performance.now()`
 * @returns whether nothing is left
 */
export async function eraseRemains(
  store: Store,
  ownerUserId: string,
  endsAt = performance.now() + ERASING_MS,
  run: RunStep = (step) => step(),
): Promise<boolean> {
  for (;;) {
    const result = await run(() => store.runUpkeep({ kind: "erase", ownerUserId }, ROWS_PER_STEP));
    if (result === "done") return true;
    if (performance.now() >= endsAt) return false;
    if (result === "elsewhere") await sleep(ASK_AGAIN_MS);
  }
}
