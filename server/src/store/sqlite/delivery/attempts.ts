import {
  endOfAttempt,
  hasReceiverRecovered,
  isReceiverFailing,
  type ReceiverRecord,
  trendOf,
} from "../../../domain/delivery/attempt.js";
import type { AttemptFailure, AttemptOutcome, LaneOutcomes, LogHead } from "../../store.js";
import type { Database } from "../binding.js";
import { aboutBot } from "../bots/bots.js";
import { feedEventAppender } from "../feed/feed-events.js";
import { STATE_CODE } from "../logs/states.js";
import type { EventVerbs } from "../verbs.js";
import { failedAttemptWriter } from "./failed-attempts.js";
import { IS_REQUEUED } from "./requeueing.js";
import { minuteCounter } from "./timeline.js";

interface BotRow {
  botKey: number;
  username: string;
  ownerUserId: string;
  isToldFailing: 0 | 1;
  webhookVersion: number;
  webhookChangedAt: number;
}

interface UpdateRow {
  state: number;
  /** Pending, though its row still says scheduled. */
  isRequeued: 0 | 1;
  /** It is skipped, although its row may not say so yet. */
  isSkipped: 0 | 1;
  attemptCount: number;
  failureCount: number;
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

export function attemptVerbs(db: Database): Pick<EventVerbs, "recordAttempts"> {
  const selectBot = db.prepare(`
    SELECT bot_key AS botKey, b.username, b.owner_user_id AS ownerUserId, l.told_failing IS 1 AS isToldFailing,
      l.webhook_version AS webhookVersion, l.webhook_changed_at AS webhookChangedAt
    FROM bots b JOIN lanes l USING (bot_key) WHERE b.id = ?`);
  /** The common case in one statement: the first attempt was accepted. */
  const deliverFresh = db.prepare(`
    UPDATE updates SET state = 2, attempt_count = 1, last_attempted_at = ?, delivered_at = ?
    WHERE bot_key = ? AND update_id = ? AND state = 0 AND attempt_count = 0`);
  const selectUpdate = db.prepare(`
    SELECT u.state, u.state = 1 AND ifnull(${IS_REQUEUED}, 0) AS isRequeued,
      u.state = 4 OR u.update_id < ifnull(l.skip_below, 0) AS isSkipped, u.attempt_count AS attemptCount,
      u.failure_count AS failureCount
    FROM updates u JOIN lanes l USING (bot_key) WHERE u.bot_key = ? AND u.update_id = ?`);
  const deliverAgain = db.prepare(`
    UPDATE updates SET state = 2, attempt_count = attempt_count + 1, last_attempted_at = ?,
      delivered_at = ifnull(delivered_at, ?), due_at = NULL
    WHERE bot_key = ? AND update_id = ?`);
  const countAttempt = db.prepare(`
    UPDATE updates SET attempt_count = attempt_count + 1, last_attempted_at = ?, last_failed_at = ?, last_error = ?
    WHERE bot_key = ? AND update_id = ?`);
  const failUpdate = db.prepare(`
    UPDATE updates SET state = ?, attempt_count = attempt_count + 1, failure_count = failure_count + 1,
      due_at = ?, last_attempted_at = ?, last_failed_at = ?, last_error = ?
    WHERE bot_key = ? AND update_id = ?`);
  const changeLane = db.prepare(`
    UPDATE lanes SET
      scheduled_count = scheduled_count + ?1, delivered_count = delivered_count + ?2, failed_count = failed_count + ?3,
      last_attempted_at = max(ifnull(last_attempted_at, 0), ?4),
      last_delivered_at = nullif(max(ifnull(last_delivered_at, 0), ?5), 0),
      last_error = ?6, failing_since = CASE WHEN ?7 THEN ?8 ELSE ifnull(failing_since, ?8) END,
      failures_in_row = CASE WHEN ?7 THEN ?12 ELSE ifnull(failures_in_row, 0) + ?12 END,
      last_failure_at = nullif(max(ifnull(last_failure_at, 0), ?13), 0),
      resting_until = CASE WHEN generation = ?15 THEN ?14 ELSE resting_until END,
      next_fresh_id = max(next_fresh_id, ?9), skipped_count = skipped_count + ?11
    WHERE bot_key = ?10
    RETURNING failing_since AS failingSince, failures_in_row AS failuresInRow, last_failure_at AS lastFailureAt,
      last_delivered_at AS lastDeliveredAt`);
  const setToldFailing = db.prepare("UPDATE lanes SET told_failing = ? WHERE bot_key = ?");
  const moveOn = db.prepare("UPDATE lanes SET next_fresh_id = max(next_fresh_id, ?) WHERE bot_key = ?");
  /** Counts an update that an earlier webhook had accepted. */
  const countEarlier = db.prepare(`
    UPDATE lanes SET
      scheduled_count = scheduled_count + ?1, delivered_count = delivered_count + ?2, failed_count = failed_count + ?3,
      earlier_attempted_at = max(ifnull(earlier_attempted_at, 0), ?4),
      earlier_delivered_at = max(ifnull(earlier_delivered_at, 0), ?5), skipped_count = skipped_count + ?7
    WHERE bot_key = ?6`);
  const keepFailed = failedAttemptWriter(db);
  const countMinutes = minuteCounter(db);
  const appendToFeed = feedEventAppender(db);

  const recordSuccess = (botKey: number, outcome: AttemptOutcome, change: LaneChange): void => {
    const { updateId, attemptedAt } = outcome;
    const deliveredAt = endOfAttempt(outcome);
    change.lastDeliveredAt = Math.max(change.lastDeliveredAt, deliveredAt);
    change.lastError = "";
    if (deliverFresh.run(attemptedAt, deliveredAt, botKey, updateId).changes === 1) {
      change.delivered += 1;
      return;
    }
    const update = selectUpdate.get(botKey, updateId) as UpdateRow | undefined;
    if (!update) return;
    deliverAgain.run(attemptedAt, deliveredAt, botKey, updateId);
    leaveState(update, change);
    change.delivered += 1;
  };

  const recordFailure = (
    botKey: number,
    outcome: AttemptOutcome,
    failure: AttemptFailure,
    change: LaneChange,
  ): void => {
    const { updateId, attemptedAt, failureCount } = outcome;
    const { error, nextRetryAt } = failure;
    change.lastError = error;
    const update = selectUpdate.get(botKey, updateId) as UpdateRow | undefined;
    if (!update) return;
    const failedAt = endOfAttempt(outcome);
    keepFailed(botKey, update.attemptCount + 1, outcome, failure);
    const isStale =
      update.state === STATE_CODE.delivered ||
      update.isRequeued === 1 ||
      update.isSkipped === 1 ||
      update.failureCount !== failureCount;
    if (isStale) {
      countAttempt.run(attemptedAt, failedAt, error, botKey, updateId);
      return;
    }
    leaveState(update, change);
    if (nextRetryAt === undefined) {
      failUpdate.run(STATE_CODE.failed, null, attemptedAt, failedAt, error, botKey, updateId);
      change.failed += 1;
    } else {
      failUpdate.run(STATE_CODE.scheduled, nextRetryAt, attemptedAt, failedAt, error, botKey, updateId);
      change.scheduled += 1;
    }
  };

  const recordAll = (botKey: number, attempts: readonly AttemptOutcome[]): LaneChange => {
    const change = {
      scheduled: 0,
      delivered: 0,
      failed: 0,
      skipped: 0,
      lastAttemptedAt: 0,
      lastDeliveredAt: 0,
      lastError: "",
    };
    for (const attempt of attempts) {
      change.lastAttemptedAt = Math.max(change.lastAttemptedAt, attempt.attemptedAt);
      if (attempt.failure) recordFailure(botKey, attempt, attempt.failure, change);
      else recordSuccess(botKey, attempt, change);
    }
    return change;
  };

  /** @returns the logs of the feed that grew */
  const recordCurrent = (bot: BotRow, { botId, attempts, nextFreshId, rest }: LaneOutcomes): LogHead[] => {
    const { botKey, username, ownerUserId, isToldFailing } = bot;
    if (attempts.length === 0) {
      moveOn.run(nextFreshId, botKey);
      return [];
    }
    const change = recordAll(botKey, attempts);
    const { hasAccepted, failingSince, failuresInRow, lastFailedAt = 0 } = trendOf(attempts);
    const record = changeLane.get(
      change.scheduled,
      change.delivered,
      change.failed,
      change.lastAttemptedAt,
      change.lastDeliveredAt,
      change.lastError,
      hasAccepted ? 1 : 0,
      failingSince ?? null,
      nextFreshId,
      botKey,
      change.skipped,
      failuresInRow,
      lastFailedAt,
      rest?.until ?? 0,
      rest?.generation ?? null,
    ) as ReceiverRecord;
    const becomesFailing = !isToldFailing && isReceiverFailing(record);
    const recovers = isToldFailing === 1 && hasReceiverRecovered(record);
    if (!becomesFailing && !recovers) return [];
    setToldFailing.run(becomesFailing ? 1 : null, botKey);
    const about = aboutBot(botId, username, ownerUserId);
    return becomesFailing
      ? appendToFeed("webhook.failing", { ...about, last_delivery_error: change.lastError }, undefined)
      : appendToFeed("webhook.recovered", about, undefined);
  };

  /** Records only what the earlier webhook accepted before it was changed; all its other updates stay due. */
  const recordEarlier = ({ botKey, webhookChangedAt }: BotRow, { attempts }: LaneOutcomes): void => {
    const accepted = attempts.filter(
      (attempt) => !attempt.failure && endOfAttempt(attempt) < webhookChangedAt,
    );
    if (accepted.length === 0) return;
    const change = recordAll(botKey, accepted);
    const { scheduled, delivered, failed, skipped, lastAttemptedAt, lastDeliveredAt } = change;
    countEarlier.run(scheduled, delivered, failed, lastAttemptedAt, lastDeliveredAt, botKey, skipped);
  };

  const recordLane = (lane: LaneOutcomes): LogHead[] => {
    const bot = selectBot.get(lane.botId) as BotRow | undefined;
    if (!bot) return [];
    let heads: LogHead[] = [];
    if (lane.webhookVersion === bot.webhookVersion) heads = recordCurrent(bot, lane);
    else recordEarlier(bot, lane);
    if (lane.minutes) countMinutes(bot.botKey, lane.minutes);
    return heads;
  };

  return {
    recordAttempts: (lanes) => ({ result: undefined, heads: lanes.flatMap(recordLane) }),
  };
}

/** Takes an update out of the counter of the state it was in; pending ones are not counted but computed. */
function leaveState({ state, isRequeued }: UpdateRow, change: LaneChange): void {
  if (isRequeued) return;
  if (state === STATE_CODE.scheduled) change.scheduled -= 1;
  else if (state === STATE_CODE.failed) change.failed -= 1;
  else if (state === STATE_CODE.delivered) change.delivered -= 1;
  else if (state === STATE_CODE.skipped) change.skipped -= 1;
}
