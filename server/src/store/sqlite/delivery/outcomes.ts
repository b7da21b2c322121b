import { endOfAttempt } from "../../../domain/delivery/attempt.js";
import { runsOf } from "../../shared/accepted-runs.js";
import { STATE_CODE } from "../../shared/delivery-states.js";
import type { AttemptFailure, AttemptOutcome } from "../../store.js";
import type { Database } from "../binding.js";
import { type DeliveryRow, deliveryRows } from "./delivery-rows.js";
import { failedAttemptWriter } from "./failed-attempts.js";
import { heldUpdates } from "./held.js";
import { unwantedSkipper } from "./unwanted.js";

/** A destination, as far as it decides what comes of an outcome. */
export interface OutcomeLane {
  destinationKey: number;
  logKey: number;
  round: number;
  skipThrough: number | null;
  skipRound: number | null;
  /** Whether the order is that of channels. */
  hasChannelOrder: 0 | 1;
  /** Whether the order is that of the bot. */
  hasBotOrder: 0 | 1;
  /** Whether updates may be held. */
  mayHold: 0 | 1;
}

/** The changes of a lane by the outcomes of one call. */
interface LaneChange {
  scheduled: number;
  delivered: number;
  failed: number;
  skipped: number;
  lastAttemptedAt: number;
  lastDeliveredAt: number;
  /** The error of the newest outcome; empty after a success. */
  lastError: string;
}

/** Records what came of each update. It returns what is to be changed in the lane. */
export function outcomeRecorder(
  db: Database,
): (lane: OutcomeLane, attempts: readonly AttemptOutcome[]) => LaneChange {
  /** The common case in one statement: a run of updates that were accepted at the first attempt, ?2 to ?3 of the log ?5. */
  const insertRun = db.prepare(`
    INSERT INTO deliveries (destination_key, first_number, last_number, state, attempt_count, failure_count, times)
    SELECT ?1, ?2, ?3, ${STATE_CODE.delivered}, 1, 0, ?4
    WHERE EXISTS (SELECT 1 FROM entries WHERE log_key = ?5 AND number = ?2)
      AND ifnull((
        SELECT last_number FROM deliveries WHERE destination_key = ?1 AND first_number <= ?3
        ORDER BY first_number DESC LIMIT 1), 0) < ?2`);
  const deliverAgain = db.prepare(`
    UPDATE deliveries SET state = ${STATE_CODE.delivered}, attempt_count = attempt_count + 1, last_attempted_at = ?,
      delivered_at = ifnull(delivered_at, ?), round = NULL, due_at = NULL
    WHERE destination_key = ? AND first_number = ?`);
  const countAttempt = db.prepare(`
    UPDATE deliveries SET attempt_count = attempt_count + 1, last_attempted_at = ?, last_failed_at = ?, last_error = ?
    WHERE destination_key = ? AND first_number = ?`);
  /**
   * Changes nothing when there is no such update. ?1 the destination, ?2 the number, ?3 the state, ?4 failures, ?5 the round and
   * ?6 the time of the next attempt, null for none, ?7 when this one began, ?8 when it ended, ?9 its error, ?10 the log.
   */
  const failUpdate = db.prepare(`
    INSERT INTO deliveries (destination_key, first_number, last_number, state, attempt_count, failure_count, round, due_at,
      last_attempted_at, last_failed_at, last_error, channel_key)
    SELECT ?1, ?2, ?2, ?3, 1, ?4, ?5, ?6, ?7, ?8, ?9, p.channel_key
    FROM entries e CROSS JOIN events p USING (event_key) WHERE e.log_key = ?10 AND e.number = ?2
    ON CONFLICT DO UPDATE SET state = ?3, attempt_count = attempt_count + 1, failure_count = ?4, round = ?5, due_at = ?6,
      last_attempted_at = ?7, last_failed_at = ?8, last_error = ?9, channel_key = ifnull(channel_key, excluded.channel_key)`);
  const rows = deliveryRows(db);
  const skipUnwanted = unwantedSkipper(db);
  const keepFailed = failedAttemptWriter(db);
  const held = heldUpdates(db);

  /** @returns the numbers of those that were recorded: of runs in which no update was attempted before */
  const insertRuns = (
    { destinationKey, logKey }: OutcomeLane,
    accepted: readonly AttemptOutcome[],
  ): number[] =>
    runsOf(accepted).flatMap(({ first, last, times }) => {
      const isRecorded = insertRun.run(destinationKey, first, last, times, logKey).changes === 1;
      return isRecorded ? Array.from({ length: last + 1 - first }, (_, index) => first + index) : [];
    });

  /** Records what was accepted at the first attempt. @returns the other outcomes, in their order */
  const recordAcceptedAtOnce = (
    lane: OutcomeLane,
    attempts: readonly AttemptOutcome[],
    change: LaneChange,
  ): AttemptOutcome[] => {
    const seen = new Set<number>();
    const accepted = attempts.filter(({ updateId, failure }) => {
      const isFirst = !seen.has(updateId);
      seen.add(updateId);
      return isFirst && !failure;
    });
    const recorded = new Set(insertRuns(lane, accepted));
    if (recorded.size < accepted.length) {
      const others = accepted.filter(
        ({ updateId }) => !recorded.has(updateId) && !rows.find(lane.destinationKey, updateId),
      );
      for (const updateId of insertRuns(lane, others)) recorded.add(updateId);
    }
    change.delivered += recorded.size;
    // Of several outcomes of one update the first is recorded.
    return attempts.filter(({ updateId }) => !recorded.delete(updateId));
  };

  const recordSuccess = (lane: OutcomeLane, outcome: AttemptOutcome, change: LaneChange): void => {
    const { destinationKey, round } = lane;
    const { updateId, attemptedAt } = outcome;
    const row = rows.isolate(destinationKey, updateId);
    if (!row) {
      change.delivered += insertRuns(lane, [outcome]).length;
      return;
    }
    deliverAgain.run(attemptedAt, endOfAttempt(outcome), destinationKey, updateId);
    leaveState(row, round, change);
    change.delivered += 1;
  };

  const recordFailure = (
    lane: OutcomeLane,
    outcome: AttemptOutcome,
    failure: AttemptFailure,
    change: LaneChange,
  ): void => {
    const { destinationKey, logKey, round } = lane;
    const { updateId, attemptedAt, failureCount } = outcome;
    const { error, nextRetryAt } = failure;
    const row = rows.isolate(destinationKey, updateId);
    const ended = [attemptedAt, endOfAttempt(outcome), error];
    if (row && isStale(row, lane, failureCount)) {
      countAttempt.run(...ended, destinationKey, updateId);
    } else {
      const isFinal = nextRetryAt === undefined;
      const state = isFinal ? STATE_CODE.failed : STATE_CODE.waiting;
      const retry = isFinal ? [null, null] : [round, nextRetryAt];
      const { changes } = failUpdate.run(
        destinationKey,
        updateId,
        state,
        failureCount + 1,
        ...retry,
        ...ended,
        logKey,
      );
      if (changes === 0) return;
      if (row) leaveState(row, round, change);
      if (isFinal) change.failed += 1;
      else change.scheduled += 1;
    }
    keepFailed(destinationKey, (row?.attemptCount ?? 0) + 1, outcome, failure);
  };

  /** The lane may have been released before: with outcomes of a holder that had lost it. */
  const goOnBehind = ({ destinationKey, mayHold, hasBotOrder }: OutcomeLane, updateIds: number[]): void => {
    const now = Date.now();
    const hasReleased = mayHold === 1 && held.releaseBehind(destinationKey, updateIds, now);
    if (hasReleased || hasBotOrder === 1) held.wakeUnheld(destinationKey, now);
  };

  return (lane, outcomes) => {
    const unwanted = outcomes.filter(({ notSent }) => notSent === "unwanted");
    const toHold = outcomes.filter(({ notSent }) => notSent === "held");
    const attempts = outcomes.filter(({ notSent }) => !notSent);
    const accepted = attempts.filter(({ failure }) => !failure);
    const change = {
      scheduled: 0,
      delivered: 0,
      failed: 0,
      skipped: 0,
      lastAttemptedAt: Math.max(0, ...attempts.map(({ attemptedAt }) => attemptedAt)),
      lastDeliveredAt: Math.max(0, ...accepted.map(endOfAttempt)),
      lastError: attempts.at(-1)?.failure?.error ?? "",
    };
    if (unwanted.length > 0) {
      const { skipped, scheduled } = skipUnwanted(lane, unwanted);
      change.skipped += skipped;
      change.scheduled -= scheduled;
    }
    const others = recordAcceptedAtOnce(lane, attempts, change);
    for (const attempt of others) {
      if (attempt.failure) recordFailure(lane, attempt, attempt.failure, change);
      else recordSuccess(lane, attempt, change);
    }
    if (toHold.length > 0) change.scheduled -= held.hold(lane, lane.hasChannelOrder === 1, toHold);
    const changed = [...others, ...unwanted, ...toHold].map(({ updateId }) => updateId);
    if (changed.length > 0) goOnBehind(lane, changed);
    return change;
  };
}

/** Whether a failed attempt is only counted: the update is delivered or skipped, or begins its schedule again. */
function isStale(
  row: DeliveryRow,
  { round, skipThrough, skipRound }: OutcomeLane,
  failureCount: number,
): boolean {
  if (row.state === STATE_CODE.delivered || row.state === STATE_CODE.skipped) return true;
  // Only what waits has a round of its own.
  const inRound = row.round ?? round;
  const isToBeSkipped = row.first <= (skipThrough ?? 0) && inRound < (skipRound ?? 0) - 1;
  return isToBeSkipped || failureCount !== (inRound < round ? 0 : row.failureCount);
}

/** Takes an update out of the counter of the state it was in; pending ones are not counted but computed. */
function leaveState(row: DeliveryRow, round: number, change: LaneChange): void {
  if (row.state === STATE_CODE.waiting && row.round === round) change.scheduled -= 1;
  else if (row.state === STATE_CODE.failed) change.failed -= 1;
  else if (row.state === STATE_CODE.delivered) change.delivered -= 1;
  else if (row.state === STATE_CODE.skipped) change.skipped -= 1;
}
