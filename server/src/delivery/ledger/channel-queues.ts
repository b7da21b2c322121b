import { refusedTogether } from "../../domain/delivery/batch-size.js";
import { type DueUpdate, isFresh, isRefused } from "../../domain/events/update.js";
import { MAX_WEBHOOK_BATCH_BYTES } from "../../domain/limits.js";
import type { DueBatch } from "../attempt.js";
import { createQueue, type Queue } from "./queue.js";

/** The updates of one channel that wait to be sent, by number, and those of it that are in flight. */
interface ChannelQueue {
  readonly key: number;
  readonly updates: DueUpdate[];
  readonly inFlight: Set<number>;
}

/** Of updates that are sent together all are of one kind, since health is judged by those that were not refused. */
type Kind = "requeued" | "refused" | "fresh";

/**
 * The updates of a lane that wait to be sent, of each channel by number. While some of a channel are in flight, its others wait, and
 * those of other channels overtake them; the channels take turns.
 */
export interface ChannelQueues {
  /** All that wait. */
  count(): number;
  /** Those of them whose channel has others in flight. */
  waitingCount(): number;
  /** @param key of the channel */
  add(key: number, update: DueUpdate): void;
  /** The next updates to send in one request; see {@link LaneLedger.next}. They are in flight from now on. */
  next(maxBatch: number, maxUnrefused: number): DueBatch | undefined;
  /** An update is no longer in flight. @returns its channel; undefined when it was not in flight */
  ended(updateId: number): number | undefined;
  /** Removes what waits in a channel. */
  take(key: number): DueUpdate[];
  takeAll(): DueUpdate[];
  all(): Iterable<DueUpdate>;
}

/** @param isTurnOfRefused whether an update that was refused before is sent before those that never were */
export function createChannelQueues(isTurnOfRefused: boolean): ChannelQueues {
  const channels = new Map<number, ChannelQueue>();
  const channelOf = new Map<number, ChannelQueue>();
  /** The channels with nothing in flight, by the kind of their first update. */
  const ready: Record<Kind, Queue<ChannelQueue>> = {
    requeued: createQueue(),
    refused: createQueue(),
    fresh: createQueue(),
  };
  let count = 0;
  let waiting = 0;

  return {
    count: () => count,
    waitingCount: () => waiting,
    add(key, update) {
      let channel = channels.get(key);
      if (!channel) {
        channel = { key, updates: [], inFlight: new Set() };
        channels.set(key, channel);
      }
      const { updates, inFlight } = channel;
      const index = updates.findLastIndex(({ updateId }) => updateId < update.updateId) + 1;
      if (index === 0) unready(channel);
      updates.splice(index, 0, update);
      if (index === 0) makeReady(channel);
      count += 1;
      if (inFlight.size > 0) waiting += 1;
    },

    next(maxBatch, maxUnrefused) {
      const kind = kindInTurn();
      if (!kind) return undefined;
      const mayTake = kind === "refused" ? refusedLimit(maxBatch) : maxUnrefused;
      const taken: DueUpdate[] = [];
      let bytes = 0;
      const fits = (update: DueUpdate): boolean => {
        bytes += Buffer.byteLength(update.payload);
        return taken.length === 0 || (taken.length < mayTake && bytes <= MAX_WEBHOOK_BATCH_BYTES);
      };
      for (let channel = ready[kind].first(); channel; channel = ready[kind].first()) {
        const [first] = channel.updates;
        if (!first || !fits(first)) break;
        unready(channel);
        begin(channel, taken);
        while (channel.updates[0] && kindOf(channel.updates[0]) === kind && fits(channel.updates[0]))
          begin(channel, taken);
        waiting += channel.updates.length;
        if (taken.length >= mayTake) break;
      }
      return taken.toSorted((a, b) => a.updateId - b.updateId) as unknown as DueBatch;
    },

    ended(updateId) {
      const channel = channelOf.get(updateId);
      if (!channel) return undefined;
      channelOf.delete(updateId);
      channel.inFlight.delete(updateId);
      if (channel.inFlight.size === 0) {
        waiting -= channel.updates.length;
        makeReady(channel);
        forgetEmpty(channel);
      }
      return channel.key;
    },
    take(key) {
      const channel = channels.get(key);
      return channel ? empty(channel) : [];
    },
    takeAll: () => [...channels.values()].flatMap(empty),
    *all() {
      for (const { updates } of channels.values()) yield* updates;
    },
  };

  function begin(channel: ChannelQueue, taken: DueUpdate[]): void {
    const update = channel.updates.shift();
    if (!update) return;
    taken.push(update);
    channel.inFlight.add(update.updateId);
    channelOf.set(update.updateId, channel);
    count -= 1;
  }

  function empty(channel: ChannelQueue): DueUpdate[] {
    unready(channel);
    const updates = channel.updates.splice(0);
    count -= updates.length;
    if (channel.inFlight.size > 0) waiting -= updates.length;
    forgetEmpty(channel);
    return updates;
  }

  function makeReady(channel: ChannelQueue): void {
    const [first] = channel.updates;
    if (first && channel.inFlight.size === 0) ready[kindOf(first)].add(channel);
  }

  function unready(channel: ChannelQueue): void {
    const [first] = channel.updates;
    if (first) ready[kindOf(first)].delete(channel);
  }

  function forgetEmpty({ key, updates, inFlight }: ChannelQueue): void {
    if (updates.length === 0 && inFlight.size === 0) channels.delete(key);
  }

  function kindInTurn(): Kind | undefined {
    if (ready.requeued.first()) return "requeued";
    const hasRefused = ready.refused.first() !== undefined;
    const hasFresh = ready.fresh.first() !== undefined;
    if (!hasRefused && !hasFresh) return undefined;
    const takesRefused = hasRefused && (isTurnOfRefused || !hasFresh);
    isTurnOfRefused = !takesRefused;
    return takesRefused ? "refused" : "fresh";
  }

  /** How many of those that were refused may be sent together, by the first of them. */
  function refusedLimit(maxBatch: number): number {
    if (maxBatch === 1) return 1;
    const failureCounts: number[] = [];
    for (const { updates, inFlight } of channels.values()) {
      if (inFlight.size > 0) continue;
      for (const update of updates) {
        if (failureCounts.length > 2 * maxBatch || !isRefused(update)) break;
        failureCounts.push(update.failureCount);
      }
    }
    return refusedTogether(failureCounts, maxBatch);
  }
}

function kindOf(update: DueUpdate): Kind {
  if (isRefused(update)) return "refused";
  return isFresh(update) ? "fresh" : "requeued";
}
