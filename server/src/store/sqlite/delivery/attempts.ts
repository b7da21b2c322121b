import {
  endOfAttempt,
  hasReceiverRecovered,
  isReceiverFailing,
  type ReceiverRecord,
  trendOf,
} from "../../../domain/delivery/attempt.js";
import type { LaneOutcomes, LogHead } from "../../store.js";
import type { Database } from "../binding.js";
import { aboutWebhook } from "../bots/bots.js";
import { feedEventAppender } from "../feed/feed-events.js";
import type { EventVerbs } from "../verbs.js";
import { deliveryRows } from "./delivery-rows.js";
import { HAS_BOT_ORDER, HAS_CHANNEL_ORDER, MAY_HOLD } from "./held.js";
import { type OutcomeLane, outcomeRecorder } from "./outcomes.js";
import { minuteCounter } from "./timeline.js";

interface DestinationRow extends OutcomeLane {
  botId: string;
  /** Null when the log is no bot's: nobody is told of the webhook for alerts. */
  username: string | null;
  ownerUserId: string;
  name: string;
  isToldFailing: 0 | 1;
  webhookVersion: number;
  webhookChangedAt: number;
}

export function attemptVerbs(db: Database): Pick<EventVerbs, "recordAttempts"> {
  const selectDestination = db.prepare(`
    SELECT dest.destination_key AS destinationKey, dest.log_key AS logKey, b.id AS botId, b.username,
      b.owner_user_id AS ownerUserId, dest.name, dest.told_failing IS 1 AS isToldFailing,
      dest.version AS webhookVersion, dest.changed_at AS webhookChangedAt, dest.round,
      dest.skip_through AS skipThrough, dest.skip_round AS skipRound, ${HAS_CHANNEL_ORDER} AS hasChannelOrder, ${HAS_BOT_ORDER} AS hasBotOrder,
      ${MAY_HOLD} AS mayHold
    FROM destinations dest LEFT JOIN bots b ON b.bot_key = dest.log_key WHERE dest.id = ?`);
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
  const { moveOn } = deliveryRows(db);
  const countNotSent = db.prepare(`
    UPDATE destinations SET scheduled_count = scheduled_count + ?, skipped_count = skipped_count + ?,
      next_fresh_number = max(next_fresh_number, ?)
    WHERE destination_key = ?`);
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
  const recordCurrent = (
    destination: DestinationRow,
    { attempts, nextFreshId, rest }: LaneOutcomes,
  ): LogHead[] => {
    const { destinationKey, isToldFailing } = destination;
    if (attempts.length === 0) {
      moveOn(destinationKey, nextFreshId);
      return [];
    }
    const change = recordAll(destination, attempts);
    if (attempts.every(({ notSent }) => notSent)) {
      countNotSent.run(change.scheduled, change.skipped, nextFreshId, destinationKey);
      return [];
    }
    const { hasAccepted, failingSince, failuresInRow, lastFailureAt = 0 } = trendOf(attempts);
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
      destinationKey,
      change.skipped,
      failuresInRow,
      lastFailureAt,
      rest?.until ?? 0,
      rest?.generation ?? null,
    ) as ReceiverRecord;
    const becomesFailing = !isToldFailing && isReceiverFailing(record);
    const recovers = isToldFailing === 1 && hasReceiverRecovered(record);
    if (!becomesFailing && !recovers) return [];
    setToldFailing.run(becomesFailing ? 1 : null, destinationKey);
    const { username } = destination;
    if (username === null) return [];
    const about = aboutWebhook({ ...destination, username });
    return becomesFailing
      ? appendToFeed("webhook.failing", { ...about, last_delivery_error: change.lastError }, undefined)
      : appendToFeed("webhook.recovered", about, undefined);
  };

  /** Records only what the earlier webhook accepted before it was changed; all its other updates stay due. */
  const recordEarlier = (destination: DestinationRow, { attempts }: LaneOutcomes): void => {
    const { destinationKey, webhookChangedAt } = destination;
    const accepted = attempts.filter(
      (attempt) => !attempt.failure && !attempt.notSent && endOfAttempt(attempt) < webhookChangedAt,
    );
    if (accepted.length === 0) return;
    const change = recordAll(destination, accepted);
    const { scheduled, delivered, failed, skipped, lastAttemptedAt, lastDeliveredAt } = change;
    countEarlier.run(scheduled, delivered, failed, lastAttemptedAt, lastDeliveredAt, destinationKey, skipped);
  };

  const recordLane = (lane: LaneOutcomes): LogHead[] => {
    const destination = selectDestination.get(lane.destinationId) as DestinationRow | undefined;
    if (!destination) return [];
    let heads: LogHead[] = [];
    if (lane.webhookVersion === destination.webhookVersion) heads = recordCurrent(destination, lane);
    else recordEarlier(destination, lane);
    if (lane.minutes) countMinutes(destination.destinationKey, lane.minutes);
    return heads;
  };

  return {
    recordAttempts: (lanes) => ({ result: undefined, heads: lanes.flatMap(recordLane) }),
  };
}
