import type { DeliveryOrder } from "../../domain/delivery/webhook-settings.js";
import { type DueUpdate, isFresh } from "../../domain/events/update.js";
import type { AttemptOutcome } from "../../store/store.js";
import { createChannelQueues } from "./channel-queues.js";
import { bytesOf, type LaneLedger, type LedgerOptions } from "./lane-ledger.js";

/**
 * Outcomes that the store may not have yet before nothing more is read: of a webhook with many held channels, most of what a read brings has
 * its outcome at once.
 */
const MAX_UNRECORDED = 1_024;
/** The one channel of a lane with the order `bot`. */
const WHOLE_BOT = 1;

interface OrderedOptions extends LedgerOptions {
  order: Exclude<DeliveryOrder, "none">;
  /** Below which number every update has a row in the store. */
  nextFreshId: number;
}

/**
 * The ledger of a lane with an order. An update is sent when the one before it, of its channel or of the bot, was accepted here, or when the
 * store has that it has ended otherwise. So after a failure, whether it is final or not, nothing of the channel is sent before the store has
 * the failure and a read that began after that has come back:
 *
 * - With the order `channel`, what waits in the channel is not sent, with the outcome `held`; the store then holds it, or makes it due.
 * - With the order `bot`, everything that waits is dropped and read again.
 *
 * Nothing is taken from hints of a growing log, which do not say the channel.
 */
export function createOrderedLedger(
  claimed: readonly DueUpdate[],
  {
    order,
    nextFreshId,
    mayHaveMore,
    isTurnOfRefused = true,
    onQueued = () => {},
    isWanted = () => true,
    onNotSent = () => {},
  }: OrderedOptions,
): LaneLedger {
  const queues = createChannelQueues(isTurnOfRefused);
  /** Numbers of the updates that are here, from their read until their outcome is recorded. */
  const open = new Set<number>();
  /** Those of them that have no row in the store and no outcome. */
  const openFresh = new Set<number>();
  /** Those of them that have a row: when they have ended, the store may have released others. */
  const openRows = new Set<number>();
  /** The channels in which an update failed or is held, with those whose outcome the store does not have, or may not have had for a read in progress. */
  const blocks = new Map<number, Set<number>>();
  /** Up to which number every update without a row has been taken. */
  let takenUpTo = nextFreshId - 1;
  const outcomes: AttemptOutcome[] = [];
  /** The channel of each outcome that blocks one. */
  const blockedBy = new Map<AttemptOutcome, number>();
  let collectedCount = 0;
  let isReading = false;
  let readLimit = 0;
  /** Whether the read in progress, or the next one, has what has no row before all others: the one before brought nothing that could be taken. */
  let isFreshFirst = false;
  let headWhileReading = 0;
  /** Whether something was recorded while a read is in progress that may have made more updates due. */
  let isMoreSinceRead = false;
  /** What was recorded while a read is in progress, which may have begun before. */
  let recordedWhileReading: AttemptOutcome[] = [];
  takeAll(claimed, !mayHaveMore);

  return {
    queuedCount: queues.count,
    blockedCount: queues.waitingCount,
    canSend: () => queues.count() > queues.waitingCount(),
    // With the order of bots a read would bring what must not be sent, until the failure is recorded.
    mayHaveMore: () =>
      mayHaveMore && outcomes.length < MAX_UNRECORDED && !(order === "bot" && blocks.has(WHOLE_BOT)),
    unrecordedCount: () => outcomes.length,
    logGrew({ lastUpdateId }) {
      if (lastUpdateId <= takenUpTo) return;
      headWhileReading = lastUpdateId;
      mayHaveMore = true;
    },

    beginRead(count) {
      isReading = true;
      isMoreSinceRead = false;
      headWhileReading = 0;
      // What is here and has a row, or was taken before others were dropped, is returned once more.
      readLimit = count + [...open].filter((id) => openRows.has(id) || id > takenUpTo).length;
      return { afterUpdateId: takenUpTo, limit: readLimit, ...(isFreshFirst && { isFreshFirst }) };
    },
    endRead(updates, hasMore = false) {
      const isWhole = !hasMore && updates.length < readLimit;
      const openBefore = open.size;
      const isTaken = takeAll(updates, isWhole || (isFreshFirst && !updates.every(isFresh)));
      isFreshFirst = order === "channel" && !isTaken && open.size === openBefore;
      mayHaveMore = !isWhole || !isTaken || isMoreSinceRead || headWhileReading > takenUpTo;
      leaveRead();
    },
    cancelRead: leaveRead,

    next(maxBatch = 1, maxUnrefused = maxBatch) {
      const batch = queues.next(maxBatch, maxUnrefused);
      for (const update of batch ?? []) onQueued(-bytesOf(update));
      return batch;
    },
    hasQueued(text) {
      for (const { payload } of queues.all()) if (payload.includes(text)) return true;
      return false;
    },
    startOver() {
      drop();
      mayHaveMore = true;
    },
    abandon() {
      drop();
      mayHaveMore = false;
    },

    settle(outcome) {
      const { updateId, failure } = outcome;
      const key = queues.ended(updateId);
      keep(outcome);
      if (!failure || key === undefined) return;
      block(key, outcome);
      if (order === "bot") drop();
      else for (const update of queues.take(key)) holdQueued(key, update);
    },
    collect() {
      collectedCount = outcomes.length;
      return { attempts: outcomes.slice(), nextFreshId: Math.min(takenUpTo + 1, ...openFresh) };
    },
    recorded(count = collectedCount, isRefused = false) {
      collectedCount -= count;
      for (const outcome of outcomes.splice(0, count)) {
        if (isRefused && openRows.has(outcome.updateId)) continue;
        if (openRows.has(outcome.updateId) || outcome.failure || outcome.notSent) {
          mayHaveMore = true;
          isMoreSinceRead = true;
        }
        if (isReading) recordedWhileReading.push(outcome);
        else close(outcome);
      }
    },
  };

  /**
   * @param hasAllFresh whether the store has no more without a row than these. With the order `bot` none are before the last of these.
   * @returns whether all of them could be taken
   */
  function takeAll(updates: readonly DueUpdate[], hasAllFresh: boolean): boolean {
    if (order === "bot" && blocks.has(WHOLE_BOT)) return false;
    const byNumber = updates.toSorted((a, b) => a.updateId - b.updateId);
    const isComplete = hasAllFresh || order === "bot";
    for (const update of byNumber)
      if (isComplete || isFresh(update)) takenUpTo = Math.max(takenUpTo, update.updateId);
    let isTaken = true;
    for (const update of byNumber) {
      // Before it there may be others of its channel that have no row and were not read.
      if (update.updateId > takenUpTo) isTaken = false;
      else take(update);
    }
    return isTaken;
  }

  function take(update: DueUpdate): void {
    const { updateId, failureCount, channelKey, waitsFor } = update;
    if (open.has(updateId)) return;
    open.add(updateId);
    (isFresh(update) ? openFresh : openRows).add(updateId);
    if (!isWanted(update)) {
      keep({ updateId, failureCount, attemptedAt: 0, durationMs: 0, notSent: "unwanted" });
      onNotSent();
      return;
    }
    // What happened in no channel waits for nothing.
    const key = order === "bot" ? WHOLE_BOT : (channelKey ?? -updateId);
    if (isBlocked(key, updateId) || (waitsFor !== undefined && !open.has(waitsFor))) {
      hold(key, update);
      return;
    }
    queues.add(key, update);
    onQueued(bytesOf(update));
  }

  /**
   * Whether an earlier one blocks the channel. A later one that is held does not hold up the one that it waits for: that would lose its
   * refusals, and where new updates keep coming it would be set aside late or never.
   */
  function isBlocked(key: number, updateId: number): boolean {
    // Mostly the first of them is the earliest.
    for (const other of blocks.get(key) ?? []) if (other < updateId) return true;
    return false;
  }

  function hold(key: number, { updateId, failureCount }: DueUpdate): void {
    const outcome: AttemptOutcome = {
      updateId,
      failureCount,
      attemptedAt: 0,
      durationMs: 0,
      notSent: "held",
    };
    keep(outcome);
    block(key, outcome);
    onNotSent();
  }

  function holdQueued(key: number, update: DueUpdate): void {
    onQueued(-bytesOf(update));
    hold(key, update);
  }

  function keep(outcome: AttemptOutcome): void {
    outcomes.push(outcome);
    openFresh.delete(outcome.updateId);
  }

  function block(key: number, outcome: AttemptOutcome): void {
    blockedBy.set(outcome, key);
    const others = blocks.get(key);
    if (others) others.add(outcome.updateId);
    else blocks.set(key, new Set([outcome.updateId]));
  }

  /** The store has the outcome, for every read that comes back from now on. */
  function close(outcome: AttemptOutcome): void {
    open.delete(outcome.updateId);
    openRows.delete(outcome.updateId);
    const key = blockedBy.get(outcome);
    if (key === undefined) return;
    blockedBy.delete(outcome);
    const others = blocks.get(key);
    others?.delete(outcome.updateId);
    if (others?.size === 0) blocks.delete(key);
  }

  function leaveRead(): void {
    isReading = false;
    for (const outcome of recordedWhileReading.splice(0)) close(outcome);
  }

  function drop(): void {
    for (const update of queues.takeAll()) {
      const { updateId } = update;
      if (openFresh.delete(updateId)) takenUpTo = Math.min(takenUpTo, updateId - 1);
      open.delete(updateId);
      openRows.delete(updateId);
      onQueued(-bytesOf(update));
    }
    mayHaveMore = true;
    isMoreSinceRead = true;
  }
}
