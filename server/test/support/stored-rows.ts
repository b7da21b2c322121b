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
export async function runSql(
  home: Pick<StoreHome, "dataDir" | "environment">,
  sql: string,
): Promise<unknown[]> {
  const connection = await connectSql(home);
  const rows = await connection.run(sql);
  await connection.close();
  return rows;
}

/** For many such statements: a connection costs PostgreSQL a process. */
export interface SqlConnection {
  run(sql: string): Promise<unknown[]>;
  close(): Promise<void>;
}

export async function connectSql({
  dataDir,
  environment,
}: Pick<StoreHome, "dataDir" | "environment">): Promise<SqlConnection> {
  const url = environment["DATABASE_URL"];
  if (url === undefined) {
    const db = await openDatabase(join(dataDir, "botyard.db"), 10_000);
    return { run: async (sql) => db.prepare(sql).all(), close: async () => db.close() };
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return { run: async (sql) => (await client.query(sql)).rows, close: () => client.end() };
}
