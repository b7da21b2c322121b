import { join } from "node:path";
import pg from "pg";
import { openDatabase } from "#botyard/store/sqlite/binding.js";
import type { StoreHome } from "./engines.js";

/** How many rows of a table match a condition, also while a store is open. */
export async function countRows(home: StoreHome, table: string, condition = "1 = 1"): Promise<number> {
  const [row] = await runSql(home, `SELECT count(*) AS count FROM ${table} WHERE ${condition}`);
  return Number((row as { count: number | string } | undefined)?.count);
}

/** Runs a statement that both engines know, also while a store is open. @returns its rows */
export async function runSql(home: StoreHome, sql: string): Promise<unknown[]> {
  const url = home.environment["DATABASE_URL"];
  if (url === undefined) {
    const db = await openDatabase(join(home.dataDir, "botyard.db"), 10_000);
    const rows = db.prepare(sql).all();
    db.close();
    return rows;
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows as unknown[];
}
