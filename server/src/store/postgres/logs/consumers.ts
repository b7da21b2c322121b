import { type ConsumerPosition, isRefusal } from "../../../domain/events/consumer.js";
import { MAX_CONSUMERS_PER_LOG } from "../../../domain/limits.js";
import type { ConsumerStore, MoveIn } from "../../parts/consumer-store.js";
import { FEED, FIRST_FEED_KEY } from "../../parts/feed-store.js";
import { type ConsumerRow, consumerIn, positionIn } from "../../shared/rows/consumer-rows.js";
import { type InBatches, LOOK_UPS_PER_BATCH } from "../connection/batcher.js";
import { type Database, integers, type Statement, type Step, uuid } from "../connection/connection.js";
import { FIRST_WAITING } from "../delivery/waiting.js";
import { LOCK_SWITCH } from "../feed/feed.js";
import { type Asked, consumerMover, isOwn, type LogRow, type ReadRows } from "./consumer-moves.js";

type ConsumerVerbs = Omit<ConsumerStore, "readConsumed">;

/**
 * SQL of the keys of a log: that of a bot, or one for each partition of the feed, counted from 1.
 *
 * @param log SQL of the bot's id as text, or of {@link FEED}
 */
const keysOf = (log: string) => `
      SELECT b.bot_key, 1 AS n, NULL AS feed_id FROM bots b WHERE b.id = nullif(${log}, '${FEED}')::uuid
      UNION ALL
      SELECT f.first_key + p.n - 1, p.n, f.feed_id FROM feed f CROSS JOIN generate_series(1, f.partitions) AS p (n)
      WHERE f.id = 1 AND ${log} = '${FEED}'`;

/** The logs $1 with their rows of the consumers $2, whose columns are null where there is none. */
const SELECT_POSITIONS: Statement = {
  name: "select-consumer-positions",
  text: `
    SELECT r.n AS ordinal, k.bot_key AS "botKey", k.feed_id AS "feedId", l.last_update_id AS head, l.gap_from AS "gapFrom", l.gap_through AS "gapThrough", c.name, c.position,
      to_json(c.done) AS done, c.created_at AS "createdAt", c.last_polled_at AS "lastPolledAt"
    FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS r (log, name, n)
    CROSS JOIN LATERAL (${keysOf("r.log")}) k
    CROSS JOIN LATERAL (SELECT last_update_id, gap_from, gap_through FROM lanes WHERE bot_key = k.bot_key OFFSET 0) l
    LEFT JOIN LATERAL (SELECT * FROM consumers WHERE bot_key = k.bot_key AND lower(name) = r.name OFFSET 0) c ON true
    ORDER BY r.n, k.bot_key`,
};
const SELECT_CONSUMERS: Statement = {
  name: "select-consumers",
  text: `
    SELECT k.feed_id AS "feedId", k.keys, l.last_update_id AS head, l.gap_from AS "gapFrom", l.gap_through AS "gapThrough", c.name, c.position, to_json(c.done) AS done,
      c.created_at AS "createdAt", c.last_polled_at AS "lastPolledAt"
    FROM (SELECT *, count(*) OVER () AS keys FROM (${keysOf("$1::text")}) one) k
    CROSS JOIN LATERAL (SELECT last_update_id, gap_from, gap_through FROM lanes WHERE bot_key = k.bot_key OFFSET 0) l
    CROSS JOIN LATERAL (SELECT * FROM consumers WHERE bot_key = k.bot_key OFFSET 0) c
    ORDER BY c.created_at, c.slot, k.bot_key`,
};
/**
 * The consumers of a log are created one after the other, so that the check of their number is right, and a bot that is
 * being deleted, or a feed that is being switched off, gets none.
 */
const LOCK_BOT: Statement = {
  name: "lock-bot-of-consumers",
  text: "SELECT FROM bots WHERE id = $1 FOR UPDATE",
};
/**
 * $1: the log, $2: the name, $3: the time, $4 and $5: null, or for each of its keys the position and what is done.
 *
 * Without a position the consumer begins at the oldest that is kept; that of a bot after everything that another
 * consumer has handled and that the webhook was sent and need not send again. The lowest that waits in each
 * round is the first entry of an index; all other updates below next_fresh_number are delivered or will not be sent. Expiry moves
 * next_fresh_number too.
 */
const INSERT: Statement = {
  name: "insert-consumer",
  text: `
    WITH k AS MATERIALIZED (${keysOf("$1::text")})
    INSERT INTO consumers (bot_key, slot, name, position, done, created_at)
    SELECT l.bot_key, free.slot, $2::text, coalesce(($4::bigint[])[k.n], CASE
        WHEN l.bot_key >= ${FIRST_FEED_KEY} THEN coalesce(
          (SELECT e.number - 1 FROM entries e WHERE e.log_key = l.bot_key ORDER BY e.number LIMIT 1),
          l.last_update_id)
        ELSE greatest(
          (SELECT max(c.position) FROM consumers c WHERE c.bot_key = l.bot_key),
          (SELECT least(dest.next_fresh_number, (SELECT min(waiting.number) FROM (${FIRST_WAITING}) waiting)) - 1
          FROM destinations dest WHERE dest.destination_key = l.bot_key)) END),
      coalesce(($5::text[])[k.n], '{}')::bigint[], $3
    FROM k CROSS JOIN LATERAL (SELECT * FROM lanes WHERE bot_key = k.bot_key OFFSET 0) l
    CROSS JOIN LATERAL (
      SELECT s.slot FROM generate_series(1, ${MAX_CONSUMERS_PER_LOG}) s (slot)
      WHERE NOT EXISTS (SELECT FROM consumers c WHERE c.bot_key = k.bot_key AND c.slot = s.slot)
      ORDER BY s.slot LIMIT 1) free
    WHERE NOT EXISTS (SELECT FROM consumers c WHERE c.bot_key = k.bot_key AND lower(c.name) = lower($2::text))
    RETURNING slot`,
};
/** Locks the rows in the order of their keys before it deletes them, like every statement that changes several. */
const DELETE: Statement = {
  name: "delete-consumer",
  text: `
    WITH locked AS (
      SELECT c.bot_key, c.slot FROM consumers c
      WHERE c.bot_key = ANY (ARRAY(SELECT k.bot_key FROM (${keysOf("$1::text")}) k)) AND lower(c.name) = $2
      ORDER BY c.bot_key FOR UPDATE OF c)
    DELETE FROM consumers c USING locked k WHERE c.bot_key = k.bot_key AND c.slot = k.slot RETURNING c.slot`,
};
const NOTE_POLLS: Statement = {
  name: "note-consumer-polls",
  text: `
    WITH poll AS MATERIALIZED (
      SELECT k.bot_key, r.name, r.at
      FROM unnest($1::text[], $2::text[], $3::bigint[]) AS r (log, name, at)
      CROSS JOIN LATERAL (${keysOf("r.log")}) k),
    locked AS (
      SELECT c.bot_key, c.slot, p.at FROM poll p JOIN consumers c ON c.bot_key = p.bot_key AND lower(c.name) = p.name
      ORDER BY c.bot_key, c.slot FOR UPDATE OF c)
    UPDATE consumers c SET last_polled_at = greatest(c.last_polled_at, k.at)
    FROM locked k WHERE c.bot_key = k.bot_key AND c.slot = k.slot`,
};
/** $1: the bot, $2: the consumer, $3: the reader, $4: until when it reads, $5: the time. */
const HOLD: Statement = {
  name: "hold-consumer",
  text: `
    WITH own AS MATERIALIZED (
      SELECT c.bot_key, c.slot, CASE WHEN c.reader <> $3 AND c.reader_until > $5 THEN c.reader END AS other
      FROM bots b JOIN consumers c ON c.bot_key = b.bot_key
      WHERE b.id = $1 AND lower(c.name) = $2 FOR UPDATE OF c),
    held AS (
      UPDATE consumers c SET reader = $3, reader_until = $4
      FROM own o WHERE c.bot_key = o.bot_key AND c.slot = o.slot AND o.other IS NULL)
    SELECT other FROM own`,
};

/** A consumer of the feed is a row of `consumers` in each partition, with the same slot. */
export function consumerVerbs(db: Database, inBatches: InBatches): ConsumerVerbs {
  const readRows: ReadRows = async (asked) => {
    const values = [asked.map(({ log }) => textOf(log)), asked.map(({ name }) => name.toLowerCase())];
    const found: LogRow[][] = asked.map(() => []);
    const rows = await db.query<LogRow & { ordinal: number }>(SELECT_POSITIONS, values);
    for (const { ordinal, ...row } of rows) found[ordinal - 1]?.push(row);
    return found;
  };
  const find = inBatches({ maxItems: LOOK_UPS_PER_BATCH, run: readRows, resultsOf: (found) => found });
  const move = consumerMover(db, inBatches, readRows);

  /**
   * @param at left out: where a new consumer begins by default
   * @returns false when another call has created it first, when there are too many, and without the log
   */
  const create = async (
    { log, name }: Asked,
    now: number,
    at?: readonly ConsumerPosition[],
  ): Promise<boolean> => {
    const positions = at ? integers(at.map(({ position }) => position)) : null;
    const done = at ? at.map((one) => integers(one.done)) : null;
    const [, inserted] = await db.transaction([
      lockOf(log),
      [INSERT, [textOf(log), name, now, positions, done]],
    ]);
    return inserted?.length !== 0;
  };

  /** Asked when another call seems to have created a consumer first, but there is none: it may be deleted again. */
  const hasTooMany = async (log: string): Promise<boolean> => {
    const rows = await db.query<{ keys: number }>(SELECT_CONSUMERS, [textOf(log)]);
    return rows.length / (rows[0]?.keys ?? 1) >= MAX_CONSUMERS_PER_LOG;
  };

  return {
    async findConsumer<Log extends string>(log: Log, name: string) {
      const rows = (await find({ log, name })).filter(isOwn);
      return rows.length > 0 ? positionIn<Log>(rows) : undefined;
    },

    async openConsumer<Log extends string>(log: Log, name: string, now: number) {
      const existing = (await find({ log, name })).filter(isOwn);
      if (existing.length > 0) return positionIn<Log>(existing);
      await create({ log, name }, now);
      const logs = await find({ log, name });
      const rows = logs.filter(isOwn);
      if (rows.length > 0) return positionIn<Log>(rows);
      if (logs.length === 0) return undefined;
      return (await hasTooMany(log)) ? "too many" : await this.openConsumer(log, name, now);
    },

    async moveConsumer<Log extends string>(log: Log, name: string, to: MoveIn<Log>, now: number) {
      const asked = { log, name, to, now };
      let { moved, isNew } = await move(asked);
      if (isNew && moved && !isRefusal(moved)) {
        if (await create(asked, now, moved)) return consumerIn<Log>(moved);
        // Another call has created it first, unless there are too many.
        ({ moved, isNew } = await move(asked));
        if (isNew && moved) {
          if (await hasTooMany(log)) return { refused: "too many consumers" } as const;
          return await this.moveConsumer(log, name, to, now);
        }
      }
      return !moved || isRefusal(moved) ? moved : consumerIn<Log>(moved);
    },

    async listConsumers<Log extends string>(log: Log) {
      const rows = await db.query<ConsumerRow & { keys: number }>(SELECT_CONSUMERS, [textOf(log)]);
      const { keys = 1 } = rows[0] ?? {};
      return Array.from({ length: rows.length / keys }, (_, index) =>
        consumerIn<Log>(rows.slice(index * keys, (index + 1) * keys)),
      );
    },

    async deleteConsumer(log, name) {
      const [, deleted] = await db.transaction([lockOf(log), [DELETE, [textOf(log), name.toLowerCase()]]]);
      return deleted?.length !== 0;
    },

    async noteConsumerPolls(polls) {
      const last = new Map(polls.map((poll) => [`${poll.botId} ${poll.name.toLowerCase()}`, poll]));
      const noted = [...last.values()];
      await db.query(NOTE_POLLS, [
        noted.map(({ botId }) => textOf(botId)),
        noted.map(({ name }) => name.toLowerCase()),
        integers(noted.map(({ at }) => at)),
      ]);
    },

    async holdConsumer(botId, name, reader, until, now) {
      const values = [uuid(botId), name.toLowerCase(), reader, until, now];
      const [row] = await db.query<{ other: string | null }>(HOLD, values);
      return row?.other ?? undefined;
    },
  };
}

/** The parameter for a log. */
function textOf(log: string): string | null {
  return log === FEED ? FEED : uuid(log);
}

function lockOf(log: string): Step {
  return log === FEED ? LOCK_SWITCH : [LOCK_BOT, [uuid(log)]];
}
