import { startOfOverview } from "../../domain/overview.js";
import { overviewOf } from "../overview-row.js";
import type { Store } from "../store.js";
import { BOT, ON_PAGE, pageValues } from "./bots.js";
import type { Database, Statement } from "./connection.js";
import { WAITING_UPDATES } from "./counters.js";
import { OLDEST_PENDING_AT } from "./oldest-pending.js";

const SELECT_OVERVIEWS: Statement = {
  name: "select-overviews",
  text: `
    SELECT ${BOT}, l.channel_count AS "attachedChannels", l.failed_count AS "failedUpdates",
      ${WAITING_UPDATES} - l.scheduled_count AS "pendingUpdates", l.scheduled_count AS "scheduledRetries",
      b.webhook_paused_at AS "pausedAt",
      l.failing_since AS "failingSince", ${OLDEST_PENDING_AT} AS "oldestPendingAt",
      coalesce((SELECT json_agg(json_build_array(t.starts_at, t.delivered)) FROM timeline t
        WHERE t.bot_key = b.bot_key AND t.starts_at >= $5), '[]') AS minutes
    FROM bots b JOIN lanes l USING (bot_key) WHERE ${ON_PAGE}`,
};

export function overviewVerbs(db: Database): Pick<Store, "listOverviews"> {
  return {
    async listOverviews(ownerUserId, now, page) {
      const start = startOfOverview(now);
      const rows = await db.query<{ minutes: [number, number][] }>(SELECT_OVERVIEWS, [
        ...pageValues(ownerUserId, page),
        start,
      ]);
      return rows.map(({ minutes, ...row }) => overviewOf(row, minutes, start));
    },
  };
}
