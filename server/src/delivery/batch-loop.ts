import { setTimeout as sleep } from "node:timers/promises";
import { partsOf } from "../domain/fault-isolation.js";
import { StoreUnavailable } from "../store/store.js";
import type { StoreOutage } from "./store-outage.js";

/** Work that is done in batches, one batch at a time. */
export interface BatchLoop<Item> {
  /** Adds `item` to the next batch, unless it is in it already. */
  readonly add: (item: Item) => void;
  /** Resolves when nothing waits and nothing is in progress. */
  drained(): Promise<void>;
  /** Starts no further batch and drops what still waits. */
  stop(): void;
}

export interface BatchLoopOptions<Item> {
  run(batch: Item[]): Promise<void>;
  /** The most one batch may hold. */
  maxItems: number;
  /** How long a batch waits for more before it begins; by default for the rest of the event loop's turn. */
  gatherMs?: number;
  /**
   * Gives up an item that fails by itself though the store can serve. Without it such an item is run again, as after an outage.
   */
  onRefused?(item: Item, error: unknown): void | Promise<void>;
}

/**
 * Calls `run` with everything that was added while the call before was in progress: the busier the store, the larger
 * the batches, and each costs it one transaction. What an outage stopped is run again afterwards, so nothing is lost.
 * Of a batch that fails for another reason only the items at fault are refused.
 */
export function createBatchLoop<Item>(
  outage: StoreOutage,
  { run, maxItems, gatherMs = 0, onRefused }: BatchLoopOptions<Item>,
): BatchLoop<Item> {
  const waiting = new Set<Item>();
  let working = false;
  let stopped = false;
  let onDrained: (() => void)[] = [];

  async function work(): Promise<void> {
    while (waiting.size > 0) {
      if (gatherMs > 0) await sleep(gatherMs);
      if (stopped) break;
      await serve(takeFirst(waiting, maxItems));
    }
    working = false;
    for (const resolve of onDrained) resolve();
    onDrained = [];
  }

  async function serve(batch: readonly Item[]): Promise<void> {
    const parts = partsOf(batch);
    for (const part of parts) {
      try {
        await run([...part]);
        outage.over(waiting);
      } catch (error) {
        if (stopped) return;
        if (error instanceof StoreUnavailable || !onRefused) await waitOut(part, error);
        else if (!parts.split()) await refuse(part, error, onRefused);
      }
    }
  }

  async function refuse(
    [item]: readonly Item[],
    error: unknown,
    giveUp: NonNullable<typeof onRefused>,
  ): Promise<void> {
    if (item === undefined) return;
    try {
      await giveUp(item, error);
    } catch (outageMeanwhile) {
      await waitOut([item], outageMeanwhile);
    }
  }

  async function waitOut(batch: readonly Item[], error: unknown): Promise<void> {
    if (stopped) return;
    for (const item of batch) waiting.add(item);
    await outage.pause(waiting, error);
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
