import { randomBytes } from "node:crypto";
import { MAX_PAGE_BYTES } from "../../../domain/limits.js";
import { type FeedEvent, type FeedRead, FIRST_FEED_KEY, KEYS_PER_FEED } from "../../parts/feed-store.js";
import { isGuest, makerOf } from "../../shared/guests.js";
import { type FeedEventRow, feedEventOf } from "../../shared/rows/feed-rows.js";
import type { Store } from "../../store.js";
import { type Database, integers, type Statement, type Step } from "../connection/connection.js";
import { INCARNATION } from "../connection/incarnation.js";
import type { InTurn } from "../connection/turns.js";

type FeedVerbs = Pick<Store, "switchFeed" | "hasFeed" | "attachFeed" | "readFeed">;

/** An append locks the lane of its owner's partition until its commit is on disk, so this many appends can run at once. */
const PARTITIONS = 16;

/** The key of the feed's log for an owner, computed as `partitionOf` does; `f` is the row of the feed, `owner` is SQL. */
export const PARTITION_OF = (owner: string) =>
  `f.first_key + get_byte(sha256(convert_to(${owner}, 'UTF8')), 0) % f.partitions`;

/** The feed's log that hears what happens in a channel. */
export const feedIn = (channelKey: string) =>
  `SELECT bot_key FROM attachments WHERE channel_key = ${channelKey} AND bot_key >= ${FIRST_FEED_KEY}`;

/** SQL of the end of an attachment of the feed: with the log of this key it hears the channel. */
export const attachLog = (channelKey: string, logKey: string) => `
      INSERT INTO attachments (channel_key, bot_key, role, attached_by, post_filter, hears_custom)
      SELECT ${channelKey}, ${logKey}, 'feed', '', 0, false`;
/** Attaches the feed, if it is on. @param from SQL with channels as `c` */
export const attachToFeed = (from: string) => `${attachLog("c.channel_key", PARTITION_OF("c.owner_user_id"))}
      FROM ${from} JOIN feed f ON f.id = 1 AND f.partitions > 0 WHERE NOT ${isGuest("c.owner_user_id")}`;

const LOCK = "hashtextextended('botyard feed ' || current_schema(), 0)";
/**
 * A shared lock of those who create or attach channels; switching takes it exclusively. So a channel that is created
 * while the feed is switched on is attached at once, or is found when existing channels are attached.
 */
export const LOCK_FEED_SHARED = `SELECT pg_advisory_xact_lock_shared(${LOCK})`;
export const LOCK_FEED: Step = [{ name: "lock-feed", text: LOCK_FEED_SHARED }];
export const LOCK_SWITCH: Step = [
  { name: "lock-feed-to-switch", text: `SELECT pg_advisory_xact_lock(${LOCK})` },
];
const SWITCH_ON: Statement = {
  name: "switch-feed-on",
  text: `
    WITH made AS (
      INSERT INTO feed AS f (id, feed_id, first_key, partitions) VALUES (1, $1, ${FIRST_FEED_KEY}, $2)
      ON CONFLICT (id) DO UPDATE
        SET feed_id = excluded.feed_id, first_key = f.first_key + ${KEYS_PER_FEED}, partitions = excluded.partitions
        WHERE f.partitions = 0
      RETURNING first_key, partitions)
    INSERT INTO lanes (bot_key, incarnation) SELECT first_key + generate_series(0, partitions - 1), ${INCARNATION} FROM made`,
};
const SET_AUDIT: Statement = {
  name: "set-audit-of-feed",
  text: "UPDATE feed SET has_audit = $1 WHERE id = 1 AND has_audit <> $1",
};
/** Its logs are removed step by step, like those of deleted bots. */
const SWITCH_OFF: Statement = {
  name: "switch-feed-off",
  text: `
    WITH f AS (SELECT * FROM feed WHERE id = 1 AND partitions > 0),
    ended AS (UPDATE feed SET partitions = 0 WHERE id = 1),
    locked AS (
      SELECT l.bot_key FROM f JOIN lanes l ON l.bot_key >= f.first_key AND l.bot_key < f.first_key + f.partitions
      ORDER BY l.bot_key FOR UPDATE OF l),
    lane AS (DELETE FROM lanes l USING locked WHERE l.bot_key = locked.bot_key),
    consumer AS (DELETE FROM consumers c USING locked WHERE c.bot_key = locked.bot_key)
    INSERT INTO removed_bots (bot_key) SELECT bot_key FROM locked`,
};
const HAS_FEED: Statement = {
  name: "has-feed",
  text: "SELECT FROM feed WHERE id = 1 AND partitions > 0",
};
const ATTACH: Statement = {
  name: "attach-feed",
  text: `
    WITH walked AS (
      SELECT channel_key, owner_user_id FROM channels WHERE channel_key > $1 ORDER BY channel_key LIMIT $2
      FOR KEY SHARE),
    attached AS (
      ${attachToFeed("walked c")}
      ON CONFLICT (channel_key, bot_key) DO NOTHING)
    SELECT CASE WHEN count(*) = $2 THEN max(channel_key) END AS next FROM walked`,
};
/**
 * A page of the feed: a row for each partition with its ends, then the next $2 events of all partitions, with at most $3
 * bytes of payloads together. They follow the positions of the consumer $4, which are null when there is no such
 * consumer, or, without a name, the positions $1. One statement, so that all of it is of the same moment.
 *
 * Only an event of the feed alone, whose subject is a log, names its owner itself. In a channel the column has whose bot acted, if that is another
 * owner, and that stays when the channel is deleted.
 *
 * Partitions are merged by the events' keys, each log in its own order: since a slow transaction takes a key early and
 * appends late, an event counts with the highest key up to it in its log. Only keys are read to choose the page, and
 * then the posts of the page.
 */
const SELECT_PAGE: Statement = {
  name: "select-feed-page",
  text: `
    WITH ends AS MATERIALIZED (
      SELECT f.feed_id, (l.bot_key - f.first_key)::integer AS partition, l.bot_key, l.last_update_id AS head, coalesce(
        (SELECT e.number FROM entries e WHERE e.log_key = l.bot_key ORDER BY e.number LIMIT 1),
        l.last_update_id + 1) AS tail,
        CASE WHEN $4::text IS NULL THEN coalesce(($1::bigint[])[l.bot_key - f.first_key + 1], 0) ELSE
          (SELECT c.position FROM consumers c WHERE c.bot_key = l.bot_key AND lower(c.name) = lower($4)) END AS position,
        l.incarnation <> ${INCARNATION} AS is_set_back
      FROM feed f JOIN lanes l ON l.bot_key >= f.first_key AND l.bot_key < f.first_key + f.partitions
      WHERE f.id = 1),
    events AS (
      SELECT counted.*, c.id, c.external_id, c.owner_user_id
      FROM (
        SELECT *, sum(size) OVER (ORDER BY rank, partition, number ROWS UNBOUNDED PRECEDING) AS total
        FROM (
          SELECT e.*, p.*, octet_length(p.payload) AS size
          FROM (
            SELECT partition, u.number, u.event_key,
              max(u.event_key) OVER (PARTITION BY partition ORDER BY u.number) AS rank
            FROM ends CROSS JOIN LATERAL (
              SELECT number, event_key FROM entries
              WHERE log_key = ends.bot_key AND number > ends.position ORDER BY number LIMIT $2) u
            ORDER BY rank, partition, number LIMIT $2) e
          CROSS JOIN LATERAL (
            SELECT id AS event_id, event_type, payload, created_at, channel_key, acted_by, author_key,
              CASE WHEN subject_key < 0 THEN nullif(owner_user_id, '') END AS named_owner
            FROM events WHERE event_key = e.event_key OFFSET 0) p) found
        ) counted
      LEFT JOIN LATERAL (
        SELECT id, external_id, owner_user_id FROM channels WHERE channel_key = counted.channel_key
        UNION ALL SELECT id, external_id, owner_user_id FROM removed_channels WHERE channel_key = counted.channel_key AND id IS NOT NULL
        LIMIT 1) c ON true
      WHERE total <= $3 OR total = size)
    SELECT partition, head AS number, feed_id AS "feedId", tail, position, is_set_back AS "isSetBack", NULL::uuid AS id, NULL AS "eventType", NULL AS payload,
      NULL::bigint AS "createdAt", NULL::uuid AS "channelId", NULL AS "externalId", NULL AS "ownerUserId",
      NULL::smallint AS "actedBy", NULL::uuid AS "botId", 0 AS rank
    FROM ends
    UNION ALL
    SELECT partition, number, NULL, NULL, NULL, NULL, event_id, event_type, payload, created_at, id, external_id,
      coalesce(${makerOf("owner_user_id")}, named_owner), acted_by,
      coalesce(
        (SELECT b.id FROM bots b WHERE b.bot_key = events.author_key),
        (SELECT b.id FROM moved_bots b WHERE b.bot_key = events.author_key)), rank
    FROM events ORDER BY rank, partition, number`,
};

interface EndRow {
  feedId: string;
  /** The last number of its log. */
  number: number;
  tail: number;
  position: number | null;
  isSetBack: boolean;
}

type EventRow = FeedEventRow & { feedId: null };

export function feedVerbs(db: Database, inTurn: InTurn): FeedVerbs {
  return {
    async switchFeed(isOn, hasAudit) {
      const change: Step = isOn ? [SWITCH_ON, [randomBytes(8).toString("hex"), PARTITIONS]] : [SWITCH_OFF];
      const audit: Step[] = hasAudit === undefined ? [] : [[SET_AUDIT, [hasAudit]]];
      await db.transaction([LOCK_SWITCH, change, ...audit]);
    },

    hasFeed: async () => (await db.query(HAS_FEED)).length > 0,

    async attachFeed(from, limit) {
      const [, rows = []] = await db.transaction([LOCK_FEED, [ATTACH, [from, limit]]]);
      const [row] = rows as { next: number | null }[];
      return row?.next ?? undefined;
    },

    readFeed(from, limit, maxBytes = MAX_PAGE_BYTES) {
      const [positions, name] = "consumer" in from ? [[], from.consumer] : [from, null];
      return inTurn(async () =>
        readOf(await db.query(SELECT_PAGE, [integers(positions), limit, maxBytes, name])),
      );
    },
  };
}

/** @returns undefined while the feed is off, and without a position */
function readOf(rows: readonly (EndRow | EventRow)[]): FeedRead | undefined {
  const heads: number[] = [];
  const tails: number[] = [];
  const positions: number[] = [];
  const events: FeedEvent[] = [];
  let feedId: string | undefined;
  let isSetBack = false;
  for (const row of rows) {
    if (row.feedId === null) {
      events.push(feedEventOf(row));
      continue;
    }
    if (row.position === null) return undefined;
    feedId = row.feedId;
    heads.push(row.number);
    tails.push(row.tail);
    positions.push(row.position);
    isSetBack ||= row.isSetBack;
  }
  return feedId === undefined
    ? undefined
    : { feedId, heads, tails, positions, events, ...(isSetBack && { isSetBack }) };
}
