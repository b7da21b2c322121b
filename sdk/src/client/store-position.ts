import { isPassing } from "../errors.js";
import { retryWaitMs, wait } from "./wait.js";

/**
 * Stores a position; while the service cannot be reached, again and again until the signal is aborted. A position that is not
 * stored then loses nothing: what follows it is handled again.
 */
export async function storePosition(store: () => Promise<unknown>, signal?: AbortSignal): Promise<void> {
  for (let failures = 1; ; failures++) {
    try {
      await store();
      return;
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (signal?.aborted) return;
      await wait(retryWaitMs(error, failures), signal).catch(() => {});
    }
  }
}

/**
 * Yields the items of a page, and then stores the position behind the last handled one; with one try only when the loop over
 * them ends early, since nothing else then waits for it.
 *
 * @param store stores the position behind an item
 */
export async function* storingPosition<Item>(
  items: readonly Item[],
  store: (last: Item) => Promise<unknown>,
  signal?: AbortSignal,
): AsyncGenerator<Item, void, undefined> {
  let handled = 0;
  try {
    for (const item of items) {
      yield item;
      handled++;
    }
  } finally {
    const last = items[handled - 1];
    if (last) await (handled < items.length ? store(last) : storePosition(() => store(last), signal));
  }
}
