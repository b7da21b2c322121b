import { FIRST_FEED_KEY } from "../../parts/feed-store.js";
import { guestOwner } from "../../shared/guests.js";
import { inTransaction } from "../connection/client.js";
import { type Copying, texts } from "./copy.js";
import { attachOutbox, outboxTo } from "./outbox.js";
import { adoptedKeys, HELD_OF_BOTS } from "./own-guests.js";
import { tableOf } from "./owner-tables.js";
import { heldOf } from "./records.js";
import type { CellSession } from "./session.js";

/** $1: the owner. */
const SELECT_COPIES = `SELECT array_agg(id) AS ids FROM channels WHERE owner_user_id = ${guestOwner("$1::text")}`;
const ATTACH_OUTBOX = attachOutbox(
  "SELECT channel_key FROM channels WHERE id = ANY ($1::uuid[]) AND owner_user_id = $2 ORDER BY channel_key FOR KEY SHARE",
);

/** Held while a channel is made. $1: the owner of the copies. */
const LOCK_MAKING = `SELECT pg_advisory_xact_lock(hashtextextended('channels of ' || ${guestOwner("$1::text")}, 0))`;

/**
 * Has everything that changes in channels carried to their copies, also where no bot is any more: so nothing that was copied there grows old. Called
 * when the cell knows that the owner arrives, and makes no more copies.
 *
 * @returns the ids of all that there are
 */
export async function followCopies(
  from: CellSession,
  to: CellSession,
  ownerUserId: string,
): Promise<readonly string[]> {
  await inTransaction(to.client, () => to.client.query(LOCK_MAKING, [ownerUserId]));
  const { rows } = await to.client.query<{ ids: string[] | null }>(SELECT_COPIES, [ownerUserId]);
  const ids = rows[0]?.ids;
  if (!ids) return [];
  await from.client.query(ATTACH_OUTBOX, [ids, ownerUserId, (await outboxTo(to)).id]);
  return ids;
}

const SELECT_COPY_KEYS =
  "SELECT json_agg(json_build_object('channel_key', channel_key))::text AS keys FROM new_channel_keys WHERE NOT is_others";
/** $1: keys of channels as JSON. */
const SELECT_ATTACHMENTS = `
  SELECT to_json(a)::text AS row FROM json_to_recordset($1::json) AS k (channel_key bigint) JOIN attachments a USING (channel_key)
  WHERE a.bot_key < ${FIRST_FEED_KEY}`;
/** $1: the owner, $2: what is held, by table, as JSON. */
const HOLD = "UPDATE owner_moves SET held = $2 WHERE owner_user_id = $1";
const IS_HELD = `channel_key = ANY (ARRAY(SELECT channel_key FROM ${heldOf("channels")}))`;
/** $1: the owner. A name that another one has there would only be found when the owner has left. */
const TAKE_SLUGS = `
  UPDATE channels c SET slug = h.slug FROM ${heldOf("channels")} h WHERE c.channel_key = h.channel_key AND c.slug <> h.slug`;

/**
 * Keeps in the last step what makes channels of the copies, and bots of guests, which stay what they are until it is decided that the owner has left the
 * other cell.
 */
export async function holdForArrival(
  { from, to, ownerUserId, rows }: Copying,
  incarnation: number,
): Promise<void> {
  const held: Record<string, string> = { incarnation: String(incarnation) };
  const { rows: copies } = await to.client.query<{ keys: string | null }>(SELECT_COPY_KEYS);
  const keys = copies[0]?.keys;
  if (keys) {
    const attached = await from.client.query<{ row: string }>(SELECT_ATTACHMENTS, [keys]);
    const found = {
      channels: (await rows.read(tableOf("channels"), keys)).rows,
      attachments: attached.rows.map(({ row }) => row),
    };
    for (const table of ["channels", "attachments"] as const)
      held[table] = (await rows.held(tableOf(table), found[table])) ?? "[]";
  }
  for (const table of (await adoptedKeys(to)).length > 0 ? HELD_OF_BOTS : []) {
    const { rows: found } = await from.client.query<{ row: string }>(texts(tableOf(table), ownerUserId));
    held[table] =
      (await rows.held(
        tableOf(table),
        found.map(({ row }) => row),
      )) ?? "[]";
  }
  if (Object.keys(held).length === 1) return;
  await to.client.query(HOLD, [
    ownerUserId,
    `{${Object.entries(held)
      .map(([table, json]) => `"${table}":${json}`)
      .join()}}`,
  ]);
  await to.client.query(TAKE_SLUGS, [ownerUserId]);
}

const HAS_HELD =
  "SELECT FROM owner_moves WHERE owner_user_id = $1 AND held::json -> 'channels' ->> 0 IS NOT NULL";
/** $1: the owner, as of all of these. The bots of the cell are in the channels as they were; the bytes are counted for the owner from now on. */
const ADOPT: readonly string[] = [
  `DELETE FROM channels WHERE ${IS_HELD}`,
  `INSERT INTO channels OVERRIDING SYSTEM VALUE SELECT h.* FROM ${heldOf("channels")} h`,
  `INSERT INTO attachments SELECT h.* FROM ${heldOf("attachments")} h ON CONFLICT DO NOTHING`,
  `UPDATE attachments SET attached_by = $1 WHERE ${IS_HELD} AND attached_by = ${guestOwner("$1::text")}`,
  // A step that counts waits until this is committed.
  "SELECT event_key FROM kept_count WHERE $1::text IS NOT NULL FOR UPDATE",
  `WITH kept AS (DELETE FROM owner_kept WHERE owner_user_id = ${guestOwner("$1::text")} RETURNING bytes)
   INSERT INTO owner_kept AS k (owner_user_id, bytes) SELECT $1, bytes FROM kept
   ON CONFLICT (owner_user_id) DO UPDATE SET bytes = k.bytes + excluded.bytes`,
  `UPDATE kept_changes SET owner_user_id = $1 WHERE owner_user_id = ${guestOwner("$1::text")}`,
];

/** Makes the copies the channels, in the transaction that lets the owner in. @returns whether there are any */
export async function adoptCopies({ client }: CellSession, ownerUserId: string): Promise<boolean> {
  if (!(await client.query(HAS_HELD, [ownerUserId])).rowCount) return false;
  for (const statement of ADOPT) await client.query(statement, [ownerUserId]);
  return true;
}

const ROWS_PER_STEP = 1_000;
/** $1: the owner. */
const NAME_OWNER = `
  UPDATE events SET owner_user_id = $1 WHERE event_key = ANY (ARRAY(
    SELECT event_key FROM events WHERE owner_user_id = ${guestOwner("$1::text")} LIMIT ${ROWS_PER_STEP}))`;

/** What the copies have in the name of an owner as that of another cell is in their own. It may be run again. */
export async function nameOwner({ client }: CellSession, ownerUserId: string): Promise<void> {
  while ((await client.query(NAME_OWNER, [ownerUserId])).rowCount === ROWS_PER_STEP);
}
