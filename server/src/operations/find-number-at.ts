import type { Store } from "../store/store.js";

/**
 * The number above the last update of a bot that was recorded before a time: a binary search of the log, at most 53 reads of
 * one row, and 17 in a log of 100,000.
 *
 * @param until milliseconds since the Unix epoch
 * @returns 1 when everything was recorded later
 */
export async function findNumberAt(store: Store, botId: string, until: number): Promise<number> {
  const [newest] = await store.listRecentUpdates(botId, 1);
  let above = (newest?.updateId ?? 0) + 1;
  let first = 1;
  while (first < above) {
    const middle = Math.floor((first + above) / 2);
    // The last one up to the middle; what has expired counts as recorded before.
    const [update] = await store.listRecentUpdates(botId, 1, middle + 1);
    if (!update || update.createdAt < until) first = middle + 1;
    else above = Math.min(middle, update.updateId);
  }
  return above;
}
