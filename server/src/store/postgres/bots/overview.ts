import { type OverviewMinute, startOfOverview } from "../../../domain/bots/overview.js";
import { overviewOf } from "../../shared/rows/overview-row.js";
import type { Store } from "../../store.js";
import { type Database, type Statement, uuid } from "../connection/connection.js";
import { OLDEST_PENDING_AT } from "../delivery/oldest-pending.js";
import { SLOWEST_CONSUMER_LAG, WAITING_UPDATES } from "../logs/counters.js";
import { BOT, ON_PAGE, pageValues } from "./bots.js";

const SELECT_OVERVIEWS: Statement = {
  name: "select-overviews",
  text: `
    SELECT ${BOT}, log.channel_count AS "attachedChannels", dest.failed_count AS "failedUpdates",
      ${WAITING_UPDATES} - dest.scheduled_count AS "pendingUpdates", dest.scheduled_count AS "scheduledRetries",
      dest.paused_at AS "pausedAt",
      dest.failing_since AS "failingSince", dest.last_error AS "lastError", dest.last_attempted_at AS "lastAttemptedAt",
      (SELECT max(c.last_polled_at) FROM consumers c WHERE c.bot_key = b.bot_key) AS "lastPolledAt",
      ${SLOWEST_CONSUMER_LAG} AS "slowestConsumerLag",
      ${OLDEST_PENDING_AT} AS "oldestPendingAt",
      coalesce((SELECT json_agg(json_build_array(t.starts_at, t.delivered, t.retried + t.failed)) FROM timeline t
        WHERE t.destination_key = b.bot_key AND t.starts_at >= $5), '[]') AS minutes
    FROM bots b JOIN lanes log USING (bot_key) JOIN destinations dest ON dest.destination_key = b.bot_key
    WHERE ($6::uuid IS NULL OR b.id = $6) AND ${ON_PAGE}`,
};

export function overviewVerbs(db: Database): Pick<Store, "listOverviews"> {
  return {
    async listOverviews(ownerUserId, now, page, botId) {
      const start = startOfOverview(now);
      const only = botId === undefined ? null : uuid(botId);
      // Not a UUID, so no bot has it; null would select all bots.
      if (botId !== undefined && only === null) return [];
      const rows = await db.query<{ minutes: OverviewMinute[] }>(SELECT_OVERVIEWS, [
        ...pageValues(ownerUserId, page),
        start,
        only,
      ]);
      return rows.map(({ minutes, ...row }) => overviewOf(row, minutes, start));
    },
  };
}
