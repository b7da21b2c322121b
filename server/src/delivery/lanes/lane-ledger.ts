import type { DueUpdate } from "../../domain/update.js";
import { type AttemptOutcome, type LogGrowth, updatesAbove } from "../../store/store.js";
import { createQueue } from "./queue.js";

/**
 * The updates of a lane that its holder has taken from the store, from the read that brought them to the moment the
 * store has their outcomes, and whether the store may have more. An update that was attempted before is a retry; one
 * that never was is fresh, and fresh ones are taken and sent in the order of their numbers.
 */
export interface LaneLedger {
  /** Updates that wait to be sent. */
  queuedCount(): number;
  /** Whether the store may have due updates that are not here. */
  mayHaveMore(): boolean;
  /** Outcomes that the store does not have yet. */
  unrecordedCount(): number;
  /** The log has grown. Updates whose posts come along are taken, unless the store may have others before them. */
  logGrew(growth: LogGrowth): void;
  /** What the read must ask for to bring `count` updates that are not here yet, if there are as many. */
  beginRead(count: number): { afterUpdateId: number; limit: number };
  /**
   * Takes what the read gave, except what is here already: the store calls due whatever it has no outcome of.
   *
   * @param hasMore whether the store has said that there is more
   */
  endRead(updates: readonly DueUpdate[], hasMore?: boolean): void;
  /** Discards what the read gave. */
  cancelRead(): void;
  /** The next update to send, retries first. */
  next(): DueUpdate | undefined;
  /** Whether an update with this text in its payload waits to be sent. */
  hasQueued(text: string): boolean;
  /** Drops what has not been sent, for a later read to bring it back. */
  startOver(): void;
  /** Drops what has not been sent, for the next holder. */
  abandon(): void;
  /** Keeps the outcome of an attempt for the store. */
  settle(outcome: AttemptOutcome): void;
  /** All outcomes that the store does not have yet, and the number below which every fresh update has an outcome. */
  collect(): { attempts: AttemptOutcome[]; nextFreshId: number };
  /** The store has the first `count` of what was collected; all of it when that is left out. */
  recorded(count?: number): void;
}

/** What a payload takes in memory at most. */
const BYTES_PER_UNIT = 2;

/**
 * @param claimed the updates that came with the claim
 * @param mayHaveMore whether these may not be all
 * @param onQueued is called with the bytes by which the payloads that are queued have grown
 */
export function createLaneLedger(
  claimed: readonly DueUpdate[],
  mayHaveMore: boolean,
  onQueued: (bytes: number) => void = () => {},
): LaneLedger {
  const retryQueue: DueUpdate[] = [];
  const freshQueue: DueUpdate[] = [];
  /** Numbers of the retries that are here, from their read until their outcome is recorded. */
  const openRetries = new Set<number>();
  /** Numbers of the fresh updates without an outcome, ascending. */
  const openFresh = createQueue<number>();
  /** The highest fresh update taken. */
  let takenUpTo = 0;
  /** Outcomes that the store does not have yet, in the order in which their attempts ended. */
  const outcomes: AttemptOutcome[] = [];
  let collectedCount = 0;
  /**
   * Those of them that end a retry. The outcome of a first attempt ends none: between its commit and the answer to us, a
   * read may have brought its update back as a retry.
   */
  const outcomesOfRetries = new Set<AttemptOutcome>();
  let isReading = false;
  let readLimit = 0;
  /** The head of the log, as far as it is known from hints since the read began. */
  let headWhileReading = 0;
  /** Retries recorded while a read is under way, which may bring them once more: it may have been made before. */
  let closedWhileReading: number[] = [];
  for (const update of claimed) take(update);

  return {
    mayHaveMore: () => mayHaveMore,
    queuedCount: () => retryQueue.length + freshQueue.length,
    unrecordedCount: () => outcomes.length,
    logGrew(growth) {
      if (growth.lastUpdateId <= takenUpTo) return;
      const updates = mayHaveMore ? [] : updatesAbove(takenUpTo, growth);
      for (const update of updates) take({ ...update, attemptCount: 0, failureCount: 0 });
      if (updates.length > 0) return;
      headWhileReading = growth.lastUpdateId;
      mayHaveMore = true;
    },

    beginRead(count) {
      isReading = true;
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

    next() {
      const update = retryQueue.shift() ?? freshQueue.shift();
      if (update) onQueued(-bytesOf(update));
      return update;
    },
    hasQueued: (text) =>
      [retryQueue, freshQueue].some((queue) => queue.some(({ payload }) => payload.includes(text))),
    startOver() {
      dropQueued();
      mayHaveMore = true;
    },
    abandon() {
      dropQueued();
      mayHaveMore = false;
    },

    settle(outcome) {
      outcomes.push(outcome);
      openFresh.delete(outcome.updateId);
      if (openRetries.has(outcome.updateId)) outcomesOfRetries.add(outcome);
    },
    collect() {
      collectedCount = outcomes.length;
      return { attempts: outcomes.slice(), nextFreshId: openFresh.first() ?? takenUpTo + 1 };
    },
    recorded(count = collectedCount) {
      collectedCount -= count;
      for (const outcome of outcomes.splice(0, count)) {
        if (!outcomesOfRetries.delete(outcome)) continue;
        if (isReading) closedWhileReading.push(outcome.updateId);
        else openRetries.delete(outcome.updateId);
      }
    },
  };

  function take(update: DueUpdate): void {
    const { updateId, attemptCount } = update;
    if (attemptCount > 0) {
      if (openRetries.has(updateId)) return;
      openRetries.add(updateId);
      retryQueue.push(update);
    } else {
      if (updateId <= takenUpTo) return;
      takenUpTo = updateId;
      openFresh.add(updateId);
      freshQueue.push(update);
    }
    onQueued(bytesOf(update));
  }

  function leaveRead(): void {
    isReading = false;
    for (const updateId of closedWhileReading) openRetries.delete(updateId);
    closedWhileReading = [];
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
