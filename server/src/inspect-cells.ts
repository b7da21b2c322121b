import { databaseOf } from "./cell-addresses.js";
import type { SharedDatabase } from "./config.js";
import { notTheDirectory, whyNotTheCell } from "./store/cells/cell-identity.js";
import type { CellEntry } from "./store/cells/directory.js";
import type { Inspection } from "./store/inspection.js";
import { inspectPostgres } from "./store/postgres/inspect.js";

/** A cell of a directory, to be looked at. */
export interface ListedCell {
  entry: CellEntry;
  database: SharedDatabase;
  /** Whether it is in the schema of the directory. */
  isOfDirectory: boolean;
}

/**
 * The cells of the directory that was looked at, by number; none when it is an ordinary database.
 *
 * @throws Error with one line when it is a cell, which is reached through its directory
 */
export async function listCellsOf(directory: SharedDatabase, inspection: Inspection): Promise<ListedCell[]> {
  const { cell, list } = await inspection.cells();
  if (!list && cell) throw new Error(notTheDirectory(directory.name, cell.name));
  const entries = list?.cells ?? [];
  return entries.map((entry) => ({
    entry,
    database: databaseOf(directory, entry, entries),
    isOfDirectory: cell?.name === entry.name && cell.directoryId === list?.directoryId,
  }));
}

/**
 * Looks at a cell, beside the services.
 *
 * @throws StoreUnavailable when it cannot be reached; Error with one line when its schema is another cell, or none
 */
export async function inspectCell({ entry, database }: ListedCell, directoryId: string): Promise<Inspection> {
  const inspection = await inspectPostgres(database, database.name, `the database of the cell ${entry.name}`);
  try {
    const { cell } = await inspection.cells();
    const reason = whyNotTheCell(entry, cell, directoryId);
    if (reason !== undefined) throw new Error(reason);
    return inspection;
  } catch (error) {
    await inspection.close();
    throw error;
  }
}

/** What is wrong with a database of a cell that does not compare texts by their bytes: lists of owners over several cells are merged so. */
export function wrongCollation(collation: string): string {
  return `the database has the collation ${collation}, so the platform's lists of owners may leave some out`;
}
