import type pg from "pg";
import { dayOf as dayOfMs } from "../../../domain/owners/usage.js";
import { makerOf } from "../../shared/guests.js";
import { ADD_USAGE, dayOf } from "../owners/usage.js";
import { usageCounts } from "../upkeep/usage-counts.js";
import { ownerOfLog } from "./owner-tables.js";
import { type CellSession, MoveRefused } from "./session.js";

/** The upkeep of each cell counts its events in the order of their keys; this is how far. Locked, it waits. */
const LOCK_POSITION = "SELECT event_key FROM sweeps WHERE kind = 'usage' FOR UPDATE";
const COUNTED = "coalesce((SELECT event_key FROM sweeps WHERE kind = 'usage'), 0)";
const EACH_DAY = `
  SELECT CASE WHEN p.acted_by < 0 THEN $2::integer ELSE ${dayOf("p.created_at")} END AS day,
    count(*) AS posts, sum(octet_length(p.payload)) AS bytes`;
/** Those of a copy will be the owner's. */
const IS_OWNERS = `p.event_type IS NULL AND (
    CASE WHEN p.author_key IS NULL
      THEN (SELECT ${makerOf("c.owner_user_id")} FROM channels c WHERE c.channel_key = p.channel_key)
      ELSE ${ownerOfLog("p.author_key")} END) = $1`;
/** $1: the owner, $2: today. Posts that are not counted where they come from, and are not counted where they go to. */
const SELECT_UNCOUNTED = `
  SELECT coalesce(json_agg(u), '[]')::text AS uncounted FROM (
    ${EACH_DAY} FROM events p WHERE p.event_key > ${COUNTED} AND ${IS_OWNERS} GROUP BY 1) u`;
const ADD = `
  INSERT INTO owner_usage AS u (owner_user_id, day, posts, updates, deliveries, bytes)
  SELECT $1, day, posts, 0, 0, bytes FROM json_to_recordset($2::json) AS a (day integer, posts bigint, bytes bigint)
  ${ADD_USAGE}`;
/** $1: the owner, $2: today. Posts that the cell they came to will still count, having counted others as they arrived. */
const SUBTRACT_PENDING = `
  INSERT INTO owner_usage AS u (owner_user_id, day, posts, updates, deliveries, bytes)
  SELECT $1, day, -posts, 0, 0, -bytes FROM (
    ${EACH_DAY} FROM new_event_keys n JOIN events p ON p.event_key = n.new_key
    WHERE n.new_key > ${COUNTED} AND ${IS_OWNERS} GROUP BY 1) c
  ${ADD_USAGE}`;

/** Posts that bots have made which were guests there, or as which they come. */
const SELECT_PENDING_OF_GUESTS = `
  SELECT coalesce(json_agg(json_build_object('channel', c.id, 'id', p.id, 'key', p.event_key)), '[]')::text AS posts
  FROM events p JOIN channels c USING (channel_key)
  WHERE p.event_key > ${COUNTED} AND p.event_type IS NULL AND p.author_key IN (SELECT new_key FROM new_bot_keys WHERE is_adopted)`;
/** $1: those, as JSON. The keys of which the cell they come from has counted, too. */
const SELECT_KNOWN = `
  SELECT coalesce(json_agg(w.key), '[]')::text AS keys
  FROM json_to_recordset($1::json) AS w (channel uuid, id uuid, key bigint) JOIN channels c ON c.id = w.channel
  CROSS JOIN LATERAL (SELECT FROM events WHERE channel_key = c.channel_key AND is_listed = ANY ('{t,f}') AND id = w.id OFFSET 0) e`;
/** $1: the owner, $2: today, $3: keys as JSON. */
const SUBTRACT_KNOWN = `
  INSERT INTO owner_usage AS u (owner_user_id, day, posts, updates, deliveries, bytes)
  SELECT $1, day, -posts, 0, 0, -bytes FROM (
    ${EACH_DAY} FROM events p WHERE p.event_key = ANY (ARRAY(SELECT json_array_elements_text($3::json)::bigint)) GROUP BY 1) c
  ${ADD_USAGE}`;

/** How long the counts of a cell are waited for: a million posts take a minute. */
const CATCH_UP_MS = 900_000;

/**
 * Lets both cells count what there is, so that little is left for the last step.
 *
 * @throws MoveRefused when somebody keeps them from it
 */
export async function countPosts(cells: readonly CellSession[]): Promise<void> {
  for (const { name, upkeep } of cells) {
    const { countPosts } = usageCounts(upkeep);
    const giveUpAt = performance.now() + CATCH_UP_MS;
    while (await countPosts(Date.now()))
      if (performance.now() > giveUpAt)
        throw new MoveRefused(`the cell ${name} does not come to the end of counting posts; try again`);
  }
}

export async function lockUsage(...clients: readonly pg.Client[]): Promise<void> {
  for (const client of clients) await client.query(LOCK_POSITION);
}

/** Makes of the copied usage what it will be when the cell has counted the events that have arrived: each post once. */
export async function adjustUsage(from: CellSession, to: CellSession, ownerUserId: string): Promise<void> {
  const today = dayOfMs(Date.now());
  const { rows } = await from.client.query<{ uncounted: string }>(SELECT_UNCOUNTED, [ownerUserId, today]);
  await to.client.query(ADD, [ownerUserId, rows[0]?.uncounted ?? "[]"]);
  await to.client.query(SUBTRACT_PENDING, [ownerUserId, today]);
  const pending = await to.client.query<{ posts: string }>(SELECT_PENDING_OF_GUESTS);
  const known = await from.client.query<{ keys: string }>(SELECT_KNOWN, [pending.rows[0]?.posts ?? "[]"]);
  await to.client.query(SUBTRACT_KNOWN, [ownerUserId, today, known.rows[0]?.keys ?? "[]"]);
}
