import { join } from "node:path";
import pg from "pg";
import { openDatabase, type Statement } from "#botyard/store/sqlite/binding.js";
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

/** For many such statements: a connection costs PostgreSQL a process, and a statement that is the same again is not planned anew. */
export interface SqlConnection {
  /** @param texts for the placeholders in it, `?` on SQLite and `$1` on PostgreSQL */
  run(sql: string, texts?: readonly string[]): Promise<unknown[]>;
  close(): Promise<void>;
}

export async function connectSql({
  dataDir,
  environment,
}: Pick<StoreHome, "dataDir" | "environment">): Promise<SqlConnection> {
  const url = environment["DATABASE_URL"];
  if (url === undefined) {
    const db = await openDatabase(join(dataDir, "botyard.db"), 10_000);
    const statements = new Map<string, Statement>();
    return {
      async run(sql, texts = []) {
        const statement = statements.get(sql) ?? db.prepare(sql);
        statements.set(sql, statement);
        return statement.all(...texts);
      },
      close: async () => db.close(),
    };
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  /** Those that came before, by the name under which they are prepared. */
  const names = new Map<string, string>();
  return {
    async run(text, texts = []) {
      const name = names.get(text);
      if (name) return (await client.query({ name, text, values: [...texts] })).rows;
      names.set(text, `statement-${names.size}`);
      // Without a name, it may be several statements.
      return (await client.query(text, [...texts])).rows;
    },
    close: () => client.end(),
  };
}
