import { setTimeout as sleep } from "node:timers/promises";
import type { StoreOutage } from "./store-outage.js";

/** Work that is done in batches, one batch at a time. */
export interface BatchLoop<Item> {
  /** Puts `item` into the next batch. One that waits for it already is not added twice. */
  readonly add: (item: Item) => void;
  /** Resolves when nothing waits and nothing is under way. */
  drained(): Promise<void>;
  /** Starts no further batch; what still waits is dropped. */
  stop(): void;
}

/**
 * Calls `run` with everything that was added while the call before was under way: the busier the store, the larger the
 * batches, and each costs it one transaction. A batch that fails waits out the outage and is run again, so nothing is
 * lost to one.
 *
 * @param maxItems the most one batch may hold
 * @param gatherMs how long a batch waits for more before it begins; by default for what the same turn of the event loop
 *   brings
 */
export function createBatchLoop<Item>(
  outage: StoreOutage,
  maxItems: number,
  run: (batch: Item[]) => Promise<void>,
  gatherMs = 0,
): BatchLoop<Item> {
  const waiting = new Set<Item>();
  let working = false;
  let stopped = false;
  let onDrained: (() => void)[] = [];

  async function work(): Promise<void> {
    while (waiting.size > 0) {
      if (gatherMs > 0) await sleep(gatherMs);
      if (stopped) break;
      const batch = takeFirst(waiting, maxItems);
      try {
        await run(batch);
        outage.over(waiting);
      } catch (error) {
        if (stopped) break;
        for (const item of batch) waiting.add(item);
        await outage.pause(waiting, error);
      }
    }
    working = false;
    for (const resolve of onDrained) resolve();
    onDrained = [];
  }

  return {
    add(item) {
      if (stopped) return;
      waiting.add(item);
      if (working) return;
      working = true;
      // Answers that arrive in one turn of the event loop share the batch.
      setImmediate(() => void work());
    },
    drained: () => (working ? new Promise((resolve) => onDrained.push(resolve)) : Promise.resolve()),
    stop() {
      stopped = true;
      waiting.clear();
    },
  };
}

function takeFirst<Item>(waiting: Set<Item>, count: number): Item[] {
  const taken: Item[] = [];
  for (const item of waiting) {
    if (taken.length === count) break;
    waiting.delete(item);
    taken.push(item);
  }
  return taken;
}
