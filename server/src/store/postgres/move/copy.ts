import pg from "pg";
import { inTransaction } from "../connection/client.js";
import { takeChanges } from "./capture.js";
import { OWNER_TABLES, type OwnerTable, tableOf } from "./owner-tables.js";
import type { TableRows } from "./rows.js";
import { type CellSession, MoveRefused } from "./session.js";
import { noteAttachments } from "./shared-channels.js";

/** A payload has at most 64 KiB, so a chunk has at most 32 MB. */
const ROWS_PER_CHUNK = 500;
const CHANGES_PER_CHUNK = 2_000;
/** What is left for the time in which the owner's writes are refused. */
const FEW_CHANGES = 200;
const MAX_CHUNKS = 10_000;

export interface Copying {
  from: CellSession;
  to: CellSession;
  ownerUserId: string;
  rows: TableRows;
  onRows(table: string, rows: number): void;
  signal: AbortSignal | undefined;
}

/** Copies what is there; what changes meanwhile is noted. Each table as of one moment. */
export async function copyTables(copying: Copying): Promise<void> {
  const { from, ownerUserId, rows, onRows, signal } = copying;
  for (const table of OWNER_TABLES) {
    if (table.copied !== "changes") continue;
    await inTransaction(from.client, async () => {
      await from.client.query(`DECLARE moving NO SCROLL CURSOR FOR ${texts(table, ownerUserId)}`);
      for (;;) {
        signal?.throwIfAborted();
        const { rows: found } = await from.client.query<{ row: string }>(
          `FETCH ${ROWS_PER_CHUNK} FROM moving`,
        );
        await rows.write(
          table,
          found.map(({ row }) => row),
          false,
        );
        onRows(table.name, found.length);
        if (found.length < ROWS_PER_CHUNK) break;
      }
      await from.client.query("CLOSE moving");
    });
  }
}

/** The owner's rows as JSON. */
export const texts = ({ rowsOf }: OwnerTable, ownerUserId: string) =>
  `SELECT to_json(r)::text AS row FROM (${rowsOf(pg.escapeLiteral(ownerUserId))}) r`;

/** Copies what has changed until little is left. */
export async function catchUp(copying: Copying): Promise<void> {
  for (let chunk = 0; chunk < MAX_CHUNKS; chunk++) {
    copying.signal?.throwIfAborted();
    if ((await applyChanges(copying)) < FEW_CHANGES) return;
  }
  throw new MoveRefused("the owner writes faster than can be copied; try again at a quieter time");
}

/** What a deleted channel or destination leads to is erased by the upkeep of the cell that has it. */
const REMEMBER: Readonly<Record<string, string>> = {
  channels: `
    INSERT INTO removed_channels (channel_key, owner_user_id)
    SELECT channel_key, owner_user_id FROM channels JOIN json_to_recordset($1::json) AS k (channel_key bigint) USING (channel_key)
    ON CONFLICT DO NOTHING`,
  destinations: `
    INSERT INTO removed_bots (bot_key, owner_user_id)
    SELECT destination_key, owner_user_id
    FROM destinations JOIN json_to_recordset($1::json) AS k (destination_key bigint) USING (destination_key)
    ON CONFLICT DO NOTHING`,
};

/**
 * @param isPaused whether that is in the last step
 * @returns how many changes there were, of which more may be left
 */
export async function applyChanges(
  { from, to, ownerUserId, rows, onRows }: Copying,
  isPaused = false,
): Promise<number> {
  const { count, keys } = await takeChanges(from.client, CHANGES_PER_CHUNK);
  const changed = [];
  const attached = keys.get("attachments");
  if (attached) await noteAttachments(from, ownerUserId, attached);
  for (const table of OWNER_TABLES) {
    const ofTable = keys.get(table.name);
    if (ofTable && table.copied === "changes") changed.push({ table, ...(await rows.read(table, ofTable)) });
  }
  for (const { table, gone } of changed.toReversed()) {
    const remember = REMEMBER[table.name];
    if (remember && gone.length > 0) await to.client.query(remember, [`[${gone.join()}]`]);
    await rows.remove(table, gone);
  }
  for (const { table, rows: found } of changed) {
    await rows.write(table, found, isPaused);
    onRows(table.name, found.length);
  }
  return count;
}

/** Copies the tables that make the owner known in the cell. */
export async function copyLast({ from, to, ownerUserId, rows, onRows }: Copying): Promise<void> {
  for (const table of OWNER_TABLES) {
    if (table.copied !== "last") continue;
    const { rows: found } = await from.client.query<{ row: string }>(texts(table, ownerUserId));
    if (table === tableOf("owner_usage"))
      await to.client.query("DELETE FROM owner_usage WHERE owner_user_id = $1", [ownerUserId]);
    await rows.write(
      table,
      found.map(({ row }) => row),
      true,
    );
    onRows(table.name, found.length);
  }
}
