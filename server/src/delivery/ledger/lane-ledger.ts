import { refusedTogether } from "../../domain/delivery/batch-size.js";
import { type DueUpdate, isFresh, isRefused } from "../../domain/events/update.js";
import { MAX_WEBHOOK_BATCH_BYTES } from "../../domain/limits.js";
import { type AttemptOutcome, type DueRead, type LogGrowth, updatesAbove } from "../../store/store.js";
import type { DueBatch } from "../attempt.js";
import { createQueue } from "./queue.js";

/**
 * The updates of a lane that its holder has taken from the store, from the read that brought them to the moment the
 * store has their outcomes, and whether the store may have more. An update that was attempted before, or held, is a retry; one
 * that never was is fresh, and fresh ones are taken and sent in the order of their numbers. Retries that were requeued are
 * sent before all others; those that were refused take turns with the fresh ones, so that neither delay the other.
 */
export interface LaneLedger {
  /** Updates that wait to be sent. */
  queuedCount(): number;
  /** Those of them that wait for another one in flight. */
  blockedCount(): number;
  /** Whether {@link LaneLedger.next} would return something. */
  canSend(): boolean;
  /** Whether the store may have due updates that are not here. */
  mayHaveMore(): boolean;
  /** Outcomes that the store does not have yet. */
  unrecordedCount(): number;
  /** The log grew. Updates whose events are in `growth` are taken, unless the store may have earlier ones. */
  logGrew(growth: LogGrowth): void;
  /** The parameters of a read that returns `count` updates that are not here yet, if there are that many. */
  beginRead(count: number): Pick<DueRead, "afterUpdateId" | "limit" | "isFreshFirst">;
  /**
   * Takes the read's updates, except those that are here already: the store returns everything without a recorded
   * outcome as due.
   *
   * @param hasMore whether the store reported that there are more
   */
  endRead(updates: readonly DueUpdate[], hasMore?: boolean): void;
  /** Discards the result of the read. */
  cancelRead(): void;
  /**
   * The next updates to send in one request, by number: all of one kind, since health is judged by those that were not refused.
   *
   * @param maxBatch the most of a request
   * @param maxUnrefused the same of updates that were not refused before
   */
  next(maxBatch?: number, maxUnrefused?: number): DueBatch | undefined;
  /** Whether an update with this text in its payload waits to be sent. */
  hasQueued(text: string): boolean;
  /** Drops updates that were not sent; a later read returns them. */
  startOver(): void;
  /** Drops updates that were not sent; the next holder reads them. */
  abandon(): void;
  /** Keeps the outcome of an attempt for the store. */
  settle(outcome: AttemptOutcome): void;
  /** All outcomes that the store does not have yet, and the number below which every fresh update has an outcome. */
  collect(): { attempts: AttemptOutcome[]; nextFreshId: number };
  /**
   * The store has the first `count` of what was collected; all of it when that is left out.
   *
   * @param isRefused whether the store will never have it. A retry, which the store goes on returning as due, is not taken again then.
   */
  recorded(count?: number, isRefused?: boolean): void;
}

/** Bytes of memory for each UTF-16 unit of a payload, at most. */
const BYTES_PER_UNIT = 2;

export interface LedgerOptions {
  /** Whether the store may have more than the claim returned. */
  mayHaveMore: boolean;
  /** Whether an update that was refused before is sent first. */
  isTurnOfRefused?: boolean;
  /** Is called with the bytes by which the payloads that are queued have grown. */
  onQueued?(bytes: number): void;
  /** Whether the webhook wants events of the update's kind. Others are not sent: their outcome is there at once. */
  isWanted?(update: DueUpdate): boolean;
  /** Is called when there are outcomes of updates that are not sent. */
  onNotSent?(): void;
}

/** @param claimed the updates that the claim returned */
export function createLaneLedger(
  claimed: readonly DueUpdate[],
  {
    mayHaveMore,
    isTurnOfRefused = true,
    onQueued = () => {},
    isWanted = () => true,
    onNotSent = () => {},
  }: LedgerOptions,
): LaneLedger {
  const requeuedQueue: DueUpdate[] = [];
  const refusedQueue: DueUpdate[] = [];
  const freshQueue: DueUpdate[] = [];
  /** Numbers of the retries that are here, from their read until their outcome is recorded. */
  const openRetries = new Set<number>();
  /** Numbers of the fresh updates without an outcome, ascending. */
  const openFresh = createQueue<number>();
  /** The number of the highest fresh update that was taken. */
  let takenUpTo = 0;
  /** Outcomes that the store does not have yet, in the order in which their attempts ended. */
  const outcomes: AttemptOutcome[] = [];
  let collectedCount = 0;
  /**
   * Outcomes of retries among them. The outcome of a first attempt does not end a retry: between its commit and the
   * store's answer, a read may have returned its update as a retry.
   */
  const outcomesOfRetries = new Set<AttemptOutcome>();
  let isReading = false;
  let readLimit = 0;
  /** The head of the log, as far as it is known from hints since the read began. */
  let headWhileReading = 0;
  /** Retries that were recorded while a read is in progress, which may have begun before and return them once more. */
  let closedWhileReading: number[] = [];
  for (const update of claimed) take(update);

  const queuedCount = (): number => requeuedQueue.length + refusedQueue.length + freshQueue.length;

  return {
    mayHaveMore: () => mayHaveMore,
    queuedCount,
    blockedCount: () => 0,
    canSend: () => queuedCount() > 0,
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

    next(maxBatch = 1, maxUnrefused = maxBatch) {
      const queue = requeuedQueue.length > 0 ? requeuedQueue : queueInTurn();
      const first = queue.shift();
      if (!first) return undefined;
      onQueued(-bytesOf(first));
      if (maxBatch === 1) return [first];
      const limit =
        queue === refusedQueue
          ? refusedTogether(
              [first, ...queue.slice(0, 2 * maxBatch)].map((update) => update.failureCount),
              maxBatch,
            )
          : maxUnrefused;
      const others = takeOthers(queue, limit - 1, Buffer.byteLength(first.payload));
      return [first, ...others].toSorted((a, b) => a.updateId - b.updateId) as unknown as DueBatch;
    },
    hasQueued: (text) =>
      [requeuedQueue, refusedQueue, freshQueue].some((queue) =>
        queue.some(({ payload }) => payload.includes(text)),
      ),
    startOver() {
      dropQueued();
      mayHaveMore = true;
    },
    abandon() {
      dropQueued();
      mayHaveMore = false;
    },

    settle,
    collect() {
      collectedCount = outcomes.length;
      return { attempts: outcomes.slice(), nextFreshId: openFresh.first() ?? takenUpTo + 1 };
    },
    recorded(count = collectedCount, isRefused = false) {
      collectedCount -= count;
      for (const outcome of outcomes.splice(0, count)) {
        if (!outcomesOfRetries.delete(outcome) || isRefused) continue;
        if (isReading) closedWhileReading.push(outcome.updateId);
        else openRetries.delete(outcome.updateId);
      }
    },
  };

  function queueInTurn(): DueUpdate[] {
    const takesRefused = refusedQueue.length > 0 && (isTurnOfRefused || freshQueue.length === 0);
    isTurnOfRefused = !takesRefused;
    return takesRefused ? refusedQueue : freshQueue;
  }

  /** Takes the first updates of a queue, as far as they fit into a request together. */
  function takeOthers(queue: DueUpdate[], limit: number, firstBytes: number): DueUpdate[] {
    let bytes = firstBytes;
    let count = 0;
    for (const update of queue) {
      if (count >= limit) break;
      bytes += Buffer.byteLength(update.payload);
      if (bytes > MAX_WEBHOOK_BATCH_BYTES) break;
      onQueued(-bytesOf(update));
      count += 1;
    }
    return queue.splice(0, count);
  }

  function settle(outcome: AttemptOutcome): void {
    outcomes.push(outcome);
    openFresh.delete(outcome.updateId);
    if (openRetries.has(outcome.updateId)) outcomesOfRetries.add(outcome);
  }

  function take(update: DueUpdate): void {
    const { updateId, failureCount } = update;
    const isRetry = !isFresh(update);
    if (isRetry) {
      if (openRetries.has(updateId)) return;
      openRetries.add(updateId);
    } else {
      if (updateId <= takenUpTo) return;
      takenUpTo = updateId;
      openFresh.add(updateId);
    }
    if (!isWanted(update)) {
      settle({ updateId, failureCount, attemptedAt: 0, durationMs: 0, notSent: "unwanted" });
      onNotSent();
      return;
    }
    const retries = isRefused(update) ? refusedQueue : requeuedQueue;
    (isRetry ? retries : freshQueue).push(update);
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
    for (const update of [...requeuedQueue.splice(0), ...refusedQueue.splice(0)]) {
      openRetries.delete(update.updateId);
      onQueued(-bytesOf(update));
    }
    for (const update of freshQueue.splice(0)) {
      openFresh.delete(update.updateId);
      onQueued(-bytesOf(update));
    }
  }
}

/** What an update takes of memory while it is queued, at most. */
export function bytesOf({ payload }: DueUpdate): number {
  return payload.length * BYTES_PER_UNIT;
}
