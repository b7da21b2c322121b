import { startOfOverview } from "../../domain/overview.js";
import { overviewOf } from "../overview-row.js";
import type { Database } from "./binding.js";
import { BOT, ON_PAGE, pageValues } from "./bots.js";
import { WAITING_UPDATES } from "./counters.js";
import { OLDEST_PENDING_AT } from "./oldest-pending.js";
import type { Verbs } from "./verbs.js";

export function overviewVerbs(db: Database): Pick<Verbs, "listOverviews"> {
  const selectOverviews = db.prepare(`
    SELECT ${BOT}, l.channel_count AS attachedChannels, l.failed_count AS failedUpdates,
      ${WAITING_UPDATES} - l.scheduled_count AS pendingUpdates, l.scheduled_count AS scheduledRetries,
      b.webhook_paused_at AS pausedAt,
      l.failing_since AS failingSince, ${OLDEST_PENDING_AT} AS oldestPendingAt,
      (SELECT json_group_array(json_array(t.starts_at, t.delivered)) FROM timeline t
        WHERE t.bot_key = b.bot_key AND t.starts_at >= ?5) AS minutes
    FROM bots b JOIN lanes l USING (bot_key) WHERE ${ON_PAGE}`);

  return {
    listOverviews(ownerUserId, now, page) {
      const start = startOfOverview(now);
      const rows = selectOverviews.all(...pageValues(ownerUserId, page), start) as { minutes: string }[];
      return rows.map(({ minutes, ...row }) => overviewOf(row, JSON.parse(minutes), start));
    },
  };
}
