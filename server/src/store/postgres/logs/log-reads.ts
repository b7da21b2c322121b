import type { Slice } from "../../../domain/events/page.js";
import type { Update } from "../../../domain/events/update.js";
import { readPage } from "../../shared/pages.js";
import type { ConsumedRead, Store } from "../../store.js";
import { DEFERRED, type InBatches, LOOK_UPS_PER_BATCH } from "../connection/batcher.js";
import { type Database, integers, type Statement, uuid } from "../connection/connection.js";

type LogReadVerbs = Pick<Store, "readUpdates" | "readConsumed">;

/** A slice of a bot's updates: up to `limit`, and up to `maxBytes` of payloads. */
interface LogRead {
  botId: string;
  /** Above this number, or above the position of the consumer with this name. */
  from: number | string;
  limit: number;
  maxBytes: number;
  /** Whether it is the first slice of its page. */
  isFirst: boolean;
}

/**
 * Rows that reads of one statement may return together, about 10 ms of work. Without this limit a statement for 120
 * pollers of the largest posts took so long that the server cancelled it, and other callers in its batch got 503. The
 * rows are divided among the reads.
 */
const STATEMENT_ROWS = 2_000;
const STATEMENT_BYTES = 512 * 1024;
/** A read gets its share of the rows, but at least these: most reads of a large batch return one row each. */
const MIN_ROWS_PER_READ = 4;

/**
 * For each read its bot $1 and the number $2, or the consumer $3 (null without one), and its most rows $4 and bytes $5.
 * Payloads that exceed the bytes of the read or of the statement ($6) are left out; the first one is always returned.
 *
 * A read of a consumer without updates has one row without an update. Only a read's first row has the position.
 */
const SELECT_UPDATES: Statement = {
  name: "select-updates",
  text: `
    SELECT ordinal, CASE WHEN is_first THEN position END AS position, CASE WHEN is_first THEN to_json(done) END AS done,
      "updateId", "eventType", "createdAt", CASE WHEN fits AND (total <= $6 OR total = size) THEN payload END AS payload
    FROM (
      SELECT *, sum(CASE WHEN fits THEN size ELSE 0 END) OVER (ORDER BY ordinal, "updateId" ROWS UNBOUNDED PRECEDING) AS total
      FROM (
        SELECT *, own <= max_bytes OR own = size AS fits
        FROM (
          SELECT r.n AS ordinal, c.position, c.done, d.*, r.max_bytes,
            row_number() OVER in_order = 1 AS is_first, sum(d.size) OVER in_order AS own
          FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::integer[], $5::integer[])
            WITH ORDINALITY AS r (bot_id, after_id, name, row_limit, max_bytes, n)
          JOIN bots b ON b.id = r.bot_id
          LEFT JOIN LATERAL (
            SELECT position, done FROM consumers WHERE bot_key = b.bot_key AND lower(name) = r.name OFFSET 0) c ON true
          LEFT JOIN LATERAL (
            SELECT e.number AS "updateId", p.event_type AS "eventType", p.payload, p.created_at AS "createdAt",
              octet_length(p.payload) AS size
            FROM entries e JOIN events p ON p.event_key = e.event_key
            WHERE e.log_key = b.bot_key AND e.number > coalesce(c.position, r.after_id)
            ORDER BY e.number LIMIT r.row_limit) d ON true
          WHERE d."updateId" IS NOT NULL AND r.name IS NULL OR c.position IS NOT NULL
          WINDOW in_order AS (PARTITION BY r.n ORDER BY d."updateId" ROWS UNBOUNDED PRECEDING)) found
        ) fitting) counted
    ORDER BY ordinal, "updateId"`,
};

interface FoundUpdate extends Omit<Update, "payload" | "eventType"> {
  eventType: string | null;
  /** Null when it would have exceeded a limit. */
  payload: string | null;
}

type Row = { ordinal: number; position: number | null; done: number[] | null } & (
  | FoundUpdate
  | { updateId: null }
);

/** From where it was read: 0 unless that was a consumer's position. */
type LogSlice = Slice<Update> & Pick<ConsumedRead, "position" | "done">;

/** Reads of logs. Concurrent reads share a statement. */
export function logReadVerbs(db: Database, inBatches: InBatches): LogReadVerbs {
  /** Undefined without updates and without a consumer. A read that finds the statement's budget spent is deferred. */
  const readSlice = inBatches({
    maxItems: LOOK_UPS_PER_BATCH,
    keyOf: ({ botId }: LogRead) => botId,
    goesOn: ({ isFirst }: LogRead) => !isFirst,
    run: (reads: readonly LogRead[]) =>
      db.query<Row>(SELECT_UPDATES, [
        reads.map(({ botId }) => uuid(botId)),
        integers(reads.map(({ from }) => (typeof from === "number" ? from : 0))),
        reads.map(({ from }) => (typeof from === "number" ? null : from.toLowerCase())),
        integers(reads.map(({ limit }) => Math.min(limit, rowsPerRead(reads)))),
        integers(reads.map(({ maxBytes }) => maxBytes)),
        STATEMENT_BYTES,
      ]),
    resultsOf(rows, reads) {
      const share = rowsPerRead(reads);
      const found: Row[][] = reads.map(() => []);
      for (const row of rows) found[row.ordinal - 1]?.push(row);
      return reads.map(({ limit }, index) => toSlice(found[index] ?? [], limit, share));
    },
  });

  const read = async (
    botId: string,
    from: number | string,
    limit: number,
    maxBytes: number | undefined,
  ): Promise<ConsumedRead | undefined> => {
    let first: LogSlice | undefined;
    const page = await readPage<Update, Slice<Update>>(limit, maxBytes, async (left, bytes, last) => {
      const after = last?.updateId ?? from;
      const slice = await readSlice({ botId, from: after, limit: left, maxBytes: bytes, isFirst: !last });
      first ??= slice;
      return slice;
    });
    return page && first && { position: first.position, done: first.done, updates: page.items };
  };

  return {
    readUpdates: async (botId, offset, limit, maxBytes) =>
      (await read(botId, offset, limit, maxBytes))?.updates ?? [],
    readConsumed: read,
  };
}

function rowsPerRead(reads: readonly LogRead[]): number {
  return Math.max(MIN_ROWS_PER_READ, Math.floor(STATEMENT_ROWS / reads.length));
}

/** @param share the most rows that were read, if that is fewer than `limit` */
function toSlice(rows: readonly Row[], limit: number, share: number): LogSlice | undefined | typeof DEFERRED {
  if (!rows[0]) return undefined;
  const at = { position: rows[0].position ?? 0, done: rows[0].done ?? [] };
  const items: Update[] = [];
  let bytes = 0;
  for (const row of rows) {
    if (row.updateId === null) break;
    const { updateId, eventType, payload, createdAt } = row;
    if (payload === null) return items.length === 0 ? DEFERRED : { ...at, items, bytes, isCut: true };
    items.push(
      eventType === null ? { updateId, payload, createdAt } : { updateId, eventType, payload, createdAt },
    );
    bytes += Buffer.byteLength(payload);
  }
  return { ...at, items, bytes, isCut: items.length === share && share < limit };
}
