import type { CellEntry, CellIdentity } from "./directory.js";

/** Of a database that DATABASE_URL must not name. */
export function notTheDirectory(database: string, cell: string): string {
  return `${database} is the cell ${cell}: DATABASE_URL has to name the database with the directory of the cells`;
}

/**
 * @param cell what a schema says that it is
 * @returns undefined when it is the cell that the directory takes it for
 */
export function whyNotTheCell(
  { name, number }: CellEntry,
  cell: CellIdentity | undefined,
  directoryId: string,
): string | undefined {
  if (!cell) return "its schema was not made a cell: run botyard cells add again";
  if (cell.directoryId === directoryId && cell.name === name && cell.number === number) return undefined;
  return `its schema is the cell ${cell.name} of another directory, or a copy of it`;
}
