import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { inject } from "vitest";
import { openPostgresStore } from "#botyard/store/postgres/open.js";
import { openSqliteStore } from "#botyard/store/sqlite/open.js";
import type { Store } from "#botyard/store/store.js";

/** A place where an engine keeps its data: opened any number of times, one after the other. */
export interface StoreHome {
  open(): Promise<Store>;
  remove(): Promise<void>;
}

interface StoreEngine {
  name: string;
  createHome(): Promise<StoreHome>;
}

/** Every engine there is; each suite that is about the store runs once for each. */
export const storeEngines: StoreEngine[] = [
  { name: "sqlite", createHome: createSqliteHome },
  { name: "postgres", createHome: createPostgresHome },
];

async function createSqliteHome(): Promise<StoreHome> {
  const dataDir = await mkdtemp(join(tmpdir(), "botyard-store-"));
  return {
    open: () => openSqliteStore({ dataDir }),
    remove: () => rm(dataDir, { recursive: true, force: true }),
  };
}

async function createPostgresHome(): Promise<StoreHome> {
  const { url, drop } = await createPostgresDatabase();
  return {
    open: () =>
      openPostgresStore({
        url,
        poolSize: 5,
        onConnectionError(error) {
          console.error(error);
        },
      }),
    remove: drop,
  };
}

/** A database of its own on the tests' PostgreSQL server. */
export async function createPostgresDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const server = inject("postgresUrl");
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await onServer(server, `CREATE DATABASE ${name}`);
  return { url: `${server}/${name}`, drop: () => onServer(server, `DROP DATABASE ${name} WITH (FORCE)`) };
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${url}/postgres` });
  await client.connect();
  await client.query(statement);
  await client.end();
}
