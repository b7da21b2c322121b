import type { DeliveryStats, TrackedUpdate, Update } from "../../domain/update.js";
import { present } from "../present.js";
import type { Store } from "../store.js";
import { type Database, type Statement, uuid } from "./connection.js";
import { TOTAL_UPDATES, WAITING_UPDATES } from "./counters.js";
import { OLDEST_PENDING_AT } from "./oldest-pending.js";
import { IS_REQUEUED, IS_SCHEDULED } from "./requeueing.js";

type UpdateVerbs = Pick<Store, "listRecentUpdates" | "listDeliveryErrors" | "readStats"> & {
  /** Updates of several bots, in the order of the reads. */
  readUpdatesOf(reads: readonly UpdateRead[]): Promise<Update[][]>;
};

/** A bot's updates numbered above `offset`, up to `limit` of them. */
export interface UpdateRead {
  botId: string;
  offset: number;
  limit: number;
}

/**
 * While a lane rests, a retry that is due waits for the end of the rest: that is when it will really be tried. While a
 * lane is closed no retry has a time.
 *
 * The updates are chosen, newest first, before anything is joined to them: else the planner reads and sorts the bot's
 * whole log.
 */
export const tracked = (rows: string, order = "u.update_id DESC") => `
  SELECT u.update_id AS "updateId", p.payload, p.created_at AS "createdAt",
    CASE WHEN u.delivered_at IS NOT NULL THEN 'delivered' WHEN NOT u.is_failing THEN 'pending'
      WHEN u.due_at IS NULL THEN 'failed' WHEN ${IS_REQUEUED} THEN 'pending' ELSE 'scheduled' END AS state,
    u.attempt_count AS "attemptCount", u.last_attempted_at AS "lastAttemptedAt", u.delivered_at AS "deliveredAt",
    coalesce(u.last_error, '') AS "lastError",
    CASE WHEN ${IS_SCHEDULED} AND l.is_open THEN greatest(u.due_at, l.resting_until) END AS "nextRetryAt"
  FROM lanes l
  CROSS JOIN LATERAL (${rows}) u
  CROSS JOIN LATERAL (
    SELECT created_at, payload FROM posts WHERE post_key = u.post_key OFFSET 0) p
  WHERE l.bot_key = (SELECT bot_key FROM bots WHERE id = $1)
  ORDER BY ${order}`;

/** The newest updates `u` below $3 for which a condition holds, $2 of them. */
export const newest = (condition: string) => `
  SELECT u.* FROM updates u WHERE u.bot_key = l.bot_key AND u.update_id < $3 AND ${condition}
  ORDER BY u.update_id DESC LIMIT $2`;

/** Above every number of an update. */
export const ABOVE_ALL = Number.MAX_SAFE_INTEGER;

const SELECT_UPDATES: Statement = {
  name: "select-updates",
  text: `
    SELECT r.n AS place, d.*
    FROM unnest($1::uuid[], $2::bigint[], $3::integer[]) WITH ORDINALITY AS r (bot_id, after_id, places, n)
    JOIN bots b ON b.id = r.bot_id
    CROSS JOIN LATERAL (
      SELECT u.update_id AS "updateId", p.payload, p.created_at AS "createdAt"
      FROM updates u JOIN posts p USING (post_key)
      WHERE u.bot_key = b.bot_key AND u.update_id > r.after_id ORDER BY u.update_id LIMIT r.places) d
    ORDER BY r.n, d."updateId"`,
};
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
      l.last_update_at AS "lastUpdateAt",
      greatest(l.last_attempted_at, l.earlier_attempted_at) AS "lastAttemptedAt",
      greatest(l.last_delivered_at, l.earlier_delivered_at) AS "lastDeliveredAt"
    FROM bots b JOIN lanes l USING (bot_key) WHERE b.id = $1 AND b.owner_user_id = $2`,
};

export function updateVerbs(db: Database): UpdateVerbs {
  const listTracked = async (statement: Statement, botId: string, limit: number, before = ABOVE_ALL) =>
    (await db.query(statement, [uuid(botId), limit, before])).map(present<TrackedUpdate>);

  return {
    async readUpdatesOf(reads) {
      const rows = await db.query<Update & { place: number }>(SELECT_UPDATES, [
        reads.map(({ botId }) => uuid(botId)),
        reads.map(({ offset }) => offset),
        reads.map(({ limit }) => limit),
      ]);
      const updates: Update[][] = reads.map(() => []);
      for (const { place, ...update } of rows) updates[place - 1]?.push(update);
      return updates;
    },
    listRecentUpdates: (...parameters) => listTracked(SELECT_RECENT, ...parameters),
    async listDeliveryErrors(botId, limit, before) {
      const [last] =
        before === undefined
          ? [{ failedAt: ABOVE_ALL }]
          : await db.query<{ failedAt: number }>(SELECT_FAILED_AT, [uuid(botId), before]);
      if (!last) return undefined;
      const values = [uuid(botId), limit, last.failedAt, before ?? ABOVE_ALL];
      return (await db.query(SELECT_ERRORS, values)).map(present<TrackedUpdate>);
    },
    async readStats({ botId, ownerUserId }) {
      const [row] = await db.query(SELECT_STATS, [uuid(botId), ownerUserId]);
      return row ? present<DeliveryStats>(row) : undefined;
    },
  };
}
