import type { StoreObserver } from "../observer.js";
import { StoreUnavailable } from "../store.js";

export interface BatcherOptions<Item, Result> {
  /** Does what the items ask for, together. */
  run(items: readonly Item[]): Promise<Result[]>;
  /** Items in one batch at most. */
  maxItems: number;
  observer: StoreObserver;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Joins calls that are made at about the same time: those that arrive while a batch is under way make up the next one.
 * That is group commit, one round trip and one fsync for all of them. One batch at a time, because two halves of it would
 * cost nearly twice as much: with two, a quarter fewer posts were stored in a second.
 *
 * When a batch fails, though the database could serve, its items run one by one, so that only the one at fault fails.
 */
export function createBatcher<Item, Result>(
  options: BatcherOptions<Item, Result>,
): (item: Item) => Promise<Result> {
  const { run, maxItems, observer } = options;
  const waiting: Waiting<Item, Result>[] = [];
  let isRunning = false;

  const runOne = async ({ item, resolve, reject }: Waiting<Item, Result>): Promise<void> => {
    try {
      const [result] = await run([item]);
      resolve(result as Result);
    } catch (error) {
      reject(error);
    }
  };

  const runBatch = async (batch: Waiting<Item, Result>[]): Promise<void> => {
    observer.batched(batch.length);
    try {
      const results = await run(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      if (batch.length > 1 && !(error instanceof StoreUnavailable)) await Promise.all(batch.map(runOne));
      else for (const { reject } of batch) reject(error);
    }
  };

  const work = async (): Promise<void> => {
    while (waiting.length > 0) await runBatch(waiting.splice(0, maxItems));
    isRunning = false;
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (isRunning) return;
      isRunning = true;
      // At the end of the event loop's turn, so that all requests that were read in this turn share the batch.
      setImmediate(() => void work());
    });
}
