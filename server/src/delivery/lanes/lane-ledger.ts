import type { DueUpdate } from "../../domain/update.js";
import { type AttemptOutcome, type LogGrowth, updatesAbove } from "../../store/store.js";
import { createQueue } from "./queue.js";

/**
 * The updates of a lane that its holder has taken from the store, from the read that brought them to the moment the
 * store has their outcomes, and whether the store may have more. An update that was attempted before is a retry; one
 * that never was is fresh, and fresh ones are taken and sent in the order of their numbers.
 */
export interface LaneLedger {
  /** Whether the store may call updates due that are not here. */
  mayHaveMore(): boolean;
  /**
   * The log has grown. The updates whose posts come along are taken at once, unless the store may have others before
   * them.
   */
  logGrew(growth: LogGrowth): void;
  /** From now until {@link LaneLedger.endRead} or {@link LaneLedger.cancelRead} a read is waited for. */
  awaitRead(): void;
  isReading(): boolean;
  /** What the read must ask for to bring `count` updates that are not here yet, if there are as many. */
  beginRead(count: number): { afterUpdateId: number; limit: number };
  /**
   * Takes what the read gave, except what is here already: the store calls due whatever it has no outcome of.
   *
   * @param hasMore whether the store has said that there is more
   */
  endRead(updates: readonly DueUpdate[], hasMore?: boolean): void;
  /** What the read gave is of no use. */
  cancelRead(): void;

  queuedCount(): number;
  /** The next update to send, retries first. */
  next(): DueUpdate | undefined;
  /** Forgets what has not been sent, for a later read to bring it back. */
  startOver(): void;
  /** Forgets what has not been sent, for the next holder. */
  abandon(): void;

  /** Keeps the outcome of an attempt for the store. */
  settle(outcome: AttemptOutcome): void;
  /** Outcomes that the store does not have yet. */
  unrecordedCount(): number;
  /** All those outcomes, and the number below which every fresh update has one among them or had one before. */
  collect(): { attempts: AttemptOutcome[]; nextFreshId: number };
  /** The store has the first `count` of what was collected; all of it when that is left out. */
  recorded(count?: number): void;
}

interface Settled {
  outcome: AttemptOutcome;
  /**
   * The outcome of a first attempt ends no retry: a read may have brought its update back as one, between the moment the
   * store had that outcome and the moment we heard of it.
   */
  isRetry: boolean;
}

/** What a payload takes in memory at most. */
const BYTES_PER_UNIT = 2;

/**
 * @param claimed the updates that came with the claim
 * @param mayHaveMore whether these may not be all
 * @param onQueued hears by how many bytes the payloads have grown that are here and not sent yet
 */
export function createLaneLedger(
  claimed: readonly DueUpdate[],
  mayHaveMore: boolean,
  onQueued: (bytes: number) => void = () => {},
): LaneLedger {
  const retryQueue: DueUpdate[] = [];
  const freshQueue: DueUpdate[] = [];
  /** Retries here, in whatever stage, by number. */
  const openRetries = new Set<number>();
  /** Fresh updates without a collected outcome, ascending. */
  const openFresh = createQueue<number>();
  /** The highest fresh update taken. */
  let takenUpTo = 0;
  let isReading = false;
  let readLimit = 0;
  /** The head of the log, as far as it was heard of since the read began. */
  let headWhileReading = 0;
  /** A read that is under way may have been made before these were recorded, and bring them once more. */
  let recordedWhileReading: Settled[] = [];
  let settled: Settled[] = [];
  let collected: Settled[] = [];
  for (const update of claimed) take(update);

  return {
    mayHaveMore: () => mayHaveMore,
    logGrew(growth) {
      if (growth.lastUpdateId <= takenUpTo) return;
      const updates = mayHaveMore ? [] : updatesAbove(takenUpTo, growth);
      for (const update of updates) take({ ...update, attemptCount: 0, failureCount: 0 });
      if (updates.length > 0) return;
      headWhileReading = growth.lastUpdateId;
      mayHaveMore = true;
    },
    awaitRead() {
      isReading = true;
    },
    isReading: () => isReading,
    beginRead(count) {
      headWhileReading = 0;
      readLimit = count + openRetries.size;
      return { afterUpdateId: takenUpTo, limit: readLimit };
    },
    endRead(updates, hasMore = false) {
      for (const update of updates) take(update);
      mayHaveMore = hasMore || updates.length === readLimit || headWhileReading > takenUpTo;
      leaveRead();
    },
    cancelRead: leaveRead,

    queuedCount: () => retryQueue.length + freshQueue.length,
    next() {
      const update = retryQueue.shift() ?? freshQueue.shift();
      if (update) onQueued(-bytesOf(update));
      return update;
    },
    startOver() {
      dropQueued();
      mayHaveMore = true;
    },
    abandon() {
      dropQueued();
      mayHaveMore = false;
    },

    settle(outcome) {
      settled.push({ outcome, isRetry: openRetries.has(outcome.updateId) });
    },
    unrecordedCount: () => settled.length + collected.length,
    collect() {
      for (const { outcome } of settled) openFresh.delete(outcome.updateId);
      collected = [...collected, ...settled];
      settled = [];
      const nextFreshId = openFresh.first() ?? takenUpTo + 1;
      return { attempts: collected.map(({ outcome }) => outcome), nextFreshId };
    },
    recorded(count = collected.length) {
      const recorded = collected.splice(0, count);
      if (isReading) recordedWhileReading.push(...recorded);
      else closeRetries(recorded);
    },
  };

  function take(update: DueUpdate): void {
    const { updateId, attemptCount } = update;
    if (attemptCount > 0) {
      if (openRetries.has(updateId)) return;
      openRetries.add(updateId);
      retryQueue.push(update);
      onQueued(bytesOf(update));
    } else if (updateId > takenUpTo) {
      takenUpTo = updateId;
      openFresh.add(updateId);
      freshQueue.push(update);
      onQueued(bytesOf(update));
    }
  }

  function leaveRead(): void {
    isReading = false;
    closeRetries(recordedWhileReading);
    recordedWhileReading = [];
  }

  function closeRetries(ended: readonly Settled[]): void {
    for (const { outcome, isRetry } of ended) {
      if (isRetry) openRetries.delete(outcome.updateId);
    }
  }

  function dropQueued(): void {
    const [firstFresh] = freshQueue;
    if (firstFresh) takenUpTo = firstFresh.updateId - 1;
    for (const update of retryQueue.splice(0)) {
      openRetries.delete(update.updateId);
      onQueued(-bytesOf(update));
    }
    for (const update of freshQueue.splice(0)) {
      openFresh.delete(update.updateId);
      onQueued(-bytesOf(update));
    }
  }
}

function bytesOf({ payload }: DueUpdate): number {
  return payload.length * BYTES_PER_UNIT;
}
