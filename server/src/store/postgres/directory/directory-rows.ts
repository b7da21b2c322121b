import type { CellEntry } from "../../cells/directory.js";
import type { FeedBoundary } from "../../cells/moves/owner-moves.js";
import type { Statement, Value } from "../connection/connection.js";

export const SELECT_DIRECTORY: Statement = {
  name: "select-directory",
  text: `SELECT directory_id AS "directoryId", version FROM directory`,
};
export const SELECT_CELLS: Statement = {
  name: "select-cells",
  text: `
    SELECT name, number, url, schema_name AS schema, is_draining AS "isDraining"
    FROM directory_cells ORDER BY number`,
};

/** A row of {@link SELECT_CELLS}. */
export interface CellRow {
  name: string;
  number: number;
  url: string | null;
  schema: string | null;
  isDraining: boolean;
}

export function entryOf({ name, number, url, schema, isDraining }: CellRow): CellEntry {
  return { name, number, isDraining, ...(url !== null && { url }), ...(schema !== null && { schema }) };
}

/** With the newest move of any owner: whoever knows where an owner lives has to know of the moves that led there. */
export const SELECT_OWNER: Statement = {
  name: "select-cell-of-owner",
  text: `
    SELECT cell, (SELECT max(position) FROM directory_feed_moves) AS "lastMove" FROM directory_owners WHERE owner_user_id = $1`,
};
/** $1: the owner, $2: where the directory has them, $3: where they are. */
export const MOVE_OWNER: Statement = {
  name: "move-owner",
  text: "UPDATE directory_owners SET cell = $3 WHERE owner_user_id = $1 AND cell = $2",
};
/**
 * One at a time, so that positions are committed in their order: who has read one has read all before it. $1: the move's id, $2: the move as JSON,
 * $3: the time.
 */
const NOTE_MOVE: Statement = {
  name: "note-feed-move",
  text: `
    WITH locked AS MATERIALIZED (
      SELECT pg_advisory_xact_lock(hashtextextended('botyard moves ' || coalesce(current_schema(), 'public'), 0)))
    INSERT INTO directory_feed_moves (move_id, move, moved_at) SELECT $1, $2, $3 FROM locked ON CONFLICT (move_id) DO NOTHING`,
};

/** The statement that notes a move for the readers of the feed, once. */
export function noteMove(moveId: string, move: FeedBoundary): { statement: Statement; values: Value[] } {
  return { statement: NOTE_MOVE, values: [moveId, JSON.stringify(move), Date.now()] };
}
