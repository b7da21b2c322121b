import type { DeliveryStats, TrackedUpdate } from "../../../domain/events/update.js";
import { MAX_PAGE_BYTES } from "../../../domain/limits.js";
import { omitNulls } from "../../omit-nulls.js";
import type { Store } from "../../store.js";
import { type Database, type Statement, uuid } from "../connection/connection.js";
import type { InTurn } from "../connection/turns.js";
import { OLDEST_PENDING_AT } from "../delivery/oldest-pending.js";
import { IS_REQUEUED, IS_SCHEDULED } from "../delivery/requeueing.js";
import { SLOWEST_CONSUMER_LAG, TOTAL_UPDATES, WAITING_UPDATES } from "./counters.js";

type UpdateVerbs = Pick<Store, "listRecentUpdates" | "listDeliveryErrors" | "readStats">;

/**
 * While a lane rests, a due retry is made at the end of the rest. While a lane is closed, no retry has a time.
 *
 * The updates are chosen, newest first, before anything is joined to them; otherwise the planner reads and sorts the
 * bot's whole log. Payloads beyond `maxBytes` are neither read nor sent: PostgreSQL knows their length without reading
 * them.
 */
export const tracked = (rows: string, order = "u.update_id DESC", maxBytes = "$4") => `
  SELECT "updateId", "eventType", "channelId", payload, "createdAt", state, "attemptCount", "lastAttemptedAt", "deliveredAt", "lastError",
    "nextRetryAt", found
  FROM (
  SELECT u.update_id AS "updateId", p.event_type AS "eventType", p.payload, p.created_at AS "createdAt",
    (SELECT c.id FROM channels c WHERE c.channel_key = abs(p.channel_key)) AS "channelId",
    CASE WHEN u.delivered_at IS NOT NULL THEN 'delivered' WHEN u.is_skipped THEN 'skipped'
      WHEN NOT u.is_failing THEN 'pending'
      WHEN u.due_at IS NULL THEN 'failed' WHEN ${IS_REQUEUED} THEN 'pending' ELSE 'scheduled' END AS state,
    u.attempt_count AS "attemptCount", u.last_attempted_at AS "lastAttemptedAt", u.delivered_at AS "deliveredAt",
    coalesce(u.last_error, '') AS "lastError",
    CASE WHEN ${IS_SCHEDULED} AND l.is_open THEN greatest(u.due_at, l.resting_until) END AS "nextRetryAt",
    row_number() OVER in_order AS ordinal, sum(octet_length(p.payload)) OVER in_order AS bytes, count(*) OVER () AS found
  FROM lanes l
  CROSS JOIN LATERAL (${rows}) u
  CROSS JOIN LATERAL (
    SELECT event_type, channel_key, created_at, payload FROM posts WHERE post_key = u.post_key OFFSET 0) p
  WHERE l.bot_key = (SELECT bot_key FROM bots WHERE id = $1)
  WINDOW in_order AS (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)) page
  WHERE bytes <= ${maxBytes} OR bytes = octet_length(payload)
  ORDER BY ordinal`;

/** The newest updates `u` below $3 for which a condition holds, $2 of them. */
export const newest = (condition: string) => `
  SELECT u.* FROM updates u WHERE u.bot_key = l.bot_key AND u.update_id < $3 AND ${condition}
  ORDER BY u.update_id DESC LIMIT $2`;

/** Above every update number. */
export const ABOVE_ALL = Number.MAX_SAFE_INTEGER;

const SELECT_RECENT: Statement = {
  name: "select-recent",
  text: tracked(newest("true")),
};
const SELECT_ERRORS: Statement = {
  name: "select-errors",
  text: tracked(
    `SELECT u.* FROM updates u
    WHERE u.bot_key = l.bot_key AND u.last_failed_at IS NOT NULL AND (u.last_failed_at, u.update_id) < ($3, $4)
    ORDER BY u.last_failed_at DESC, u.update_id DESC LIMIT $2`,
    "u.last_failed_at DESC, u.update_id DESC",
    "$5",
  ),
};
const SELECT_FAILED_AT: Statement = {
  name: "select-failed-at",
  text: `
    SELECT last_failed_at AS "failedAt" FROM updates
    WHERE bot_key = (SELECT bot_key FROM bots WHERE id = $1) AND update_id = $2 AND last_failed_at IS NOT NULL`,
};
const SELECT_STATS: Statement = {
  name: "select-stats",
  text: `
    SELECT ${TOTAL_UPDATES} AS total, ${WAITING_UPDATES} - l.scheduled_count AS pending,
      l.scheduled_count AS scheduled, l.delivered_count AS delivered, l.failed_count AS failed,
      l.skipped_count AS skipped, l.channel_count AS "attachedChannels", ${OLDEST_PENDING_AT} AS "oldestPendingAt",
      l.last_update_at AS "lastUpdateAt", ${SLOWEST_CONSUMER_LAG} AS "slowestConsumerLag",
      greatest(l.last_attempted_at, l.earlier_attempted_at) AS "lastAttemptedAt",
      greatest(l.last_delivered_at, l.earlier_delivered_at) AS "lastDeliveredAt"
    FROM bots b JOIN lanes l USING (bot_key) WHERE b.id = $1 AND b.owner_user_id = $2`,
};

/** The rows of a statement made by {@link tracked}, and whether it found more than fitted. */
export function pageOf(rows: readonly unknown[]): { items: TrackedUpdate[]; isCut: boolean } {
  let most = 0;
  const items = rows.map((row) => {
    const { found, ...update } = omitNulls<TrackedUpdate & { found: number }>(row);
    most = found;
    return update;
  });
  return { items, isCut: items.length < most };
}

export function updateVerbs(db: Database, inTurn: InTurn): UpdateVerbs {
  const listTracked = async (
    statement: Statement,
    botId: string,
    limit: number,
    before = ABOVE_ALL,
    maxBytes = MAX_PAGE_BYTES,
  ) => pageOf(await db.query(statement, [uuid(botId), limit, before, maxBytes])).items;

  const listErrors: Store["listDeliveryErrors"] = async (botId, limit, before, maxBytes = MAX_PAGE_BYTES) => {
    const [last] =
      before === undefined
        ? [{ failedAt: ABOVE_ALL }]
        : await db.query<{ failedAt: number }>(SELECT_FAILED_AT, [uuid(botId), before]);
    if (!last) return undefined;
    const values = [uuid(botId), limit, last.failedAt, before ?? ABOVE_ALL, maxBytes];
    return pageOf(await db.query(SELECT_ERRORS, values)).items;
  };

  return {
    listRecentUpdates: (...parameters) => inTurn(() => listTracked(SELECT_RECENT, ...parameters)),
    listDeliveryErrors: (...parameters) => inTurn(() => listErrors(...parameters)),
    async readStats({ botId, ownerUserId }) {
      const [row] = await db.query(SELECT_STATS, [uuid(botId), ownerUserId]);
      return row ? omitNulls<DeliveryStats>(row) : undefined;
    },
  };
}
