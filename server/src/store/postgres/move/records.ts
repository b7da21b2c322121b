import type pg from "pg";
import { CLOCK_NOW } from "../connection/database-clock.js";
import { notifyServices } from "../connection/hints.js";
import type { CellSession } from "./session.js";

/** States of `owner_moves`. LEFT decides: from then on the owner lives in the other cell. */
export const LEAVING = 1;
export const PAUSED = 2;
export const LEFT = 3;
export const ARRIVING = 4;

export interface MoveRecord {
  moveId: string;
  state: number;
  otherCell: string;
  /** The log of the feed that still has entries of an owner who has left. */
  feedLog?: number | null;
}

export interface MoveRecords {
  from: MoveRecord | undefined;
  to: MoveRecord | undefined;
}

const SELECT = `
  SELECT move_id AS "moveId", state, other_cell AS "otherCell", feed_log AS "feedLog" FROM owner_moves WHERE owner_user_id = $1`;
/** $1: the owner, $2: the move, $3: its state, $4: the other cell, $5: for how long the owner's writes are refused, in milliseconds. */
const PUT = `
  INSERT INTO owner_moves (owner_user_id, move_id, state, other_cell, paused_until, changed_at)
  VALUES ($1, $2, $3, $4, ${CLOCK_NOW} + $5::bigint, ${CLOCK_NOW})
  ON CONFLICT (owner_user_id) DO UPDATE SET move_id = excluded.move_id, state = excluded.state, other_cell = excluded.other_cell,
    paused_until = excluded.paused_until, changed_at = excluded.changed_at, held = NULL`;
const REMOVE = "DELETE FROM owner_moves WHERE owner_user_id = $1 AND move_id = $2 AND state = $3";

/** SQL of the rows of a table that are held in the record until the owner is let in, as they will be. $1: the owner. */
export const heldOf = (table: string) => `
  json_populate_recordset(NULL::${table}, (SELECT coalesce(held::json -> '${table}', '[]') FROM owner_moves WHERE owner_user_id = $1))`;

export async function readRecord(client: pg.Client, ownerUserId: string): Promise<MoveRecord | undefined> {
  return (await client.query<MoveRecord>(SELECT, [ownerUserId])).rows[0];
}

export async function putRecord(
  client: pg.Client,
  ownerUserId: string,
  { moveId, state, otherCell }: MoveRecord,
  pauseMs: number | null = null,
): Promise<void> {
  await client.query(PUT, [ownerUserId, moveId, state, otherCell, pauseMs]);
}

export async function removeRecord(
  client: pg.Client,
  ownerUserId: string,
  { moveId, state }: Omit<MoveRecord, "otherCell">,
): Promise<void> {
  await client.query(REMOVE, [ownerUserId, moveId, state]);
}

export async function readRecords(
  from: CellSession,
  to: CellSession,
  ownerUserId: string,
): Promise<MoveRecords> {
  return {
    from: await readRecord(from.client, ownerUserId),
    to: await readRecord(to.client, ownerUserId),
  };
}

/** Whether the owner has left, but is not open in the other cell yet. */
export function isDecided({ from, to }: MoveRecords): boolean {
  return from?.state === LEFT && to?.state === ARRIVING && from.moveId === to.moveId;
}

/** Whether something is left of a move that was interrupted before it was decided. */
export function isUndecided(records: MoveRecords, fromName: string): boolean {
  const { from, to } = records;
  const isLeaving = from?.state === LEAVING || from?.state === PAUSED;
  return isLeaving || (to?.state === ARRIVING && to.otherCell === fromName && !isDecided(records));
}

/** Tells the services of a cell that the owner's record has changed. */
export const hintMove = ({ client }: CellSession, ownerUserId: string) =>
  notifyServices(client, { moved: [ownerUserId] });
