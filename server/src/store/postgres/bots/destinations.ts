import { DEFAULT_WEBHOOK } from "../../../domain/delivery/webhook.js";
import { MAX_WEBHOOKS_PER_BOT } from "../../../domain/limits.js";
import type { WebhookRef } from "../../store.js";
import { type Statement, uuid, type Value } from "../connection/connection.js";
import { DATABASE_NOW } from "../connection/database-clock.js";
import { NOTE_FURTHER } from "../connection/incarnation.js";
import { countGone } from "../owners/usage.js";

/** The parameters $1 to $3 of statements about one webhook. */
export function webhookKey({ botId, ownerUserId, name = DEFAULT_WEBHOOK }: WebhookRef): Value[] {
  return [uuid(botId), ownerUserId, name.toLowerCase()];
}

/**
 * The row of the webhook $3 of the log $1 of the owner $2, as `dest`, with or without a URL. The log's first destination has the id of its
 * bot; that of a log of alerts, which is no bot's, has one of its own.
 */
export const OF_OWNER = `
    FROM destinations log_of JOIN destinations dest ON dest.log_key = log_of.log_key AND lower(dest.name) = $3
    WHERE log_of.id = $1 AND log_of.owner_user_id = $2 AND log_of.destination_key = log_of.log_key`;

/**
 * The keys of destinations with these ids, as an array. With the ids themselves the planner may read all of a small table in the order of
 * its keys, or beside another one.
 */
export const KEYS_OF = (ids: string) =>
  `ARRAY(SELECT destination_key FROM destinations WHERE id = ANY (${ids}::uuid[]))`;

/** A webhook other than `default` is there as long as it has a URL. */
export const IS_THERE = "(dest.url IS NOT NULL OR dest.destination_key = dest.log_key)";

/** The key of the webhook, if it is there. */
export const OWN_DESTINATION = `(SELECT dest.destination_key ${OF_OWNER} AND ${IS_THERE})`;
const OWN_ROW = `(SELECT dest.destination_key ${OF_OWNER})`;

/**
 * A lane is locked before its destination, by whatever changes both; the statements that follow in the transaction see what was
 * written before.
 */
export const LOCK_LANE: Statement = {
  name: "lock-lane",
  text: `SELECT bot_key FROM lanes WHERE bot_key = ${OWN_ROW} FOR UPDATE`,
};
/** The lane of the log as well, whose head says what a webhook begins with. Its key is the lowest of the log's destinations. */
export const LOCK_LANE_AND_LOG: Statement = {
  name: "lock-lane-and-log",
  text: `
    SELECT bot_key FROM lanes
    WHERE bot_key = ANY (ARRAY(
      SELECT log_key FROM destinations WHERE id = $1 AND owner_user_id = $2 AND destination_key = log_key
      UNION ALL SELECT dest.destination_key ${OF_OWNER}))
    ORDER BY bot_key FOR UPDATE`,
};
/** By whatever changes the deliveries of a destination. */
export const LOCK_DESTINATION: Statement = {
  name: "lock-destination",
  text: `SELECT destination_key FROM destinations WHERE destination_key = ${OWN_ROW} FOR UPDATE`,
};

/** Whether a log may have one more webhook, named $3. */
const hasRoom = (logKey: string) => `(
      SELECT count(*) FROM destinations other
      WHERE other.log_key = ${logKey} AND lower(other.name) <> $3
        AND (other.url IS NOT NULL OR other.destination_key = other.log_key)) < ${MAX_WEBHOOKS_PER_BOT}`;
/**
 * Whether an edit may replace what is set at a destination `dest`: it is in the round that the edit names. One that is not there
 * is in round 0, and has the id that the edit's credentials are sealed for: whoever has read that there is none may have read it before this
 * one was made. Both are SQL, null for any.
 */
export const isReplaceable = (round: string, id: string) => `
        CASE WHEN ${IS_THERE} THEN dest.round = coalesce(${round}::bigint, dest.round)
          ELSE coalesce(${round}::bigint, 0) = 0 AND dest.id = coalesce(${id}::uuid, dest.id) AND ${hasRoom("dest.log_key")} END`;
/**
 * Makes the destination of a webhook that the bot does not have, unless it has too many: $4 its name as it is written, $5 its id, $6 the
 * round that the edit names. It begins with the oldest entry that is kept; those that are not count as skipped. With the log's lane locked, so
 * that none expires or is appended meanwhile.
 */
export const MAKE_DESTINATION: Statement = {
  name: "make-destination",
  text: `
    WITH made AS (
      INSERT INTO destinations (
        destination_key, log_key, name, id, owner_user_id, counted_deliveries, next_fresh_number, skipped_count)
      SELECT nextval(pg_get_serial_sequence('bots', 'bot_key')), log.bot_key, $4, $5::uuid, b.owner_user_id, 0, tail.number,
        log.last_update_id - log.unused_count - CASE WHEN log.unused_count = 0 THEN log.last_update_id + 1 - tail.number ELSE (
          SELECT count(*) FROM entries e WHERE e.log_key = log.bot_key AND e.number >= tail.number) END
      FROM bots b CROSS JOIN LATERAL (SELECT * FROM lanes WHERE bot_key = b.bot_key OFFSET 0) log
      CROSS JOIN LATERAL (
        SELECT coalesce((SELECT e.number FROM entries e WHERE e.log_key = log.bot_key ORDER BY e.number LIMIT 1),
          log.last_update_id + 1) AS number OFFSET 0) tail
      WHERE b.id = $1 AND b.owner_user_id = $2 AND coalesce($6::bigint, 0) = 0 AND ${hasRoom("b.bot_key")}
        AND NOT EXISTS (SELECT FROM destinations dest WHERE dest.log_key = b.bot_key AND lower(dest.name) = $3)
      RETURNING destination_key),
    lane AS (INSERT INTO lanes (bot_key) SELECT destination_key FROM made),
    noted AS (${NOTE_FURTHER})
    SELECT NOT ${hasRoom("b.bot_key")} AS "isFull" FROM bots b WHERE b.id = $1 AND b.owner_user_id = $2`,
};
/** Upkeep erases what was delivered there, as of a bot that was removed. */
export const REMOVE_DESTINATION: Statement = {
  name: "remove-destination",
  text: `
    WITH closed AS (SELECT dest.destination_key, dest.owner_user_id ${OF_OWNER} AND NOT ${IS_THERE} FOR UPDATE OF dest),
    lane AS (DELETE FROM lanes l USING closed WHERE l.bot_key = closed.destination_key),
    destination AS (
      DELETE FROM destinations dest USING closed WHERE dest.destination_key = closed.destination_key
      RETURNING dest.*),
    ${countGone("(SELECT d.*, NULL::bigint AS updates FROM destination d) gone", DATABASE_NOW)}
    INSERT INTO removed_bots (bot_key, owner_user_id) SELECT destination_key, owner_user_id FROM destination`,
};
