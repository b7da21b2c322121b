import { randomUUID } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** As `server/test/support/postgres-servers.ts` provides it. */
    postgresUrl: string;
  }
}

/** An empty database on the tests' PostgreSQL. */
export interface EmptyDatabase {
  name: string;
  pool: pg.Pool;
  remove(): Promise<void>;
}

export async function createDatabase(): Promise<EmptyDatabase> {
  const name = `sdk_${randomUUID().replaceAll("-", "")}`;
  await runAsAdmin(`CREATE DATABASE ${name}`);
  const pool = new pg.Pool({ connectionString: `${inject("postgresUrl")}/${name}` });
  // `pool.end()` does not wait for this: a connection that the server ends before is an error that nobody catches.
  const closed: Promise<void>[] = [];
  pool.on("connect", (client) => closed.push(new Promise((resolve) => client.once("end", resolve))));
  return {
    name,
    pool,
    async remove() {
      await pool.end();
      await Promise.all(closed);
      await runAsAdmin(`DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

async function runAsAdmin(statement: string): Promise<void> {
  const admin = new pg.Client({ connectionString: `${inject("postgresUrl")}/postgres` });
  await admin.connect();
  await admin.query(statement);
  await admin.end();
}
