import type { ConsumerPosition } from "../../domain/consumer.js";
import type { Slice } from "../../domain/page.js";
import type { Update } from "../../domain/update.js";
import { readPage } from "../pages.js";
import type { Store } from "../store.js";
import { DEFERRED, type InBatches, LOOK_UPS_PER_BATCH } from "./batcher.js";
import { type Database, type Statement, uuid } from "./connection.js";

type LogReadVerbs = Pick<Store, "readUpdates" | "readConsumed">;

/** A slice of a bot's updates: up to `limit`, and up to `maxBytes` of payloads. */
interface LogRead {
  botId: string;
  limit: number;
  maxBytes: number;
}

/** A slice of the updates numbered above `offset`. */
interface UpdateRead extends LogRead {
  offset: number;
  /** Whether it is the first slice of its page. */
  isFirst: boolean;
}

/** The first slice after a consumer's position. */
interface ConsumedSliceRead extends LogRead {
  name: string;
}

/**
 * Rows that the reads of one statement may return together, about 10 ms of work. Without this limit a statement for 120
 * pollers of the largest posts took so long that the server cancelled it, and other callers in its batch got 503. The
 * rows are divided among the reads.
 */
const STATEMENT_ROWS = 2_000;
const STATEMENT_BYTES = 512 * 1024;
/** A read gets its share of the rows, but at least these: most reads of a large batch return one row each. */
const MIN_ROWS_PER_READ = 4;

/** The updates of `b` above `offset`, `r.row_limit` of them. */
const updatesAbove = (offset: string) => `
            SELECT u.update_id AS "updateId", p.event_type AS "eventType", p.payload, p.created_at AS "createdAt",
              octet_length(p.payload) AS size
            FROM updates u JOIN posts p USING (post_key)
            WHERE u.bot_key = b.bot_key AND u.update_id > ${offset} ORDER BY u.update_id LIMIT r.row_limit`;

/**
 * Leaves out payloads that exceed the bytes of the read ($4) or of the statement ($5); the first one is always
 * returned.
 *
 * @param columns further ones of a read `r` and its bot `b`, which `more` selects
 * @param reads rows of `r`, `b` and the updates `d`
 */
const selectFitting = (columns: string, more: string, reads: string) => `
    SELECT ordinal, "updateId", "eventType", "createdAt", CASE WHEN fits AND (total <= $5 OR total = size) THEN payload END AS payload${more}
    FROM (
      SELECT *, sum(CASE WHEN fits THEN size ELSE 0 END) OVER in_order AS total
      FROM (
        SELECT *, own <= max_bytes OR own = size AS fits
        FROM (
          SELECT r.n AS ordinal, d.*, r.max_bytes,
            sum(d.size) OVER (PARTITION BY r.n ORDER BY d."updateId" ROWS UNBOUNDED PRECEDING) AS own${columns}
          FROM ${reads}) found
        ) fitting
      WINDOW in_order AS (ORDER BY ordinal, "updateId" ROWS UNBOUNDED PRECEDING)) counted
    ORDER BY ordinal, "updateId"`;

const SELECT_UPDATES: Statement = {
  name: "select-updates",
  text: selectFitting(
    "",
    "",
    `unnest($1::uuid[], $2::bigint[], $3::integer[], $4::integer[])
            WITH ORDINALITY AS r (bot_id, after_id, row_limit, max_bytes, n)
          JOIN bots b ON b.id = r.bot_id
          CROSS JOIN LATERAL (${updatesAbove("r.after_id")}) d`,
  ),
};
/** A consumer without updates above it has one row without an update; only a consumer's first row has its position. */
const SELECT_CONSUMED: Statement = {
  name: "select-consumed",
  text: selectFitting(
    `, c.position, c.done, row_number() OVER (PARTITION BY r.n ORDER BY d."updateId") = 1 AS is_first`,
    `, CASE WHEN is_first THEN position END AS position, CASE WHEN is_first THEN to_json(done) END AS done`,
    `unnest($1::uuid[], $2::text[], $3::integer[], $4::integer[])
            WITH ORDINALITY AS r (bot_id, name, row_limit, max_bytes, n)
          JOIN bots b ON b.id = r.bot_id
          JOIN consumers c ON c.bot_key = b.bot_key AND lower(c.name) = r.name
          LEFT JOIN LATERAL (${updatesAbove("c.position")}) d ON true`,
  ),
};

interface FoundUpdate extends Omit<Update, "payload" | "eventType"> {
  eventType: string | null;
  ordinal: number;
  /** Null when it would have exceeded a limit. */
  payload: string | null;
}

interface ConsumedRow extends Omit<FoundUpdate, "updateId"> {
  updateId: number | null;
  position: number | null;
  done: number[] | null;
}

type ConsumedSlice = Slice<Update> & ConsumerPosition;

/** Reads of logs. Concurrent reads share a statement. */
export function logReadVerbs(db: Database, inBatches: InBatches): LogReadVerbs {
  /** A read that finds the statement's budget spent is deferred. */
  const readSlice = inBatches({
    maxItems: LOOK_UPS_PER_BATCH,
    keyOf: ({ botId }: UpdateRead) => botId,
    goesOn: ({ isFirst }: UpdateRead) => !isFirst,
    run: (reads: readonly UpdateRead[]) =>
      db.query<FoundUpdate>(
        SELECT_UPDATES,
        valuesOf(
          reads,
          reads.map(({ offset }) => offset),
        ),
      ),
    resultsOf(rows, reads) {
      const share = rowsPerRead(reads);
      const found = byRead(rows, reads);
      return reads.map(({ limit }, index) => toSlice(found[index] ?? [], limit, share));
    },
  });

  const readConsumedSlice = inBatches({
    maxItems: LOOK_UPS_PER_BATCH,
    keyOf: ({ botId }: ConsumedSliceRead) => botId,
    run: (reads: readonly ConsumedSliceRead[]) =>
      db.query<ConsumedRow>(
        SELECT_CONSUMED,
        valuesOf(
          reads,
          reads.map(({ name }) => name.toLowerCase()),
        ),
      ),
    resultsOf(rows, reads) {
      const share = rowsPerRead(reads);
      const found = byRead(rows, reads);
      return reads.map(({ limit }, index) => toConsumedSlice(found[index] ?? [], limit, share));
    },
  });

  return {
    async readUpdates(botId, offset, limit, maxBytes) {
      const page = await readPage<Update, Slice<Update>>(limit, maxBytes, (left, bytes, last) =>
        readSlice({ botId, offset: last?.updateId ?? offset, limit: left, maxBytes: bytes, isFirst: !last }),
      );
      return page?.items ?? [];
    },
    async readConsumed(botId, name, limit, maxBytes) {
      let from: ConsumerPosition | undefined;
      const page = await readPage<Update, Slice<Update>>(limit, maxBytes, async (left, bytes, last) => {
        if (last)
          return readSlice({ botId, offset: last.updateId, limit: left, maxBytes: bytes, isFirst: false });
        const first = await readConsumedSlice({ botId, name, limit: left, maxBytes: bytes });
        from = first;
        return first;
      });
      return page && from && { position: from.position, done: from.done, updates: page.items };
    },
  };
}

/** @param from for each read the offset, or the consumer's name, after which it reads */
function valuesOf(reads: readonly LogRead[], from: (number | string)[]) {
  return [
    reads.map(({ botId }) => uuid(botId)),
    from,
    reads.map(({ limit }) => Math.min(limit, rowsPerRead(reads))),
    reads.map(({ maxBytes }) => maxBytes),
    STATEMENT_BYTES,
  ];
}

function rowsPerRead(reads: readonly LogRead[]): number {
  return Math.max(MIN_ROWS_PER_READ, Math.floor(STATEMENT_ROWS / reads.length));
}

function byRead<Row extends { ordinal: number }>(rows: readonly Row[], reads: readonly LogRead[]): Row[][] {
  const found: Row[][] = reads.map(() => []);
  for (const row of rows) found[row.ordinal - 1]?.push(row);
  return found;
}

/** @param share the most rows that were read, if that is fewer than `limit` */
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

/** Undefined when there is no such consumer. */
function toConsumedSlice(
  rows: readonly ConsumedRow[],
  limit: number,
  share: number,
): ConsumedSlice | undefined | typeof DEFERRED {
  const { position, done } = rows[0] ?? {};
  if (position == null || done == null) return undefined;
  const slice = toSlice(rows.filter(isUpdate), limit, share);
  return slice === DEFERRED ? DEFERRED : { position, done, ...slice };
}

function isUpdate(row: ConsumedRow): row is ConsumedRow & FoundUpdate {
  return row.updateId !== null;
}
