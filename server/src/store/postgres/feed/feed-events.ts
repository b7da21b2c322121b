import { WEBHOOK_ALERTS } from "../../../domain/events/alert.js";
import type { FeedKind } from "../../../domain/events/feed-event.js";
import { isGuest, isOutbox } from "../../shared/guests.js";
import { DATABASE_NOW } from "../connection/database-clock.js";
import { DATABASE_NOW_IS, numbersGiven } from "../logs/log-growth.js";
import { PARTITION_OF } from "./feed.js";

/** What {@link appendToFeed} appends also waits for the upkeep, which tells bots of the owner: see `upkeep/alerts.ts`. */
export const alert = (source: string, actor: string, after = "true") => `
    alerted AS (
      INSERT INTO alerts (owner_user_id, event_type, payload, created_at)
      SELECT s.owner_user_id, s.event_type, json_strip_nulls(s.payload)::text, ${DATABASE_NOW} FROM (${source}) s
      WHERE s.event_type = ANY ('{${WEBHOOK_ALERTS.join()}}')),
    ${appendToFeed(source, actor, after)}`;

/**
 * The end of a statement that appends events about channels, bots and webhooks to the feed, if it is on: one for each
 * row of `source`, as {@link aboutBot} and {@link aboutChannel} select it.
 *
 * @param actor SQL of who did it, as a number; NULL for what the service tells of itself
 * @param after SQL of a condition that is always true, and reads the parts that lock lanes of bots: the feed's are
 *   locked last
 * @param bot SQL of the key of the bot that did it, if one did
 */
export const appendToFeed = (source: string, actor: string, after = "true", bot = "NULL") => `
    feed_stored AS (
      INSERT INTO events (id, event_type, payload, created_at, channel_key, is_listed, subject_key, owner_user_id, acted_by,
        author_key)
      SELECT gen_random_uuid(), s.event_type, json_strip_nulls(s.payload)::text, ${DATABASE_NOW}, 0, false,
        -(${PARTITION_OF("s.owner_user_id")}), s.owner_user_id, ${actor}::smallint, ${bot}::bigint
      FROM (${source}) s JOIN feed f ON f.id = 1 AND f.partitions > 0 WHERE NOT ${isGuest("s.owner_user_id")}
      RETURNING event_key, -subject_key AS bot_key, created_at),
    ${growFeed("feed_stored", after)}`;

/**
 * Parts of a statement that append the events of `source` to the feed's logs, which it names. Events of one log share one change of its lane.
 *
 * @param after as of {@link appendToFeed}
 */
export const growFeed = (source: string, after = "true") => `
    feed_growth AS (
      SELECT bot_key, array_agg(event_key ORDER BY event_key) AS event_keys, max(created_at) AS newest
      FROM ${source} GROUP BY bot_key),
    feed_${DATABASE_NOW_IS},
    feed_locked AS (
      SELECT g.* FROM feed_growth g JOIN lanes l USING (bot_key) WHERE ${after} ORDER BY g.bot_key FOR UPDATE OF l),
    feed_grown AS (
      UPDATE lanes l SET ${numbersGiven("cardinality(g.event_keys)")},
        last_update_at = greatest(l.last_update_at, g.newest)
      FROM feed_locked g CROSS JOIN feed_incarnation_now incarnation_now WHERE l.bot_key = g.bot_key
      RETURNING l.bot_key, l.last_update_id, g.event_keys),
    feed_appended AS (
      INSERT INTO entries (log_key, number, event_key)
      SELECT bot_key, last_update_id - cardinality(event_keys) + generate_subscripts(event_keys, 1), unnest(event_keys)
      FROM feed_grown)`;

/** The logs that grew, for a statement that appends an event to bots' logs and ends with {@link appendToFeed}. */
export const HEADS_WITH_FEED = `(
      SELECT json_agg(json_build_array(
        (SELECT id FROM bots b WHERE b.bot_key = g.bot_key), g.last_update_id, g.is_claimable))
      FROM (
        SELECT bot_key, last_update_id, is_claimable FROM grown
        UNION ALL SELECT bot_key, NULL, is_claimable FROM woken
        UNION ALL SELECT bot_key, last_update_id, false FROM feed_grown) g) AS heads`;
/** The same for a statement with {@link appendToFeed} or {@link growFeed} alone. */
export const FEED_HEADS = `(
      SELECT json_agg(json_build_array(NULL, g.last_update_id, false)) FROM feed_grown g) AS heads`;

/** A condition that is always true, and that makes PostgreSQL execute these parts of the statement first. */
export const forceExecutionOrder = (...parts: readonly string[]) =>
  parts.map((part) => `(SELECT count(*) FROM ${part}) >= 0`).join(" AND ");

/**
 * @param from SQL with the bot as `b`
 * @param more SQL of more of the payload, after a comma
 */
export const aboutBot = (kind: FeedKind, from: string, more = "") => `
      SELECT '${kind}' AS event_type, b.owner_user_id, json_build_object(
        'bot_id', b.id, 'username', b.username, 'owner_user_id', b.owner_user_id${more}) AS payload
      FROM ${from}`;

/**
 * @param from SQL with the bot as `b` and the destination as `dest`
 * @param more SQL of more of the payload, after a comma
 */
export const aboutWebhook = (kind: FeedKind, from: string, more = "") => `
      SELECT '${kind}' AS event_type, b.owner_user_id, json_build_object(
        'bot_id', b.id, 'username', b.username, 'owner_user_id', b.owner_user_id,
        'webhook', CASE WHEN dest.destination_key <> dest.log_key THEN dest.name END${more}) AS payload
      FROM ${from}`;

/** @param from SQL with the channel as `c` */
export const aboutChannel = (kind: FeedKind, from: string) => `
      SELECT '${kind}' AS event_type, c.owner_user_id, json_build_object(
        'channel_id', c.id, 'external_id', c.external_id, 'owner_user_id', c.owner_user_id) AS payload
      FROM ${from}`;

/** @param from SQL with the bot as `b` and the channel as `c` */
export const aboutAttachment = (kind: FeedKind, from: string) => `
      SELECT '${kind}' AS event_type, c.owner_user_id, json_build_object(
        'bot_id', b.id, 'username', CASE WHEN b.owner_user_id = c.owner_user_id THEN b.username END,
        'owner_user_id', c.owner_user_id, 'channel_id', c.id, 'external_id', c.external_id) AS payload
      FROM ${from} WHERE NOT ${isOutbox("b.owner_user_id")}`;
