import { MAX_PAGE_BYTES } from "../../domain/limits.js";
import type { Slice } from "../../domain/page.js";
import type { DeliveryStats, TrackedUpdate, Update } from "../../domain/update.js";
import { readPage } from "../pages.js";
import { present } from "../present.js";
import type { Store } from "../store.js";
import { DEFERRED, type InBatches, LOOK_UPS_PER_BATCH } from "./batcher.js";
import { type Database, type Statement, uuid } from "./connection.js";
import { SLOWEST_CONSUMER_LAG, TOTAL_UPDATES, WAITING_UPDATES } from "./counters.js";
import { OLDEST_PENDING_AT } from "./oldest-pending.js";
import { IS_REQUEUED, IS_SCHEDULED } from "./requeueing.js";
import type { InTurn } from "./turns.js";

type UpdateVerbs = Pick<Store, "readUpdates" | "listRecentUpdates" | "listDeliveryErrors" | "readStats">;

/** A slice of a bot's updates numbered above `offset`: up to `limit`, and up to `maxBytes` of payloads. */
interface UpdateRead {
  botId: string;
  offset: number;
  limit: number;
  maxBytes: number;
  /** Whether it is the first slice of its page. */
  isFirst: boolean;
}

/**
 * What the reads of one statement may return together, about 10 ms of work: with 120 pollers of the largest posts it took so
 * long that the server cancelled it, and callers with nothing to do with them got 503. The rows are divided among the reads.
 */
const STATEMENT_ROWS = 2_000;
const STATEMENT_BYTES = 512 * 1024;
/** A read gets its share of the rows, and at least these: most reads of a large batch return one row each. */
const MIN_ROWS_PER_READ = 4;

/**
 * While a lane rests, a retry that is due is only made at the end of the rest. While a lane is closed no retry has a time.
 *
 * The updates are chosen, newest first, before anything is joined to them: else the planner reads and sorts the bot's
 * whole log. Payloads beyond `maxBytes` in all are neither read nor sent; their length is known without them.
 */
export const tracked = (rows: string, order = "u.update_id DESC", maxBytes = "$4") => `
  SELECT "updateId", "eventType", payload, "createdAt", state, "attemptCount", "lastAttemptedAt", "deliveredAt", "lastError",
    "nextRetryAt", found
  FROM (
  SELECT u.update_id AS "updateId", p.event_type AS "eventType", p.payload, p.created_at AS "createdAt",
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
    SELECT event_type, created_at, payload FROM posts WHERE post_key = u.post_key OFFSET 0) p
  WHERE l.bot_key = (SELECT bot_key FROM bots WHERE id = $1)
  WINDOW in_order AS (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)) page
  WHERE bytes <= ${maxBytes} OR bytes = octet_length(payload)
  ORDER BY ordinal`;

/** The newest updates `u` below $3 for which a condition holds, $2 of them. */
export const newest = (condition: string) => `
  SELECT u.* FROM updates u WHERE u.bot_key = l.bot_key AND u.update_id < $3 AND ${condition}
  ORDER BY u.update_id DESC LIMIT $2`;

/** Above every number of an update. */
export const ABOVE_ALL = Number.MAX_SAFE_INTEGER;

/** Without the payload where it exceeds what the read ($4) or the statement ($5) may return; the first one is always there. */
const SELECT_UPDATES: Statement = {
  name: "select-updates",
  text: `
    SELECT ordinal, "updateId", "eventType", "createdAt", CASE WHEN fits AND (total <= $5 OR total = size) THEN payload END AS payload
    FROM (
      SELECT *, sum(CASE WHEN fits THEN size ELSE 0 END) OVER in_order AS total
      FROM (
        SELECT *, own <= max_bytes OR own = size AS fits
        FROM (
          SELECT r.n AS ordinal, d.*, r.max_bytes,
            sum(d.size) OVER (PARTITION BY r.n ORDER BY d."updateId" ROWS UNBOUNDED PRECEDING) AS own
          FROM unnest($1::uuid[], $2::bigint[], $3::integer[], $4::integer[])
            WITH ORDINALITY AS r (bot_id, after_id, row_limit, max_bytes, n)
          JOIN bots b ON b.id = r.bot_id
          CROSS JOIN LATERAL (
            SELECT u.update_id AS "updateId", p.event_type AS "eventType", p.payload, p.created_at AS "createdAt",
              octet_length(p.payload) AS size
            FROM updates u JOIN posts p USING (post_key)
            WHERE u.bot_key = b.bot_key AND u.update_id > r.after_id ORDER BY u.update_id LIMIT r.row_limit) d) found
        ) fitting
      WINDOW in_order AS (ORDER BY ordinal, "updateId" ROWS UNBOUNDED PRECEDING)) counted
    ORDER BY ordinal, "updateId"`,
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

/** The rows of a statement of {@link tracked}, and whether it found more than fitted. */
export function pageOf(rows: readonly unknown[]): { items: TrackedUpdate[]; isCut: boolean } {
  let most = 0;
  const items = rows.map((row) => {
    const { found, ...update } = present<TrackedUpdate & { found: number }>(row);
    most = found;
    return update;
  });
  return { items, isCut: items.length < most };
}

interface FoundUpdate extends Omit<Update, "payload" | "eventType"> {
  eventType: string | null;
  ordinal: number;
  /** Null when it would have exceeded a limit. */
  payload: string | null;
}

function rowsPerRead(reads: readonly UpdateRead[]): number {
  return Math.max(MIN_ROWS_PER_READ, Math.floor(STATEMENT_ROWS / reads.length));
}

/** @param share the most rows that were looked for, if that is fewer than `limit` */
function toSlice(
  found: readonly FoundUpdate[],
  limit: number,
  share: number,
): Slice<Update> | typeof DEFERRED {
  const items: Update[] = [];
  let bytes = 0;
  for (const { updateId, eventType, payload, createdAt } of found) {
    if (payload === null) return items.length === 0 ? DEFERRED : { items, bytes, isCut: true };
    items.push(
      eventType === null ? { updateId, payload, createdAt } : { updateId, eventType, payload, createdAt },
    );
    bytes += Buffer.byteLength(payload);
  }
  return { items, bytes, isCut: items.length === share && share < limit };
}

export function updateVerbs(db: Database, inBatches: InBatches, inTurn: InTurn): UpdateVerbs {
  /** A read that finds the statement's budget spent is deferred. */
  const readSlice = inBatches({
    maxItems: LOOK_UPS_PER_BATCH,
    keyOf: ({ botId }: UpdateRead) => botId,
    goesOn: ({ isFirst }: UpdateRead) => !isFirst,
    run: (reads: readonly UpdateRead[]) =>
      db.query<FoundUpdate>(SELECT_UPDATES, [
        reads.map(({ botId }) => uuid(botId)),
        reads.map(({ offset }) => offset),
        reads.map(({ limit }) => Math.min(limit, rowsPerRead(reads))),
        reads.map(({ maxBytes }) => maxBytes),
        STATEMENT_BYTES,
      ]),
    resultsOf(rows, reads) {
      const share = rowsPerRead(reads);
      const found: FoundUpdate[][] = reads.map(() => []);
      for (const row of rows) found[row.ordinal - 1]?.push(row);
      return reads.map(({ limit }, index) => toSlice(found[index] ?? [], limit, share));
    },
  });

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
    async readUpdates(botId, offset, limit, maxBytes) {
      const page = await readPage<Update, Slice<Update>>(limit, maxBytes, (left, bytes, last) =>
        readSlice({ botId, offset: last?.updateId ?? offset, limit: left, maxBytes: bytes, isFirst: !last }),
      );
      return page?.items ?? [];
    },
    listRecentUpdates: (...parameters) => inTurn(() => listTracked(SELECT_RECENT, ...parameters)),
    listDeliveryErrors: (...parameters) => inTurn(() => listErrors(...parameters)),
    async readStats({ botId, ownerUserId }) {
      const [row] = await db.query(SELECT_STATS, [uuid(botId), ownerUserId]);
      return row ? present<DeliveryStats>(row) : undefined;
    },
  };
}
