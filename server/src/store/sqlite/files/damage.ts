import type { Database } from "../binding.js";

/** The tables of a database, in which {@link damageIn} looks one after the other. */
export function tablesOf(db: Database): string[] {
  const rows = db
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .all() as { name: string }[];
  return rows.map(({ name }) => name);
}

/**
 * Reads every page of a table and of its indexes. It keeps nobody from writing, and takes a second for each gigabyte that
 * is in the page cache.
 *
 * @returns the first fault that was found; undefined when all pages are sound
 */
export function damageIn(db: Database, table: string): string | undefined {
  const found = firstFault(db, table);
  return found === "ok" ? undefined : `table ${table}: ${found.trim().replaceAll(/\s*\n\s*/g, " ")}`;
}

/** SQLite reports faults of a page as rows, and one that it cannot even read as an error. */
function firstFault(db: Database, table: string): string {
  try {
    return (db.prepare(`PRAGMA quick_check("${table}")`).get() as { quick_check: string }).quick_check;
  } catch (error) {
    return (error as Error).message;
  }
}
