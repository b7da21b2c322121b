import type { CellEntry } from "../../cells/directory.js";
import type { Statement } from "../connection/connection.js";

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

export const SELECT_OWNER: Statement = {
  name: "select-cell-of-owner",
  text: "SELECT cell FROM directory_owners WHERE owner_user_id = $1",
};
/** $1: the owner, $2: where the directory has them, $3: where they are. */
export const MOVE_OWNER: Statement = {
  name: "move-owner",
  text: "UPDATE directory_owners SET cell = $3 WHERE owner_user_id = $1 AND cell = $2",
};
