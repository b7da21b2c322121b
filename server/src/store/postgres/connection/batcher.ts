import { partsOf } from "../../../domain/fault-isolation.js";
import { TurnQueue } from "../../../domain/turn-queue.js";
import type { StoreObserver } from "../../observer.js";
import { StoreUnavailable } from "../../store.js";

/** Look-ups that share a statement at most. */
export const LOOK_UPS_PER_BATCH = 500;

/**
 * The result of an item that has to wait for the next batch, where it comes first. To end, a batch's first item must get
 * another result sooner or later.
 */
export const DEFERRED = Symbol("deferred");

export interface BatcherOptions<Item, Done, Result> {
  /** Executes the items together. It is called again with halves of them when it fails for a lasting reason. */
  run(items: readonly Item[]): Promise<Done>;
  /** The result for each item's caller. Called once, after `run` has succeeded. */
  resultsOf(done: Done, items: readonly Item[]): (Result | typeof DEFERRED)[];
  /** Items in one batch at most. */
  maxItems: number;
  /** Batches in progress at once at most, of which all but one are late. */
  maxBatches: number;
  /** The key of an item; keys take turns. First come, first served when left out. */
  keyOf?(item: Item): string;
  /** Whether an item continues another one; then it comes before the others of its key. */
  goesOn?(item: Item): boolean;
  observer: StoreObserver;
  /** Shared with the batchers of other stores on the same server, if there are any. */
  gate?: BatchGate | undefined;
}

/** Batches of several stores on one server that may be in progress at once, apart from late ones. */
export interface BatchGate {
  /** @returns whether there was room */
  enter(): boolean;
  leave(): void;
  /** Calls back once when there is room; first come, first served. */
  onRoom(begin: () => void): void;
}

/** What two batches do at once takes hardly longer than one: the server writes one's commit to disk while it runs the other. */
const BATCHES_PER_SERVER = 2;

export function createBatchGate(room = BATCHES_PER_SERVER): BatchGate {
  const waiting: (() => void)[] = [];
  let inside = 0;
  return {
    enter() {
      if (inside >= room) return false;
      inside += 1;
      return true;
    },
    leave() {
      inside -= 1;
      waiting.shift()?.();
    },
    onRoom: (begin) => void waiting.push(begin),
  };
}

/** {@link createBatcher} with what all batchers of a store have in common. */
export type InBatches = <Item, Done, Result>(
  options: Omit<BatcherOptions<Item, Done, Result>, "maxBatches" | "observer" | "gate">,
) => (item: Item) => Promise<Result>;

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * A batch that takes longer is late, and the next one no longer waits for it. A batch normally takes one to ten
 * milliseconds; on a dead connection it takes five seconds, behind a locked lane up to four.
 */
const LATE_AFTER_MS = 20;

/**
 * Group commit: calls that arrive while a batch is in progress form the next batch, with one round trip and one fsync
 * for all. One batch at a time, because two halves cost nearly twice as much: with two at a time a quarter fewer posts
 * were stored per second. The next batch does not wait for a late one.
 */
export function createBatcher<Item, Done, Result>(
  options: BatcherOptions<Item, Done, Result>,
): (item: Item) => Promise<Result> {
  const {
    run,
    resultsOf,
    maxItems,
    maxBatches,
    keyOf = () => "",
    goesOn = () => false,
    observer,
    gate,
  } = options;
  const waiting = new TurnQueue<Waiting<Item, Result>>(
    ({ item }) => keyOf(item),
    ({ item }) => goesOn(item),
  );
  let underWay = 0;
  /** Batches in progress that are late. */
  let late = 0;
  let isBeginning = false;
  let isAtGate = false;

  const mayBegin = (): boolean => waiting.length > 0 && underWay === late && underWay < maxBatches;

  const begin = (): void => {
    if (!mayBegin() || isAtGate) return;
    if (gate && !gate.enter()) {
      isAtGate = true;
      gate.onRoom(() => {
        isAtGate = false;
        begin();
      });
      return;
    }
    const batch = waiting.take(maxItems);
    observer.batched(batch.length);
    underWay += 1;
    let isLate = false;
    const lateness = setTimeout(() => {
      isLate = true;
      late += 1;
      gate?.leave();
      begin();
    }, LATE_AFTER_MS);
    void work(batch).finally(() => {
      clearTimeout(lateness);
      underWay -= 1;
      if (isLate) late -= 1;
      else gate?.leave();
      begin();
    });
  };

  /** Settles each item; rejects only if `resultsOf` throws. */
  const work = async (batch: readonly Waiting<Item, Result>[]): Promise<void> => {
    const parts = partsOf(batch);
    for (const part of parts) {
      const items = part.map(({ item }) => item);
      let done: Done;
      try {
        done = await run(items);
      } catch (error) {
        if (error instanceof StoreUnavailable || !parts.split()) for (const { reject } of part) reject(error);
        continue;
      }
      settle(part, resultsOf(done, items));
    }
  };

  const settle = (part: readonly Waiting<Item, Result>[], results: (Result | typeof DEFERRED)[]): void => {
    const deferred: Waiting<Item, Result>[] = [];
    for (const [index, one] of part.entries()) {
      const result = results[index];
      if (result === DEFERRED) deferred.push(one);
      else one.resolve(result as Result);
    }
    waiting.putBack(deferred);
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (isBeginning || !mayBegin()) return;
      isBeginning = true;
      // At the end of the event loop's turn, so that all requests that are read in this turn share the batch.
      setImmediate(() => {
        isBeginning = false;
        begin();
      });
    });
}
