import type pg from "pg";
import { remainsParts } from "../upkeep/remains.js";
import { usageCounts } from "../upkeep/usage-counts.js";
import { destinationsOfOwner } from "./owner-tables.js";
import type { CellSession } from "./session.js";

/** Rows that one step of an erasure changes. */
const ROWS_PER_STEP = 1_000;

/**
 * Erases what the owner has deleted in the cell, as its upkeep does, which may be doing it too.
 *
 * @param onStep called after each step with which it is not over
 */
export async function eraseRemains(
  { upkeep }: CellSession,
  ownerUserId: string,
  onStep: () => void = () => {},
): Promise<void> {
  const { erase } = remainsParts(upkeep, usageCounts(upkeep));
  while ((await erase({ kind: "erase", ownerUserId }, ROWS_PER_STEP)).isMore) onStep();
}

/** $1: the owner. */
const HAS_REMAINS = `
  SELECT EXISTS (SELECT FROM erased_posts WHERE owner_user_id = $1) OR EXISTS (SELECT FROM removed_channels WHERE owner_user_id = $1 AND id IS NULL)
    OR EXISTS (SELECT FROM removed_bots WHERE owner_user_id = $1) AS remain`;

export async function hasRemains(client: pg.Client, ownerUserId: string): Promise<boolean> {
  const { rows } = await client.query<{ remain: boolean }>(HAS_REMAINS, [ownerUserId]);
  return rows[0]?.remain ?? false;
}

/** Erases the events that name the owner, and their audit, which nobody looks for in this cell any more. */
export async function eraseNamed({ upkeep }: CellSession, ownerUserId: string): Promise<void> {
  const { eraseNames } = remainsParts(upkeep, usageCounts(upkeep));
  while (await eraseNames(ownerUserId, ROWS_PER_STEP));
}

/** $1: the owner. */
const CLEAR_AUDIT = `
  DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE owner_user_id = $1 ORDER BY id LIMIT ${ROWS_PER_STEP})`;

/** Removes the audit of an owner who has left, with what an erasure keeps: all of it is in the cell that they went to. */
export async function clearAuditOf({ client }: CellSession, ownerUserId: string): Promise<void> {
  while ((await client.query(CLEAR_AUDIT, [ownerUserId])).rowCount === ROWS_PER_STEP);
}

/** What a cell has counted of an owner who has nothing there: copies of their channels are counted with others. $1: the owner. */
const FORGET_KEPT = ["kept_changes", "owner_kept"].map(
  (table) => `DELETE FROM ${table} WHERE owner_user_id = $1`,
);

export async function forgetKept(client: pg.Client, ownerUserId: string): Promise<void> {
  for (const statement of FORGET_KEPT) await client.query(statement, [ownerUserId]);
}

/** With ids while the feed needs them, so that they stay until then. $1: the owner. */
const REMEMBER_CHANNELS = `
  WITH kept AS MATERIALIZED (SELECT EXISTS (SELECT FROM owner_moves WHERE owner_user_id = $1 AND feed_log IS NOT NULL) AS by_feed)
  INSERT INTO removed_channels (channel_key, owner_user_id, id, external_id)
  SELECT channel_key, owner_user_id, CASE WHEN by_feed THEN id END, CASE WHEN by_feed THEN external_id END
  FROM kept CROSS JOIN channels WHERE owner_user_id = $1
  ON CONFLICT DO NOTHING`;
/** $1: the owner, $2: the keys of their destinations. */
const REMEMBER_DESTINATIONS = `
  INSERT INTO removed_bots (bot_key, owner_user_id) SELECT key, $1 FROM unnest($2::bigint[]) AS key ON CONFLICT DO NOTHING`;

/**
 * Removes the rows that lead to all others, and remembers what these are, for the upkeep to erase step by step as after a deletion: so a cell is
 * cleared whatever becomes of the move. Attachments are erased with their bots. Neither the feed nor the audit log is told.
 *
 * @param keys of the owner's destinations
 */
export async function removeOwner(
  client: pg.Client,
  ownerUserId: string,
  keys: readonly number[],
): Promise<void> {
  await client.query(REMEMBER_CHANNELS, [ownerUserId]);
  await client.query(REMEMBER_DESTINATIONS, [ownerUserId, keys]);
  await client.query("DELETE FROM consumers WHERE bot_key = ANY ($1::bigint[])", [keys]);
  await client.query("DELETE FROM lanes WHERE bot_key = ANY ($1::bigint[])", [keys]);
  await client.query("DELETE FROM destinations WHERE destination_key = ANY ($1::bigint[])", [keys]);
  for (const table of ["channels", "bots", "webhook_logs", "alerts", "owner_usage"])
    await client.query(`DELETE FROM ${table} WHERE owner_user_id = $1`, [ownerUserId]);
  await client.query("DELETE FROM owners WHERE user_id = $1", [ownerUserId]);
}

export async function destinationKeys(client: pg.Client, ownerUserId: string): Promise<number[]> {
  const { rows } = await client.query<{ key: number }>(
    `SELECT destination_key AS key FROM ${destinationsOfOwner("$1")} d`,
    [ownerUserId],
  );
  return rows.map(({ key }) => key);
}

/** Where an owner has not arrived, only destinations tell which are theirs, and no index finds them. */
export async function arrivedDestinationKeys(client: pg.Client, ownerUserId: string): Promise<number[]> {
  const { rows } = await client.query<{ key: number }>(
    "SELECT destination_key AS key FROM destinations WHERE owner_user_id = $1",
    [ownerUserId],
  );
  return rows.map(({ key }) => key);
}
