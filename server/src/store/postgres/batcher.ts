import type { StoreObserver } from "../observer.js";
import { StoreUnavailable } from "../store.js";
import { TurnQueue } from "../turn-queue.js";

/** Look-ups that share a statement at most. */
export const LOOK_UPS_PER_BATCH = 500;

/** Stands for the result of an item that had to wait; it comes first in the next batch. Never of a batch's first item. */
export const DEFERRED = Symbol("deferred");

export interface BatcherOptions<Item, Result> {
  /** Does what the items ask for, together. */
  run(items: readonly Item[]): Promise<(Result | typeof DEFERRED)[]>;
  /** Items in one batch at most. */
  maxItems: number;
  /** Batches under way at once at most, of which all but one are late. */
  maxBatches: number;
  /** Whose an item is: they take turns. Left out: first come, first served. */
  keyOf?(item: Item): string;
  /** Whether an item goes on with what another began; then it comes before those of the same key. */
  goesOn?(item: Item): boolean;
  observer: StoreObserver;
}

/** {@link createBatcher} with what all batchers of a store have in common. */
export type InBatches = <Item, Result>(
  options: Omit<BatcherOptions<Item, Result>, "maxBatches" | "observer">,
) => (item: Item) => Promise<Result>;

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * A batch that has been away for longer is late, and the next one no longer waits for it. Ours take one to ten
 * milliseconds; one on a connection that swallows everything takes five seconds, one that needs a locked lane up to four.
 */
const LATE_AFTER_MS = 20;

/**
 * Joins calls that are made at about the same time: those that arrive while a batch is under way make up the next one.
 * That is group commit, one round trip and one fsync for all of them. One batch at a time, because two halves of it would
 * cost nearly twice as much: with two, a quarter fewer posts were stored in a second. Only one that is late is not waited
 * for.
 *
 * When a batch fails, though the database could serve, its halves run one after the other, and their halves, so that only
 * the item at fault fails.
 */
export function createBatcher<Item, Result>(
  options: BatcherOptions<Item, Result>,
): (item: Item) => Promise<Result> {
  const { run, maxItems, maxBatches, keyOf = () => "", goesOn = () => false, observer } = options;
  const waiting = new TurnQueue<Waiting<Item, Result>>(
    ({ item }) => keyOf(item),
    ({ item }) => goesOn(item),
  );
  let underWay = 0;
  /** That a batch is under way which is not late, or the beginning of one. */
  let isBusy = false;

  const work = (): void => {
    if (isBusy || waiting.length === 0 || underWay === maxBatches) return;
    const batch = waiting.take(maxItems);
    observer.batched(batch.length);
    isBusy = true;
    underWay += 1;
    let isLate = false;
    const lateness = setTimeout(() => {
      isLate = true;
      isBusy = false;
      work();
    }, LATE_AFTER_MS);
    void runTogether(batch).then(() => {
      clearTimeout(lateness);
      underWay -= 1;
      if (!isLate) isBusy = false;
      work();
    });
  };

  /** Never rejects: each item hears what became of it. */
  const runTogether = async (batch: readonly Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = await run(batch.map(({ item }) => item));
      const deferred: Waiting<Item, Result>[] = [];
      for (const [index, one] of batch.entries()) {
        const result = results[index];
        if (result === DEFERRED) deferred.push(one);
        else one.resolve(result as Result);
      }
      waiting.putBack(deferred);
    } catch (error) {
      if (batch.length === 1 || error instanceof StoreUnavailable) {
        for (const { reject } of batch) reject(error);
        return;
      }
      const middle = Math.ceil(batch.length / 2);
      await runTogether(batch.slice(0, middle));
      await runTogether(batch.slice(middle));
    }
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (isBusy || underWay === maxBatches) return;
      isBusy = true;
      // At the end of the event loop's turn, so that all requests that were read in this turn share the batch.
      setImmediate(() => {
        isBusy = false;
        work();
      });
    });
}
