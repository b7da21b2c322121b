import { POST_DELETED } from "../../../domain/events/event.js";
import { isCopied, newChannelKey } from "./channel-keys.js";
import type { CellSession } from "./session.js";

const EVENT_KEYS = "pg_get_serial_sequence('events', 'event_key')";

/**
 * Events get new keys in the cell that they come to, above those that it has given out: its counts and its walks over events go on in the order of
 * keys and do not return. Those of a channel of which it has a copy may be there, and keep the keys that they have. All other keys stay.
 * Known only to the session: a move that was interrupted begins anew.
 */
export const MAKE_EVENT_KEYS = `
  CREATE TEMPORARY TABLE IF NOT EXISTS new_event_keys (event_key bigint PRIMARY KEY, new_key bigint NOT NULL UNIQUE, is_shared boolean NOT NULL);
  TRUNCATE new_event_keys`;
/** $1: events as JSON. An edit also names its post, which may be gone. */
const GIVE_KEYS = `
  INSERT INTO new_event_keys (event_key, new_key, is_shared)
  SELECT key, nextval(${EVENT_KEYS}), is_shared FROM (
    SELECT key, bool_or(${isCopied("r.channel_key")}) AS is_shared
    FROM json_populate_recordset(NULL::events, $1::json) r CROSS JOIN unnest(ARRAY[r.event_key, r.subject_key]) AS key
    WHERE key > 0 AND NOT EXISTS (SELECT FROM new_event_keys n WHERE n.event_key = key) GROUP BY key ORDER BY key) k`;
/** $1: events as JSON. One that is erased is not of its channel any more; logs of the cell may point at it. */
const FIND_SHARED = `
  INSERT INTO new_event_keys (event_key, new_key, is_shared)
  SELECT r.event_key, e.event_key, true FROM json_populate_recordset(NULL::events, $1::json) r
  CROSS JOIN LATERAL (
    SELECT event_key, channel_key FROM events
    WHERE channel_key = ANY (ARRAY[${newChannelKey("r.channel_key")}, 0]) AND is_listed = ANY ('{t,f}') AND id = r.id OFFSET 0) e
  WHERE (r.channel_key = 0 OR ${isCopied("r.channel_key")}) AND NOT EXISTS (SELECT FROM new_event_keys n WHERE n.event_key = r.event_key)
  ORDER BY e.channel_key DESC
  ON CONFLICT (event_key) DO NOTHING`;
/** $1: events as JSON. Keys of posts that were edited, of which nothing is known yet. */
const SELECT_SUBJECTS = `
  SELECT json_agg(DISTINCT jsonb_build_object('event_key', r.subject_key))::text AS keys
  FROM json_populate_recordset(NULL::events, $1::json) r
  WHERE r.subject_key > 0 AND ${isCopied("r.channel_key")} AND NOT EXISTS (SELECT FROM new_event_keys n WHERE n.event_key = r.subject_key)`;
/**
 * What is left of the same events, erased, from when the owner lived in the cell before: no log points at what is not erased where it comes from,
 * and a channel has each event once, also where all erased ones are. $1: events as JSON.
 */
const REMOVE_ERASED = `
  DELETE FROM events e USING json_populate_recordset(NULL::events, $1::json) r
  WHERE e.channel_key = 0 AND NOT e.is_listed AND e.id = r.id AND NOT EXISTS (SELECT FROM new_event_keys n WHERE n.new_key = e.event_key)`;

/**
 * Lets the session know under which keys events are in the cell, or will be.
 *
 * @param events as JSON
 * @param readEvents reads those with these keys in the cell that is left, as JSON; left out when there are no copies
 */
export async function learnEventKeys(
  { client }: CellSession,
  events: string,
  readEvents: ((keys: string) => Promise<string>) | undefined,
): Promise<void> {
  await client.query(FIND_SHARED, [events]);
  if (readEvents) {
    const { rows } = await client.query<{ keys: string | null }>(SELECT_SUBJECTS, [events]);
    if (rows[0]?.keys) await client.query(FIND_SHARED, [await readEvents(rows[0].keys)]);
  }
  await client.query(REMOVE_ERASED, [events]);
  await client.query(GIVE_KEYS, [events]);
}

/** $1: rows that name events, as JSON. Which of these are of channels of which there are copies: their places, and their keys as JSON. */
const SELECT_SHARED = `
  SELECT (r.place - 1)::integer AS place, json_build_object('event_key', r.key)::text AS key
  FROM (
    SELECT place, (event ->> 'event_key')::bigint AS key, (event ->> 'channel_key')::bigint AS channel_key
    FROM json_array_elements($1::json) WITH ORDINALITY AS a (event, place)) r
  WHERE ${isCopied("r.channel_key")} OR EXISTS (SELECT FROM new_event_keys n WHERE n.event_key = r.key AND n.is_shared)`;

export async function sharedAmong({ client }: CellSession, rows: string): Promise<Map<number, string>> {
  const found = await client.query<{ place: number; key: string }>(SELECT_SHARED, [rows]);
  return new Map(found.rows.map(({ place, key }) => [place, key]));
}

/** $1: keys of events as JSON, $2: the outbox. Whether these, their edits, or their deletion are still to be carried. */
const SELECT_UNCARRIED = `
  SELECT EXISTS (
    SELECT FROM (
      SELECT unnest(ARRAY[p.event_key, p.subject_key, CASE WHEN p.event_type = '${POST_DELETED}' THEN (
        SELECT d.event_key FROM events d
        WHERE d.channel_key = p.channel_key AND d.is_listed = ANY ('{t,f}') AND d.id = (p.payload::json ->> 'post_id')::uuid) END]) AS event_key
      FROM bots o JOIN entries e ON e.log_key = o.bot_key JOIN events p USING (event_key) WHERE o.id = $2) uncarried
    JOIN json_to_recordset($1::json) AS k (event_key bigint) USING (event_key)) AS "areUncarried"`;

export async function areUncarried(
  { client }: CellSession,
  keys: string,
  outboxId: string,
): Promise<boolean> {
  const { rows } = await client.query<{ areUncarried: boolean }>(SELECT_UNCARRIED, [keys, outboxId]);
  return rows[0]?.areUncarried ?? false;
}
