import { setTimeout as sleep } from "node:timers/promises";
import { NotErasedYet, type Store, type UpkeepTask } from "./store.js";

/** A call begins no further step after this time: proxies cut off requests that take much longer. Upkeep erases the rest. */
export const ERASING_MS = 5_000;
/** What is carried to another cell is waited for by a call that gives up after 6 s; the lease of the upkeep has run out before. */
const ERASING_CARRIED_MS = 3_500;
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
export function eraseRemains(
  store: Store,
  ownerUserId: string,
  endsAt = performance.now() + ERASING_MS,
  run: RunStep = (step) => step(),
): Promise<boolean> {
  return erase(store, { kind: "erase", ownerUserId }, endsAt, run);
}

/** The same in a cell, where something stood for what an owner of another cell has deleted. */
export async function eraseCarried(store: Store, guestOwner: string): Promise<void> {
  await eraseRemains(store, guestOwner, performance.now() + ERASING_CARRIED_MS);
}

/**
 * Erases the edits of posts that were deleted in an owner's channels, whichever instance holds the upkeep: also what a call that has died has left.
 *
 * @param endsAt by `performance.now()`
 * @throws NotErasedYet
 */
export async function eraseDeletedPosts(
  store: Store,
  ownerUserId: string,
  endsAt = performance.now() + ERASING_MS,
): Promise<void> {
  if (!(await erase(store, { kind: "erasePosts", ownerUserId }, endsAt)))
    throw new NotErasedYet("deleted, but not all of it is erased yet: repeat the call");
}

async function erase(
  store: Store,
  task: UpkeepTask,
  endsAt: number,
  run: RunStep = (step) => step(),
): Promise<boolean> {
  for (;;) {
    const result = await run(() => store.runUpkeep(task, ROWS_PER_STEP));
    if (result === "done") return true;
    if (performance.now() >= endsAt) return false;
    if (result === "elsewhere") await sleep(ASK_AGAIN_MS);
  }
}
