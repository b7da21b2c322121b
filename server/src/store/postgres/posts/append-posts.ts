import { READ_ONLY_ROLE } from "../../../domain/events/channel.js";
import { MENTIONS_ONLY, OTHERS_ONLY } from "../../../domain/events/subscription.js";
import { FIRST_FEED_KEY } from "../../parts/feed-store.js";
import { isCopyFor } from "../../shared/guests.js";
import type { Statement } from "../connection/connection.js";
import { HAS_AWAY, HAS_FURTHER } from "../connection/incarnation.js";
import { DATABASE_NOW_IS, GROWS, grownBy, HEAD, IS_CLAIMABLE } from "../logs/log-growth.js";

/** Optional parts of the statement; most batches need neither. */
export interface AppendVariant {
  hasMentions: boolean;
  /** Idempotency keys: $14, or $12 without mentions. */
  hasKeys: boolean;
  /** Logs may have further destinations. Without them nothing is stored if there are some all the same. */
  hasFurther: boolean;
  /** Bots may write in channels of other owners. Without them nothing is stored if there are some all the same. */
  hasAway: boolean;
}

/** Stands for a channel's key when the channel has changed while the statement waited for its lock. */
export const OUTDATED = -1;

/** Bots that hear only posts that mention them. $12 and $13: the ids of posts, and what each mentions. */
const MENTIONED = `
        UNION ALL
        SELECT a.bot_key, s.event_key, s.created_at, s.channel_key
        FROM stored s JOIN unnest($12::uuid[], $13::text[]) AS m (id, username) USING (id)
        CROSS JOIN LATERAL (
          SELECT bot_key FROM bots JOIN attachments USING (bot_key)
          WHERE lower(username) = m.username AND channel_key = s.channel_key
            AND post_filter BETWEEN ${MENTIONS_ONLY} AND ${MENTIONS_ONLY | OTHERS_ONLY}
            AND (post_filter = ${MENTIONS_ONLY} OR bot_key IS DISTINCT FROM s.author_key) OFFSET 0) a`;

/**
 * Inserts the idempotency keys that are new, in their order, so that two batches with the same keys can wait for each
 * other but never deadlock. The insert waits for a transaction that is inserting the same key.
 */
const keyed = (keys: string) => `
    keyed AS (
      INSERT INTO idempotency_keys (target_key, author, key, event_id, created_at)
      SELECT channel_keys[p.publisher],
        coalesce('bot ' || bot_keys[p.publisher], 'owner ' || ($4::text[])[p.publisher]), p.key, p.id, p.created_at
      FROM publisher CROSS JOIN unnest($5::integer[], $6::uuid[], $7::bigint[], ${keys}::text[])
        AS p (publisher, id, created_at, key)
      WHERE is_current AND channel_keys[p.publisher] <> 0 AND p.key IS NOT NULL ORDER BY 1, 2, 3
      ON CONFLICT (target_key, author, key) DO NOTHING RETURNING event_id),`;

/** Of all logs that grow. */
const FURTHER = `
    further AS MATERIALIZED (
      SELECT log_key, destination_key, (SELECT max(newest) FROM growth) AS newest FROM destinations
      WHERE log_key = ANY (ARRAY(SELECT bot_key FROM growth)) AND destination_key <> log_key),`;

/** For each publisher that is a bot in a channel of another owner, whose it is: what it writes there is erased with its owner. */
const AWAY = `
        array_agg((
          SELECT b.owner_user_id FROM bots b JOIN channels c ON c.id = p.channel_id
          WHERE b.id = p.bot_id AND b.owner_user_id <> c.owner_user_id) ORDER BY p.n) AS away_from,`;

/**
 * Everything that a batch of posts does, in one statement: one round trip and one transaction.
 *
 * The lanes of the logs and of their further destinations are locked in the order of their keys before any of them is changed, so two
 * batches that share bots can wait for each other but never deadlock. After the lock the newest version of a lane is read, also when the statement
 * had to wait for it, so numbers have no gaps. The lock is held until the end of the transaction, so they become
 * visible in their order.
 *
 * Further destinations of all logs are found at once: 25 to 35 µs a statement, for one log and for 20; with a look-up for each log, 20 took
 * 51 µs. While no bot ever had more than one webhook this is left out. It is a part of its own, with the subqueries that it
 * reads: within the part that locks lanes, which PostgreSQL evaluates once more for a lane that it had to wait for, they crashed version 18.
 *
 * No part is joined to another: each is as long as the batch, and a batch may reach ten thousand bots. Channels are
 * found in an array by index. A bot's posts are an array beside its lane, and become rows once its numbers are known.
 * OFFSET 0 keeps the planner from reading all of a small table.
 *
 * Each channel is locked against its deletion and against detachments until the end of the transaction. Whoever had to
 * wait for one of those sees the channel's newest row beside the bots of before, so when the row has another version
 * than at the statement's beginning, nothing is stored, and the statement has to be run again.
 *
 * The right to post is looked up once for each publisher; the channel's key is 0 for a reader. The payloads are JSON
 * without line breaks, so they are sent as the lines of one text. As an array, every quote in them would be escaped
 * here and unescaped there; with that and a look-up for each post, a batch of 30 took 24 instead of 17 µs of the
 * server's time for a post.
 */
export function appendStatement({ hasMentions, hasKeys, hasFurther, hasAway }: AppendVariant): Statement {
  const keys = hasMentions ? "$14" : "$12";
  return {
    name: `append-posts${hasMentions ? "-mentions" : ""}${hasKeys ? "-keys" : ""}${hasFurther ? "-further" : ""}${hasAway ? "-away" : ""}`,
    text: `
    WITH looked_up AS (
      SELECT
        array_agg((
          SELECT CASE WHEN c.xmin <> (SELECT xmin FROM channels WHERE id = p.channel_id) THEN ${OUTDATED}
            WHEN c.owner_user_id = p.owner_user_id THEN channel_key ELSE (
            SELECT CASE WHEN a.role = '${READ_ONLY_ROLE}' THEN 0 ELSE a.channel_key END
            FROM bots b JOIN attachments a USING (bot_key)
            WHERE b.id = p.bot_id AND b.token_hash = coalesce(p.token_hash, b.token_hash) AND b.disabled_at IS NULL
              AND a.channel_key = c.channel_key AND NOT ${isCopyFor("c.owner_user_id", "p.token_hash")}) END
          FROM channels c WHERE c.id = p.channel_id FOR KEY SHARE) ORDER BY p.n) AS channel_keys,
        array_agg((SELECT bot_key FROM bots b WHERE b.id = p.bot_id) ORDER BY p.n) AS bot_keys,
        ${hasAway ? AWAY : ""}
        ${hasFurther ? "false" : HAS_FURTHER} AS has_further, ${hasAway ? "false" : HAS_AWAY} AS has_away
      FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[])
        WITH ORDINALITY AS p (channel_id, bot_id, token_hash, owner_user_id, n)),
    publisher AS (
      SELECT *, array_position(channel_keys, ${OUTDATED}) IS NULL AND NOT (has_further OR has_away) AS is_current
      FROM looked_up),
    ${hasKeys ? keyed(keys) : ""}
    stored AS (
      INSERT INTO events (id, channel_key, created_at, payload, author_key, acted_by, cause${hasAway ? ", owner_user_id" : ""})
      SELECT p.id, channel_keys[p.publisher], p.created_at, p.payload, bot_keys[p.publisher],
        ($10::smallint[])[p.publisher], ($11::text[])[p.n::integer]${hasAway ? ", away_from[p.publisher]" : ""}
      FROM publisher CROSS JOIN unnest(
        $5::integer[], $6::uuid[], $7::bigint[], string_to_array($8, E'\\n')${hasKeys ? `, ${keys}::text[]` : ""})
        WITH ORDINALITY AS p (publisher, id, created_at, payload, ${hasKeys ? "key, " : ""}n)
      WHERE is_current AND channel_keys[p.publisher] <> 0
        ${hasKeys ? "AND (p.key IS NULL OR p.id IN (SELECT event_id FROM keyed))" : ""}
      ORDER BY p.n
      RETURNING event_key, id, channel_key, created_at, author_key),
    growth AS (
      SELECT bot_key, array_agg(event_key ORDER BY event_key) AS post_keys, max(created_at) AS newest,
        CASE WHEN min(channel_key) = max(channel_key) THEN min(channel_key) END AS channel_key
      FROM (
        SELECT a.bot_key, s.event_key, s.created_at, s.channel_key
        FROM stored s CROSS JOIN LATERAL (
          SELECT bot_key FROM attachments
          WHERE channel_key = s.channel_key AND post_filter < ${MENTIONS_ONLY}
            AND (post_filter = 0 OR bot_key IS DISTINCT FROM s.author_key) OFFSET 0) a
        ${hasMentions ? MENTIONED : ""}) heard
      GROUP BY bot_key),
    ${DATABASE_NOW_IS},
    ${hasFurther ? FURTHER : ""}
    locked AS (
      SELECT g.*, l.is_open
      FROM (
        SELECT bot_key, bot_key AS lane_key, newest, post_keys, channel_key FROM growth
        ${hasFurther ? "UNION ALL SELECT log_key, destination_key, newest, NULL, NULL FROM further" : ""} OFFSET 0) g
      JOIN lanes l ON l.bot_key = g.lane_key ORDER BY g.lane_key FOR UPDATE OF l),
    grown AS (
      UPDATE lanes l SET ${grownBy("coalesce(cardinality(g.post_keys), 0)", "g.newest", "$9")}
      FROM locked g CROSS JOIN incarnation_now WHERE l.bot_key = g.lane_key AND ${GROWS}
      RETURNING g.bot_key, ${HEAD}, ${IS_CLAIMABLE} AS is_claimable, g.channel_key, g.post_keys),
    appended AS (
      INSERT INTO entries (log_key, number, event_key)
      SELECT bot_key, last_update_id - cardinality(post_keys) + generate_subscripts(post_keys, 1), unnest(post_keys)
      FROM grown)
    SELECT
      (SELECT to_json(channel_keys) FROM publisher) AS "channelKeys",
      (SELECT has_further FROM publisher) AS "hasFurther", (SELECT has_away FROM publisher) AS "hasAway",
      ${hasKeys ? `(SELECT json_agg(event_id) FROM keyed) AS "newKeysOf",` : ""}
      ${hasKeys ? `(SELECT to_json(bot_keys) FROM publisher) AS "botKeys",` : ""}
      (SELECT json_agg(json_build_array(
        (SELECT id FROM bots b WHERE b.bot_key = g.bot_key), g.last_update_id, g.is_claimable, g.channel_key,
        cardinality(g.post_keys)))
        FROM grown g) AS heads,
      (SELECT coalesce(sum(cardinality(post_keys)), 0) FROM grown WHERE bot_key < ${FIRST_FEED_KEY}) AS "updateCount"`,
  };
}
