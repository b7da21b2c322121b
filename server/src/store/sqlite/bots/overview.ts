import { type OverviewMinute, startOfOverview } from "../../../domain/bots/overview.js";
import { overviewOf } from "../../shared/rows/overview-row.js";
import type { Database } from "../binding.js";
import { OLDEST_PENDING_AT } from "../delivery/oldest-pending.js";
import { SLOWEST_CONSUMER_LAG, WAITING_UPDATES } from "../logs/counters.js";
import type { Verbs } from "../verbs.js";
import { BOT, ON_PAGE, pageValues } from "./bots.js";

export function overviewVerbs(db: Database): Pick<Verbs, "listOverviews"> {
  const selectOverviews = db.prepare(`
    SELECT ${BOT}, log.channel_count AS attachedChannels, dest.failed_count AS failedUpdates,
      ${WAITING_UPDATES} - dest.scheduled_count AS pendingUpdates, dest.scheduled_count AS scheduledRetries,
      dest.paused_at AS pausedAt,
      dest.failing_since AS failingSince, dest.last_error AS lastError, dest.last_attempted_at AS lastAttemptedAt,
      (SELECT max(c.last_polled_at) FROM consumers c WHERE c.bot_key = b.bot_key) AS lastPolledAt,
      ${SLOWEST_CONSUMER_LAG} AS slowestConsumerLag,
      ${OLDEST_PENDING_AT} AS oldestPendingAt,
      (SELECT json_group_array(json_array(t.starts_at, t.delivered, t.retried + t.failed)) FROM timeline t
        WHERE t.destination_key = b.bot_key AND t.starts_at >= ?5) AS minutes
    FROM bots b JOIN lanes log USING (bot_key) JOIN destinations dest ON dest.destination_key = b.bot_key
    WHERE (?6 IS NULL OR b.id = ?6) AND ${ON_PAGE}`);

  return {
    listOverviews(ownerUserId, now, page, botId) {
      const start = startOfOverview(now);
      const values = [...pageValues(ownerUserId, page), start, botId ?? null];
      const rows = selectOverviews.all(...values) as { minutes: string }[];
      return rows.map(({ minutes, ...row }) =>
        overviewOf(row, JSON.parse(minutes) as OverviewMinute[], start),
      );
    },
  };
}
