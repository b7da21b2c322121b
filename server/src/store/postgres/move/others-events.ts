import {
  BOT_ATTACHED,
  BOT_DETACHED,
  CHANNEL_UPDATED,
  INTERACTION_CREATED,
  POST_DELETED,
} from "../../../domain/events/event.js";
import { guestOwner } from "../../shared/guests.js";
import { inTransaction } from "../connection/client.js";
import { isOfNeighbour, newBotKey } from "./guests.js";
import { isStaying } from "./owner-tables.js";
import { ownerThere } from "./row-statements.js";
import type { CellSession } from "./session.js";

/** $1: keys of events as JSON, $2: the owner. Those of channels of others, with the posts that they name. */
const SELECT_OTHERS_EVENTS = `
  WITH named AS (
    SELECT r.* FROM json_to_recordset($1::json) AS k (event_key bigint) JOIN events r USING (event_key) WHERE ${isStaying("r", "$2")})
  SELECT json_agg(to_json(e))::text AS events FROM (
    SELECT * FROM named
    UNION
    SELECT r.* FROM named n JOIN events r ON r.event_key = n.subject_key WHERE ${isStaying("r", "$2")}) e`;
const GIVEN = "json_populate_recordset(NULL::events, $1::json) r";
const IS_UNKNOWN = "NOT EXISTS (SELECT FROM new_event_keys n WHERE n.event_key = r.event_key)";
/** $1: events as JSON. Those that the cell has, by their ids. */
const FIND_KNOWN = `
  INSERT INTO new_event_keys (event_key, new_key, is_shared)
  SELECT r.event_key, e.event_key, true
  FROM ${GIVEN} LEFT JOIN new_channel_keys c ON c.channel_key = r.channel_key
  CROSS JOIN LATERAL (
    SELECT event_key FROM events
    WHERE channel_key = coalesce(c.new_key, 0) AND is_listed = ANY ('{t,f}') AND id = r.id ORDER BY is_listed LIMIT 1 OFFSET 0) e
  WHERE (c.new_key IS NOT NULL OR r.channel_key = 0) AND ${IS_UNKNOWN}
  ON CONFLICT DO NOTHING`;

/** What is left of the same events, erased, from when their channel's owner lived in the cell: no log points at it. $1: events as JSON. */
const REMOVE_OTHERS_ERASED = `
  DELETE FROM events e USING ${GIVEN}
  WHERE r.channel_key <> 0 AND ${IS_UNKNOWN} AND e.channel_key = 0 AND NOT e.is_listed AND e.id = r.id`;

/** What is told to one bot alone is not carried, or, of interactions, to the cell where the bot is. */
const IS_TOLD_ALONE = `r.event_type IN ('${BOT_ATTACHED}', '${BOT_DETACHED}', '${INTERACTION_CREATED}')`;
/** In a channel of the cell itself, what it does not have any more is not written again, but for what says nothing of what somebody wrote. */
const IS_NOTICE = `r.event_type IN ('${CHANNEL_UPDATED}', '${POST_DELETED}')`;
const CHANNELS = (lock: string) => `
  SELECT count(*) FROM (
    SELECT FROM channels WHERE channel_key IN (
      SELECT c.new_key FROM ${GIVEN} JOIN new_channel_keys c ON c.channel_key = r.channel_key)
    ORDER BY channel_key ${lock}) l`;
/** Of a channel that was deleted: the cell hears of that if it knew it. */
const IS_OF_UNKNOWN = `r.channel_key = 0 AND NOT EXISTS (
      SELECT FROM new_channel_keys n WHERE n.is_others AND n.channel_id = (r.payload::json ->> 'channel_id')::uuid)`;
/**
 * SQL that writes those that the cell does not have. $1: events as JSON, $2: the owner. Who wrote them is known there only of the owner's bots.
 */
const writeOf = (condition: string) => `
  WITH given AS MATERIALIZED (
    SELECT r.*, coalesce(c.new_key, 0) AS new_channel, nextval(pg_get_serial_sequence('events', 'event_key')) AS new_event
    FROM ${GIVEN} LEFT JOIN new_channel_keys c ON c.channel_key = r.channel_key AND c.is_others
    WHERE ${IS_UNKNOWN} AND (${condition}) AND (
      ${IS_OF_UNKNOWN} OR EXISTS (SELECT FROM channels h WHERE h.channel_key = c.new_key))
    ORDER BY r.event_key),
  known AS (
    INSERT INTO new_event_keys (event_key, new_key, is_shared) SELECT event_key, new_event, true FROM given RETURNING event_key, new_key)
  INSERT INTO events (event_key, id, channel_key, created_at, payload, event_type, author_key, subject_key, owner_user_id, acted_by, cause, is_listed)
    OVERRIDING SYSTEM VALUE
  SELECT g.new_event, g.id, g.new_channel, g.created_at, g.payload, g.event_type,
    (SELECT n.new_key FROM new_bot_keys n WHERE n.bot_key = g.author_key AND n.is_adopted),
    CASE WHEN g.subject_key < 0 THEN -${newBotKey("-g.subject_key")} WHEN g.subject_key > 0 THEN coalesce(
      (SELECT n.new_key FROM new_event_keys n WHERE n.event_key = g.subject_key), (SELECT s.new_event FROM given s WHERE s.event_key = g.subject_key),
      nextval(pg_get_serial_sequence('events', 'event_key'))) END,
    CASE WHEN g.owner_user_id = $2 OR ${isOfNeighbour("g.owner_user_id", "$2")} THEN ${guestOwner("g.owner_user_id")} ELSE ${ownerThere("g.owner_user_id")} END,
    g.acted_by, g.cause, g.is_listed
  FROM given g CROSS JOIN (SELECT count(*) FROM known) k`;
const WRITE_TOLD_ALONE = writeOf(IS_TOLD_ALONE);
const WRITE_OLD = writeOf(`r.event_key <= c.through_key AND (c.is_copy OR ${IS_NOTICE})`);
/** $1: events as JSON. Those that are still to come, as JSON of their keys. What the channel's own cell does not have has expired. */
const SELECT_TO_COME = `
  SELECT json_agg(r.event_key) AS keys FROM ${GIVEN} LEFT JOIN new_channel_keys c ON c.channel_key = r.channel_key
  WHERE ${IS_UNKNOWN} AND (c.new_key IS NULL OR c.is_copy OR r.event_key > c.through_key)`;

/**
 * Brings events of channels of others, of which logs of the owner's bots have entries. An event that the cell has is the same there, by its id: it was
 * carried, or happened there. What is old is written: it is known to all, or comes no more. All else is waited for, so that others who listen there
 * hear it as ever, too.
 *
 * @param keys of events as JSON; those of other channels are left out
 * @param isPaused whether that is in the last step, in which nothing is written that another might carry
 * @returns the keys of those that are still to come
 */
export async function bringEvents(
  from: CellSession,
  { client }: CellSession,
  ownerUserId: string,
  keys: string,
  isPaused: boolean,
): Promise<readonly number[]> {
  const { rows } = await from.client.query<{ events: string | null }>(SELECT_OTHERS_EVENTS, [
    keys,
    ownerUserId,
  ]);
  const events = rows[0]?.events;
  if (!events) return [];
  await client.query(FIND_KNOWN, [events]);
  if (isPaused) {
    await client.query(CHANNELS("FOR KEY SHARE"), [events]);
    await client.query(REMOVE_OTHERS_ERASED, [events]);
    await client.query(WRITE_TOLD_ALONE, [events, ownerUserId]);
  } else {
    await inTransaction(client, async () => {
      // Nothing is carried there meanwhile, so what is looked for once more is there, or is not.
      await client.query(CHANNELS("FOR UPDATE"), [events]);
      await client.query(FIND_KNOWN, [events]);
      await client.query(REMOVE_OTHERS_ERASED, [events]);
      await client.query(WRITE_TOLD_ALONE, [events, ownerUserId]);
      await client.query(WRITE_OLD, [events, ownerUserId]);
    });
  }
  const toCome = await client.query<{ keys: number[] | null }>(SELECT_TO_COME, [events]);
  return toCome.rows[0]?.keys ?? [];
}
