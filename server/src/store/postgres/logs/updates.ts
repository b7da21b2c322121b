import type { DeliveryStats, TrackedUpdate } from "../../../domain/events/update.js";
import { MAX_PAGE_BYTES } from "../../../domain/limits.js";
import { timesAt } from "../../shared/accepted-runs.js";
import { omitNulls } from "../../shared/omit-nulls.js";
import type { Store } from "../../store.js";
import { IS_THERE, webhookKey } from "../bots/destinations.js";
import { type Database, type Statement, uuid } from "../connection/connection.js";
import type { InTurn } from "../connection/turns.js";
import { OLDEST_PENDING_AT } from "../delivery/oldest-pending.js";
import { SLOWEST_CONSUMER_LAG, TOTAL_UPDATES, WAITING_UPDATES } from "./counters.js";

type UpdateVerbs = Pick<Store, "listRecentUpdates" | "listDeliveryErrors" | "readStats">;

/**
 * One page of updates `u`. While a lane rests, a due retry is made at the end of the rest. While a lane is closed, no retry has a
 * time.
 *
 * The updates are chosen, newest first, before anything is joined to them; otherwise the planner reads and sorts the
 * bot's whole log. Payloads beyond `maxBytes` are neither read nor sent: PostgreSQL knows their length without reading
 * them.
 *
 * @param rows SQL of updates at the destination `dest` with its lane `l`: `number`, `event_key`, and the columns of the row of deliveries that covers it,
 *   which are null when there is none
 */
export const tracked = (rows: string, order = "u.number DESC", maxBytes = "$4") => `
  SELECT "updateId", "eventType", "channelId", payload, "createdAt", state, "attemptCount", "lastAttemptedAt", "deliveredAt", "lastError",
    "nextRetryAt", times, "indexInRun", found
  FROM (
  SELECT u.number AS "updateId", p.event_type AS "eventType", p.payload, p.created_at AS "createdAt",
    (SELECT c.id FROM channels c WHERE c.channel_key = p.channel_key) AS "channelId",
    CASE u.state WHEN 2 THEN 'delivered' WHEN 3 THEN 'failed' WHEN 4 THEN 'skipped'
      ELSE CASE WHEN u.round = dest.round THEN 'scheduled' ELSE 'pending' END END AS state,
    coalesce(u.attempt_count, 0) AS "attemptCount", u.last_attempted_at AS "lastAttemptedAt", u.delivered_at AS "deliveredAt",
    coalesce(u.last_error, '') AS "lastError", u.times, (u.number - u.first_number)::integer AS "indexInRun",
    CASE WHEN u.round = dest.round AND l.is_open THEN greatest(u.due_at, dest.resting_until) END AS "nextRetryAt",
    row_number() OVER in_order AS ordinal, sum(octet_length(p.payload)) OVER in_order AS bytes, count(*) OVER () AS found
  FROM destinations dest
  JOIN lanes l ON l.bot_key = dest.destination_key
  CROSS JOIN LATERAL (${rows}) u
  CROSS JOIN LATERAL (
    SELECT event_type, channel_key, created_at, payload FROM events WHERE event_key = u.event_key OFFSET 0) p
  WHERE dest.id = $1
  WINDOW in_order AS (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)) page
  WHERE bytes <= ${maxBytes} OR bytes = octet_length(payload)
  ORDER BY ordinal`;

/** The event of a row `d` of one number, at the destination `dest`. */
export const WITH_EVENT = `
    CROSS JOIN LATERAL (
      SELECT number, event_key FROM entries WHERE log_key = dest.log_key AND number = d.first_number OFFSET 0) e`;

/** Above every update number. */
export const ABOVE_ALL = Number.MAX_SAFE_INTEGER;

const SELECT_RECENT: Statement = {
  name: "select-recent",
  text: tracked(`
    SELECT e.number, e.event_key, d.* FROM (
      SELECT number, event_key FROM entries WHERE log_key = dest.log_key AND number < $3 ORDER BY number DESC LIMIT $2) e
    LEFT JOIN LATERAL (
      SELECT * FROM deliveries WHERE destination_key = dest.destination_key AND first_number <= e.number
      ORDER BY first_number DESC LIMIT 1) d ON d.last_number >= e.number`),
};
const SELECT_ERRORS: Statement = {
  name: "select-errors",
  text: tracked(
    `
    SELECT e.number, e.event_key, d.* FROM (
      SELECT * FROM deliveries
      WHERE destination_key = dest.destination_key AND last_failed_at IS NOT NULL AND (last_failed_at, first_number) < ($3, $4)
      ORDER BY last_failed_at DESC, first_number DESC LIMIT $2) d ${WITH_EVENT}`,
    "u.last_failed_at DESC, u.number DESC",
    "$5",
  ),
};
/** OFFSET 0 keeps the planner from the index of all failures, in which it would look through all of a bot's. */
const SELECT_FAILED_AT: Statement = {
  name: "select-failed-at",
  text: `
    SELECT last_failed_at AS "failedAt" FROM (
      SELECT last_failed_at FROM deliveries
      WHERE destination_key = (SELECT destination_key FROM destinations WHERE id = $1) AND first_number = $2 OFFSET 0) d
    WHERE last_failed_at IS NOT NULL`,
};
const SELECT_STATS: Statement = {
  name: "select-stats",
  text: `
    SELECT ${TOTAL_UPDATES} AS total, ${WAITING_UPDATES} - dest.scheduled_count AS pending,
      dest.scheduled_count AS scheduled, dest.delivered_count AS delivered, dest.failed_count AS failed,
      dest.skipped_count AS skipped, log.channel_count AS "attachedChannels", ${OLDEST_PENDING_AT} AS "oldestPendingAt",
      log.last_update_at AS "lastUpdateAt", ${SLOWEST_CONSUMER_LAG} AS "slowestConsumerLag",
      greatest(dest.last_attempted_at, dest.earlier_attempted_at) AS "lastAttemptedAt",
      greatest(dest.last_delivered_at, dest.earlier_delivered_at) AS "lastDeliveredAt"
    FROM bots b JOIN lanes log USING (bot_key) JOIN destinations dest ON dest.log_key = b.bot_key AND lower(dest.name) = $3
    WHERE b.id = $1 AND b.owner_user_id = $2 AND ${IS_THERE}`,
};

type TrackedRow = TrackedUpdate & { found: number; times?: string; indexInRun?: number };

/** The rows of a statement made by {@link tracked}, and whether it found more than fitted. */
export function pageOf(rows: readonly unknown[]): { items: TrackedUpdate[]; isCut: boolean } {
  let most = 0;
  const items = rows.map((row) => {
    const { found, times, indexInRun = 0, ...update } = omitNulls<TrackedRow>(row);
    most = found;
    if (times === undefined) return update;
    const { attemptedAt, deliveredAt } = timesAt(times, indexInRun);
    return { ...update, lastAttemptedAt: attemptedAt, deliveredAt };
  });
  return { items, isCut: items.length < most };
}

export function updateVerbs(db: Database, inTurn: InTurn): UpdateVerbs {
  const listTracked = async (
    statement: Statement,
    destinationId: string,
    limit: number,
    before = ABOVE_ALL,
    maxBytes = MAX_PAGE_BYTES,
  ) => pageOf(await db.query(statement, [uuid(destinationId), limit, before, maxBytes])).items;

  const listErrors: Store["listDeliveryErrors"] = async (
    destinationId,
    limit,
    before,
    maxBytes = MAX_PAGE_BYTES,
  ) => {
    const id = uuid(destinationId);
    const [last] =
      before === undefined
        ? [{ failedAt: ABOVE_ALL }]
        : await db.query<{ failedAt: number }>(SELECT_FAILED_AT, [id, before]);
    if (!last) return undefined;
    const values = [id, limit, last.failedAt, before ?? ABOVE_ALL, maxBytes];
    return pageOf(await db.query(SELECT_ERRORS, values)).items;
  };

  return {
    listRecentUpdates: (...parameters) => inTurn(() => listTracked(SELECT_RECENT, ...parameters)),
    listDeliveryErrors: (...parameters) => inTurn(() => listErrors(...parameters)),
    async readStats(ref) {
      const [row] = await db.query(SELECT_STATS, webhookKey(ref));
      return row ? omitNulls<DeliveryStats>(row) : undefined;
    },
  };
}
