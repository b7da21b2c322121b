import { type FeedCursor, isPositionOf } from "../../domain/feed.js";
import { MAX_FEED_CONSUMERS } from "../../domain/limits.js";
import type { FeedConsumer } from "../feed-store.js";
import { omitNulls } from "../omit-nulls.js";
import type { Store } from "../store.js";
import { type Database, integers, type Statement } from "./connection.js";
import { HAS_FEED, LOCK_SWITCH, readFeedHeads } from "./feed.js";

type FeedConsumerVerbs = Pick<
  Store,
  "openFeedConsumer" | "moveFeedConsumer" | "listFeedConsumers" | "deleteFeedConsumer" | "noteFeedPolls"
>;

/** A row for each partition of the feed `f`, from 0 on. */
const PARTITIONS = "feed f CROSS JOIN LATERAL generate_series(0, f.partitions - 1) AS r (n)";
/** Whether a row `c` of consumers belongs to the feed's consumer $1. */
const IS_CONSUMER = `c.bot_key = ANY (ARRAY(SELECT f.first_key + r.n FROM ${PARTITIONS} WHERE f.id = 1))
        AND lower(c.name) = lower($1)`;

const FIND: Statement = {
  name: "find-feed-consumer",
  text: `
    SELECT c.position, (SELECT feed_id FROM feed WHERE id = 1) AS "feedId"
    FROM consumers c WHERE ${IS_CONSUMER} ORDER BY c.bot_key`,
};
/** A consumer has the same slot in every partition. */
const OPEN: Statement = {
  name: "open-feed-consumer",
  text: `
    INSERT INTO consumers (bot_key, slot, name, position, created_at)
    SELECT l.bot_key, free.slot, $1, coalesce(
      (SELECT u.update_id - 1 FROM updates u WHERE u.bot_key = l.bot_key ORDER BY u.update_id LIMIT 1),
      l.last_update_id), $2
    FROM ${PARTITIONS} JOIN lanes l ON l.bot_key = f.first_key + r.n
    CROSS JOIN LATERAL (
      SELECT s.slot FROM generate_series(1, ${MAX_FEED_CONSUMERS}) AS s (slot)
      WHERE NOT EXISTS (SELECT FROM consumers c WHERE c.bot_key = f.first_key AND c.slot = s.slot)
      ORDER BY s.slot LIMIT 1) free
    WHERE f.id = 1 AND NOT EXISTS (
      SELECT FROM consumers c WHERE c.bot_key = f.first_key AND lower(c.name) = lower($1))`,
};
/**
 * $1: the name, $2: the positions, $3: the feed's id, $4: whether it rewinds. Locks in the order of the keys, so that
 * two concurrent moves cannot deadlock, and changes what is different then. No rows for a position that this feed does
 * not have.
 */
const MOVE: Statement = {
  name: "move-feed-consumer",
  text: `
    WITH lane AS MATERIALIZED (
      SELECT l.bot_key, l.last_update_id AS head, ($2::bigint[])[l.bot_key - f.first_key + 1] AS asked
      FROM feed f JOIN lanes l ON l.bot_key >= f.first_key AND l.bot_key < f.first_key + f.partitions
      WHERE f.id = 1 AND f.feed_id = $3 AND f.partitions = cardinality($2::bigint[])),
    locked AS (
      SELECT c.*, lane.head, lane.asked
      FROM lane JOIN consumers c ON c.bot_key = lane.bot_key AND lower(c.name) = lower($1)
      WHERE NOT EXISTS (SELECT FROM lane WHERE asked > head)
      ORDER BY c.bot_key FOR UPDATE OF c),
    refused AS (SELECT FROM locked WHERE NOT $4 AND asked < position LIMIT 1),
    changed AS (
      UPDATE consumers c SET position = k.asked FROM locked k
      WHERE c.bot_key = k.bot_key AND c.slot = k.slot AND k.asked <> k.position AND NOT EXISTS (SELECT FROM refused))
    SELECT name, EXISTS (SELECT FROM refused) AS "isRefused", asked AS position, head, created_at AS "createdAt", last_polled_at AS "lastPolledAt"
    FROM locked ORDER BY bot_key`,
};
const LIST: Statement = {
  name: "list-feed-consumers",
  text: `
    SELECT min(c.name) AS name, to_json(array_agg(c.position ORDER BY c.bot_key)) AS positions,
      sum(greatest(0, l.last_update_id - c.position))::bigint AS lag, min(c.created_at) AS "createdAt",
      max(c.last_polled_at) AS "lastPolledAt"
    FROM ${PARTITIONS} CROSS JOIN LATERAL (SELECT * FROM consumers WHERE bot_key = f.first_key + r.n OFFSET 0) c
    CROSS JOIN LATERAL (SELECT last_update_id FROM lanes WHERE bot_key = f.first_key + r.n OFFSET 0) l
    WHERE f.id = 1 GROUP BY c.slot ORDER BY min(c.created_at), c.slot`,
};
const REMOVE: Statement = {
  name: "remove-feed-consumer",
  text: `
    WITH locked AS (SELECT c.bot_key FROM consumers c WHERE ${IS_CONSUMER} ORDER BY c.bot_key FOR UPDATE)
    DELETE FROM consumers c WHERE ${IS_CONSUMER} AND (SELECT count(*) FROM locked) > 0 RETURNING c.bot_key`,
};
const NOTE: Statement = {
  name: "note-feed-poll",
  text: `
    WITH locked AS (SELECT c.bot_key FROM consumers c WHERE ${IS_CONSUMER} ORDER BY c.bot_key FOR UPDATE)
    UPDATE consumers c SET last_polled_at = greatest(c.last_polled_at, $2)
    WHERE ${IS_CONSUMER} AND (SELECT count(*) FROM locked) > 0`,
};

/** Of one partition. */
interface MovedRow {
  name: string;
  /** Whether it would go back in any partition, without a rewind. */
  isRefused: boolean;
  position: number;
  head: number;
  createdAt: number;
  lastPolledAt: number | null;
}

/** A consumer of the feed is a row of `consumers` in each partition. */
export function feedConsumerVerbs(db: Database): FeedConsumerVerbs {
  const cursorOf = (found: readonly unknown[]): FeedCursor | undefined => {
    const rows = found as { position: number; feedId: string }[];
    const [first] = rows;
    return first && { feedId: first.feedId, positions: rows.map(({ position }) => position) };
  };

  return {
    async openFeedConsumer(name, now) {
      const [, , rows = [], feed = []] = await db.transaction([
        LOCK_SWITCH,
        [OPEN, [name, now]],
        [FIND, [name]],
        [HAS_FEED],
      ]);
      return cursorOf(rows) ?? (feed.length > 0 ? "too many" : undefined);
    },

    async moveFeedConsumer(name, cursor, rewind) {
      const { feedId, positions } = cursor;
      const moved = await db.query<MovedRow>(MOVE, [name, integers(positions), feedId, rewind]);
      if (moved[0]?.isRefused) return { refused: "backwards" };
      if (moved.length > 0) return consumerOf(moved);
      const feed = await readFeedHeads(db);
      return feed && { refused: isPositionOf(cursor, feed) ? "no consumer" : "another feed" };
    },

    listFeedConsumers: async () => (await db.query(LIST)).map(omitNulls<FeedConsumer>),

    // With the lock, a consumer that is being opened is deleted in all partitions or in none.
    async deleteFeedConsumer(name) {
      const [, removed = []] = await db.transaction([LOCK_SWITCH, [REMOVE, [name]]]);
      return removed.length > 0;
    },

    async noteFeedPolls(polls) {
      for (const { name, at } of polls) await db.query(NOTE, [name, at]);
    },
  };
}

function consumerOf(rows: readonly MovedRow[]): FeedConsumer {
  const [{ name, createdAt }] = rows as [MovedRow];
  const lastPolledAt = Math.max(...rows.map((row) => row.lastPolledAt ?? 0));
  return {
    name,
    positions: rows.map(({ position }) => position),
    lag: rows.reduce((sum, { head, position }) => sum + Math.max(0, head - position), 0),
    createdAt,
    ...(lastPolledAt > 0 && { lastPolledAt }),
  };
}
