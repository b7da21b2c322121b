import {
  endOfAttempt,
  hasReceiverRecovered,
  isReceiverFailing,
  type ReceiverRecord,
  trendOf,
} from "../../../domain/delivery/attempt.js";
import type { LaneOutcomes, LogHead } from "../../store.js";
import type { Database } from "../binding.js";
import { aboutBot } from "../bots/bots.js";
import { feedEventAppender } from "../feed/feed-events.js";
import type { EventVerbs } from "../verbs.js";
import { type OutcomeLane, outcomeRecorder } from "./outcomes.js";
import { minuteCounter } from "./timeline.js";

interface BotRow extends OutcomeLane {
  username: string;
  ownerUserId: string;
  isToldFailing: 0 | 1;
  webhookVersion: number;
  webhookChangedAt: number;
}

export function attemptVerbs(db: Database): Pick<EventVerbs, "recordAttempts"> {
  const selectBot = db.prepare(`
    SELECT b.bot_key AS botKey, b.username, b.owner_user_id AS ownerUserId, dest.told_failing IS 1 AS isToldFailing,
      dest.version AS webhookVersion, dest.changed_at AS webhookChangedAt, dest.round,
      dest.skip_through AS skipThrough, dest.skip_round AS skipRound
    FROM bots b JOIN destinations dest ON dest.destination_key = b.bot_key WHERE b.id = ?`);
  const changeDestination = db.prepare(`
    UPDATE destinations SET
      scheduled_count = scheduled_count + ?1, delivered_count = delivered_count + ?2, failed_count = failed_count + ?3,
      last_attempted_at = max(ifnull(last_attempted_at, 0), ?4),
      last_delivered_at = nullif(max(ifnull(last_delivered_at, 0), ?5), 0),
      last_error = ?6, failing_since = CASE WHEN ?7 THEN ?8 ELSE ifnull(failing_since, ?8) END,
      failures_in_row = CASE WHEN ?7 THEN ?12 ELSE ifnull(failures_in_row, 0) + ?12 END,
      last_failure_at = nullif(max(ifnull(last_failure_at, 0), ?13), 0),
      resting_until = CASE WHEN generation = ?15 THEN ?14 ELSE resting_until END,
      next_fresh_number = max(next_fresh_number, ?9), skipped_count = skipped_count + ?11
    WHERE destination_key = ?10
    RETURNING failing_since AS failingSince, failures_in_row AS failuresInRow, last_failure_at AS lastFailureAt,
      last_delivered_at AS lastDeliveredAt`);
  const setToldFailing = db.prepare("UPDATE destinations SET told_failing = ? WHERE destination_key = ?");
  const moveOn = db.prepare(
    "UPDATE destinations SET next_fresh_number = max(next_fresh_number, ?) WHERE destination_key = ?",
  );
  /** Counts an update that an earlier webhook had accepted. */
  const countEarlier = db.prepare(`
    UPDATE destinations SET
      scheduled_count = scheduled_count + ?1, delivered_count = delivered_count + ?2, failed_count = failed_count + ?3,
      earlier_attempted_at = max(ifnull(earlier_attempted_at, 0), ?4),
      earlier_delivered_at = max(ifnull(earlier_delivered_at, 0), ?5), skipped_count = skipped_count + ?7
    WHERE destination_key = ?6`);
  const recordAll = outcomeRecorder(db);
  const countMinutes = minuteCounter(db);
  const appendToFeed = feedEventAppender(db);

  /** @returns the logs of the feed that grew */
  const recordCurrent = (bot: BotRow, { botId, attempts, nextFreshId, rest }: LaneOutcomes): LogHead[] => {
    const { botKey, username, ownerUserId, isToldFailing } = bot;
    if (attempts.length === 0) {
      moveOn.run(nextFreshId, botKey);
      return [];
    }
    const change = recordAll(bot, attempts);
    const { hasAccepted, failingSince, failuresInRow, lastFailedAt = 0 } = trendOf(attempts);
    const record = changeDestination.get(
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
  const recordEarlier = (bot: BotRow, { attempts }: LaneOutcomes): void => {
    const { botKey, webhookChangedAt } = bot;
    const accepted = attempts.filter(
      (attempt) => !attempt.failure && endOfAttempt(attempt) < webhookChangedAt,
    );
    if (accepted.length === 0) return;
    const change = recordAll(bot, accepted);
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
