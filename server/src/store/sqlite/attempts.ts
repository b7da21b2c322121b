import { trendOf } from "../../domain/attempt.js";
import type { AttemptFailure, AttemptOutcome, LaneOutcomes } from "../store.js";
import type { Database } from "./binding.js";
import { failedAttemptWriter } from "./failed-attempts.js";
import { fromColumns } from "./outcome-columns.js";
import { STATE_CODE } from "./states.js";
import { minuteCounter } from "./timeline.js";
import type { Verbs } from "./verbs.js";

interface UpdateRow {
  state: number;
  attemptCount: number;
  failureCount: number;
}

/** What the outcomes of one call change on a lane. */
interface LaneChange {
  scheduled: number;
  delivered: number;
  failed: number;
  lastAttemptedAt: number;
  lastDeliveredAt: number;
  /** The error of the newest outcome; empty after a success. */
  lastError: string;
}

export function attemptVerbs(db: Database): Pick<Verbs, "recordAttempts"> {
  const selectBot = db.prepare(`
    SELECT bot_key AS botKey, webhook_url IS NOT NULL AS hasWebhook FROM bots WHERE id = ?`);
  /** The common case in one statement: accepted the first time. */
  const deliverFresh = db.prepare(`
    UPDATE updates SET state = 2, attempt_count = 1, last_attempted_at = ?1, delivered_at = ?1
    WHERE bot_key = ?2 AND update_id = ?3 AND state = 0 AND attempt_count = 0`);
  const selectUpdate = db.prepare(`
    SELECT state, attempt_count AS attemptCount, failure_count AS failureCount FROM updates WHERE bot_key = ? AND update_id = ?`);
  const deliverAgain = db.prepare(`
    UPDATE updates SET state = 2, attempt_count = attempt_count + 1, last_attempted_at = ?1,
      delivered_at = ifnull(delivered_at, ?1), due_at = NULL
    WHERE bot_key = ?2 AND update_id = ?3`);
  const countAttempt = db.prepare(`
    UPDATE updates SET attempt_count = attempt_count + 1, last_attempted_at = ?, last_error = ?
    WHERE bot_key = ? AND update_id = ?`);
  const failUpdate = db.prepare(`
    UPDATE updates SET state = ?, attempt_count = attempt_count + 1, failure_count = failure_count + 1,
      due_at = ?, last_attempted_at = ?, last_error = ?
    WHERE bot_key = ? AND update_id = ?`);
  const changeLane = db.prepare(`
    UPDATE lanes SET
      scheduled_count = scheduled_count + ?1, delivered_count = delivered_count + ?2, failed_count = failed_count + ?3,
      last_attempted_at = max(ifnull(last_attempted_at, 0), ?4),
      last_delivered_at = nullif(max(ifnull(last_delivered_at, 0), ?5), 0),
      last_error = ?6, failing_since = CASE WHEN ?7 THEN ?8 ELSE ifnull(failing_since, ?8) END,
      next_fresh_id = max(next_fresh_id, ?9)
    WHERE bot_key = ?10`);
  const keepFailed = failedAttemptWriter(db);
  const countMinutes = minuteCounter(db);

  const recordSuccess = (
    botKey: number,
    { updateId, attemptedAt }: AttemptOutcome,
    change: LaneChange,
  ): void => {
    change.lastDeliveredAt = Math.max(change.lastDeliveredAt, attemptedAt);
    change.lastError = "";
    if (deliverFresh.run(attemptedAt, botKey, updateId).changes === 1) {
      change.delivered += 1;
      return;
    }
    const update = selectUpdate.get(botKey, updateId) as UpdateRow | undefined;
    if (!update) return;
    deliverAgain.run(attemptedAt, botKey, updateId);
    leaveState(update.state, change);
    change.delivered += 1;
  };

  const recordFailure = (
    botKey: number,
    hasWebhook: boolean,
    { updateId, attemptedAt, failureCount }: AttemptOutcome,
    failure: AttemptFailure,
    change: LaneChange,
  ): void => {
    const { error, nextRetryAt } = failure;
    if (hasWebhook) change.lastError = error;
    const update = selectUpdate.get(botKey, updateId) as UpdateRow | undefined;
    if (!update) return;
    keepFailed(botKey, updateId, update.attemptCount + 1, attemptedAt, failure);
    const isStale = update.state === STATE_CODE.delivered || update.failureCount !== failureCount;
    if (isStale) {
      countAttempt.run(attemptedAt, error, botKey, updateId);
      return;
    }
    leaveState(update.state, change);
    if (!hasWebhook) {
      failUpdate.run(STATE_CODE.pending, 0, attemptedAt, error, botKey, updateId);
    } else if (nextRetryAt === undefined) {
      failUpdate.run(STATE_CODE.failed, null, attemptedAt, error, botKey, updateId);
      change.failed += 1;
    } else {
      failUpdate.run(STATE_CODE.scheduled, nextRetryAt, attemptedAt, error, botKey, updateId);
      change.scheduled += 1;
    }
  };

  const recordLane = ({ botId, nextFreshId, attempts, minutes }: LaneOutcomes): void => {
    const bot = selectBot.get(botId) as { botKey: number; hasWebhook: number } | undefined;
    if (!bot) return;
    const change = {
      scheduled: 0,
      delivered: 0,
      failed: 0,
      lastAttemptedAt: 0,
      lastDeliveredAt: 0,
      lastError: "",
    };
    for (const attempt of attempts) {
      change.lastAttemptedAt = Math.max(change.lastAttemptedAt, attempt.attemptedAt);
      if (attempt.failure) recordFailure(bot.botKey, bot.hasWebhook === 1, attempt, attempt.failure, change);
      else recordSuccess(bot.botKey, attempt, change);
    }
    const { hasAccepted, failingSince } = trendOf(attempts);
    changeLane.run(
      change.scheduled,
      change.delivered,
      change.failed,
      change.lastAttemptedAt,
      change.lastDeliveredAt,
      change.lastError,
      hasAccepted ? 1 : 0,
      (bot.hasWebhook === 1 ? failingSince : undefined) ?? null,
      nextFreshId,
      bot.botKey,
    );
    if (minutes) countMinutes(bot.botKey, minutes);
  };

  return {
    recordAttempts(outcomes) {
      for (const lane of fromColumns(outcomes)) recordLane(lane);
    },
  };
}

/** Takes an update out of the counter of the state it was in; pending ones are not counted but computed. */
function leaveState(state: number, change: LaneChange): void {
  if (state === STATE_CODE.scheduled) change.scheduled -= 1;
  else if (state === STATE_CODE.failed) change.failed -= 1;
  else if (state === STATE_CODE.delivered) change.delivered -= 1;
}
