import pg from "pg";
import { describe, expect, it } from "vitest";
import { insertion } from "#botyard/store/copy/postgres-rows.js";
import { TABLES } from "#botyard/store/copy/tables.js";
import { openFiles } from "#botyard/store/sqlite/files/files.js";
import { createHomeOn } from "../support/engines.js";

/** Tables that hold nothing worth carrying over. */
const LEFT = new Set([
  "pings",
  "botyard_schema",
  "key_files",
  "sweep_marks",
  "upkeep",
  "incarnation",
  // Counted anew from the first event on.
  "owner_kept",
  "kept_count",
  "kept_changes",
  // A copy is a database of its own, whatever cell its source was.
  "cell",
  "owner_moves",
  // A copy has no other cell: what the feed still has of owners who have moved is erased there.
  "moved_bots",
  "directory",
  "directory_cells",
  "directory_owners",
  "directory_bots",
  "directory_tokens",
  "directory_feed",
  "directory_feed_moves",
]);
/** Who holds a lane is nobody's business once all services have stopped, nor what became of the database it was in. */
const LEFT_COLUMNS = new Set([
  "lanes.holder",
  "lanes.lease_until",
  "lanes.target_age_ms",
  "lanes.incarnation",
  "removed_channels.id",
  "removed_channels.external_id",
]);

/** The lists of what is copied are held to the schemas: whatever is added there must be added here. */
describe("every column of every table is copied", () => {
  it("of SQLite", async () => {
    const home = await createHomeOn("sqlite");
    await (await home.open()).close();
    const { database, close } = await openFiles(home.dataDir);
    const columns = database
      .prepare(`
        SELECT m.name || '.' || c.name AS "column" FROM sqlite_master m, pragma_table_info(m.name) c
        WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`)
      .all() as { column: string }[];
    close();
    await home.remove();
    const copied = TABLES.flatMap(({ name, columns }) =>
      Object.keys(columns).map((column) => `${name}.${column}`),
    );
    expect(worthCopying(columns)).toEqual(copied.sort());
  });

  it("of PostgreSQL", async () => {
    const home = await createHomeOn("postgres");
    await (await home.open()).close();
    const client = new pg.Client({ connectionString: home.environment.DATABASE_URL });
    await client.connect();
    const { rows } = await client.query<{ column: string }>(`
      SELECT table_name || '.' || column_name AS "column" FROM information_schema.columns
      WHERE table_schema = 'public'`);
    await client.end();
    await home.remove();
    const copied = TABLES.flatMap((table) =>
      columnsOf(insertion(table)).map((column) => `${table.name}.${column}`),
    );
    expect(worthCopying(rows)).toEqual(copied.sort());
  });
});

/** Those that the statement fills. */
function columnsOf(insertion: string): string[] {
  return /INSERT INTO \w+ \(([^)]*)\)/.exec(insertion)?.[1]?.split(",") ?? [];
}

function worthCopying(rows: readonly { column: string }[]): string[] {
  return rows
    .map(({ column }) => column)
    .filter((column) => !LEFT.has(column.split(".")[0] ?? "") && !LEFT_COLUMNS.has(column))
    .sort();
}
