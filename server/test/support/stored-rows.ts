import { join } from "node:path";
import pg from "pg";
import { openDatabase } from "#botyard/store/sqlite/binding.js";
import type { StoreHome } from "./engines.js";

/** How many rows of a table match a condition, also while a store is open. */
export async function countRows(home: StoreHome, table: string, condition = "1 = 1"): Promise<number> {
  const sql = `SELECT count(*) AS count FROM ${table} WHERE ${condition}`;
  const url = home.environment["DATABASE_URL"];
  if (url === undefined) {
    const db = await openDatabase(join(home.dataDir, "botyard.db"), 10_000);
    const { count } = db.prepare(sql).get() as { count: number };
    db.close();
    return count;
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ count: string }>(sql);
  await client.end();
  return Number(rows[0]?.count);
}
