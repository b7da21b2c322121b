import { StoreUnavailable } from "../store.js";

export interface BatcherOptions<Item, Result> {
  /** Does what the items ask for, together. */
  run(items: readonly Item[]): Promise<Result[]>;
  /** Items in one batch at most. */
  maxItems: number;
  /** Batches under way at the same time. */
  maxUnderWay: number;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Joins calls that are made at about the same time: those that arrive while the allowed number of batches is under way
 * make up the next one. That is group commit, one round trip and one fsync for all of them.
 *
 * When a batch fails, though the database could serve, its items run one by one, so that only the one at fault fails.
 */
export function createBatcher<Item, Result>(
  options: BatcherOptions<Item, Result>,
): (item: Item) => Promise<Result> {
  const { run, maxItems, maxUnderWay } = options;
  const waiting: Waiting<Item, Result>[] = [];
  let underWay = 0;
  let startQueued = false;

  const runOne = async ({ item, resolve, reject }: Waiting<Item, Result>): Promise<void> => {
    try {
      const [result] = await run([item]);
      resolve(result as Result);
    } catch (error) {
      reject(error);
    }
  };

  const runBatch = async (batch: Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = await run(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      if (batch.length > 1 && !(error instanceof StoreUnavailable)) await Promise.all(batch.map(runOne));
      else for (const { reject } of batch) reject(error);
    }
  };

  const start = (): void => {
    startQueued = false;
    while (waiting.length > 0 && underWay < maxUnderWay) {
      underWay += 1;
      void runBatch(waiting.splice(0, maxItems)).then(() => {
        underWay -= 1;
        start();
      });
    }
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (startQueued || underWay >= maxUnderWay) return;
      startQueued = true;
      setImmediate(start);
    });
}
