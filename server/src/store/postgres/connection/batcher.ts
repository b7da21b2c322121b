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
  /**
   * Whether an item takes so long that others shall not wait for it. Such items have batches of their own, beside those of the others, for which one of the
   * batches at once is always left.
   */
  isApart?(item: Item): boolean;
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

/** Items of one kind that wait, and their batches. */
interface Line<Item, Result> {
  /** Its batches in progress at once at most. */
  readonly most: number;
  readonly waiting: TurnQueue<Waiting<Item, Result>>;
  /** Batches in progress, and those of them that are late. */
  underWay: number;
  late: number;
  isAtGate: boolean;
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
    isApart = () => false,
    observer,
    gate,
  } = options;
  const lineOf = (most: number): Line<Item, Result> => ({
    most,
    waiting: new TurnQueue(
      ({ item }) => keyOf(item),
      ({ item }) => goesOn(item),
    ),
    underWay: 0,
    late: 0,
    isAtGate: false,
  });
  const usual = lineOf(maxBatches);
  const apart = lineOf(maxBatches - 1);
  let isBeginning = false;

  const mayBegin = ({ most, waiting, underWay, late }: Line<Item, Result>): boolean =>
    waiting.length > 0 &&
    underWay === late &&
    underWay < most &&
    usual.underWay + apart.underWay < maxBatches;

  const begin = (line: Line<Item, Result>): void => {
    if (!mayBegin(line) || line.isAtGate) return;
    if (gate && !gate.enter()) {
      line.isAtGate = true;
      gate.onRoom(() => {
        line.isAtGate = false;
        begin(line);
      });
      return;
    }
    const batch = line.waiting.take(maxItems);
    observer.batched(batch.length);
    line.underWay += 1;
    let isLate = false;
    const lateness = setTimeout(() => {
      isLate = true;
      line.late += 1;
      gate?.leave();
      begin(line);
    }, LATE_AFTER_MS);
    void work(line, batch).finally(() => {
      clearTimeout(lateness);
      line.underWay -= 1;
      if (isLate) line.late -= 1;
      else gate?.leave();
      beginBoth();
    });
  };
  const beginBoth = (): void => {
    begin(usual);
    begin(apart);
  };

  /** Settles each item; rejects only if `resultsOf` throws. */
  const work = async (line: Line<Item, Result>, batch: readonly Waiting<Item, Result>[]): Promise<void> => {
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
      settle(line, part, resultsOf(done, items));
    }
  };

  const settle = (
    line: Line<Item, Result>,
    part: readonly Waiting<Item, Result>[],
    results: (Result | typeof DEFERRED)[],
  ): void => {
    const deferred: Waiting<Item, Result>[] = [];
    for (const [index, one] of part.entries()) {
      const result = results[index];
      if (result === DEFERRED) deferred.push(one);
      else one.resolve(result as Result);
    }
    line.waiting.putBack(deferred);
  };

  return (item) =>
    new Promise((resolve, reject) => {
      const line = isApart(item) ? apart : usual;
      line.waiting.push({ item, resolve, reject });
      if (isBeginning || !mayBegin(line)) return;
      isBeginning = true;
      // At the end of the event loop's turn, so that all requests that are read in this turn share the batch.
      setImmediate(() => {
        isBeginning = false;
        beginBoth();
      });
    });
}
