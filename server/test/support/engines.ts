import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, inject } from "vitest";
import { openPostgresStore } from "#botyard/store/postgres/open.js";
import { openDatabase } from "#botyard/store/sqlite/binding.js";
import { openSqliteStore } from "#botyard/store/sqlite/open.js";
import type { OnListenerError, Store } from "#botyard/store/store.js";
import { addCells, CELLS, openCellsAt, spanDeliveries } from "./cells.js";
import { TEMPLATE } from "./postgres-template.js";
import type { Environment } from "./program.js";
import { giveBack, takeEmptied, untilAbandoned } from "./reused-databases.js";
import { onServer } from "./server-session.js";

/** What a project of `vitest.config.ts` runs its tests on. */
type EngineName = "sqlite" | "postgres" | "installed-postgres" | "cells";

declare module "vitest" {
  interface ProvidedContext {
    engine: EngineName;
  }
}

/** A location for an engine's data, which can be opened repeatedly, once at a time. */
export interface StoreHome {
  /** This home's own folder, for the keys and files of a service. */
  dataDir: string;
  /** The variables, besides DATA_DIR, that make a service process use this store. */
  environment: Environment;
  open(options?: { onListenerError?: OnListenerError }): Promise<Store>;
  /** Blocks every write until the returned function is called. Reads continue. */
  lockWrites(): Promise<() => Promise<void>>;
  /**
   * Makes the engine refuse a kind of write to rows of a table for a lasting reason, until the returned function is
   * called.
   *
   * @param rows which rows, as an SQL condition on `OLD`, or on `NEW` for those that are inserted
   */
  refuse(write: "INSERT" | "UPDATE" | "DELETE", table: string, rows?: string): Promise<() => Promise<void>>;
  remove(): Promise<void>;
}

interface StoreEngine {
  name: EngineName;
  createHome(): Promise<StoreHome>;
}

/** The engine of the project that runs. */
export const engine: StoreEngine = {
  name: inject("engine"),
  createHome:
    { sqlite: createSqliteHome, cells: createCellsHome }[inject("engine") as string] ?? createPostgresHome,
};

/** A home on an engine of the test's choice, for tests that are about more than one. */
export function createHomeOn(name: "sqlite" | "postgres"): Promise<StoreHome> {
  return name === "sqlite" ? createSqliteHome() : createPostgresHome();
}

/** Two instances over one database: the same one twice where the engine has only one. */
export interface TwoStores {
  home: StoreHome;
  here: Store;
  there: Store;
  close(): Promise<void>;
}

export async function openTwoStores(): Promise<TwoStores> {
  const home = await engine.createHome();
  const here = await home.open();
  const there = engine.name === "sqlite" ? here : await home.open();
  return {
    home,
    here,
    there,
    async close() {
      await here.close();
      if (there !== here) await there.close();
      await home.remove();
    },
  };
}

/**
 * Opens two instances for all tests of a file or a `describe`, which therefore keep to owners and bots of their own.
 *
 * @param begin gets them before the first test
 */
export function useTwoStores(begin: (stores: TwoStores) => void | Promise<void>): void {
  let stores: TwoStores;
  beforeAll(async () => {
    stores = await openTwoStores();
    await begin(stores);
  });
  afterAll(() => stores.close());
}

/** A folder with a database that has the tables of today and no rows: to make them takes 10 ms of processor time. */
let emptySqlite: Promise<string> | undefined;

async function makeEmptySqlite(): Promise<string> {
  const dataDir = await makeDataDir();
  process.once("exit", () => rmSync(dataDir, { recursive: true, force: true }));
  const store = await openSqliteStore({ dataDir });
  await store.close();
  return dataDir;
}

async function createSqliteHome(): Promise<StoreHome> {
  emptySqlite ??= makeEmptySqlite();
  const dataDir = await makeDataDir();
  await copyFile(join(await emptySqlite, "botyard.db"), join(dataDir, "botyard.db"));
  return {
    dataDir,
    environment: {},
    open: (options) => openSqliteStore({ dataDir, ...options }),
    async lockWrites() {
      const intruder = await openDatabase(join(dataDir, "botyard.db"), 10_000);
      intruder.exec("BEGIN IMMEDIATE");
      return async () => {
        intruder.exec("ROLLBACK");
        intruder.close();
      };
    },
    async refuse(write, table, rows = "TRUE") {
      const change = async (sql: string): Promise<void> => {
        const intruder = await openDatabase(join(dataDir, "botyard.db"), 10_000);
        intruder.exec(sql);
        intruder.close();
      };
      await change(
        `CREATE TRIGGER refused BEFORE ${write} ON ${table} WHEN ${rows} BEGIN SELECT RAISE(ABORT, 'refused'); END`,
      );
      return () => change("DROP TRIGGER refused");
    },
    remove: () => rm(dataDir, { recursive: true, force: true }),
  };
}

async function createPostgresHome(): Promise<StoreHome> {
  const dataDir = await makeDataDir();
  const { url, drop } = await takeCopyOfTemplate(testServer());
  return homeOn(url, dataDir, drop);
}

function homeOn(url: string, dataDir: string, drop: () => Promise<void>): StoreHome {
  return {
    dataDir,
    environment: { DATABASE_URL: url },
    open: (options) =>
      openPostgresStore({
        ...options,
        url,
        poolSize: 5,
        onConnectionError(error) {
          console.error(error);
        },
      }),
    lockWrites: () => lockTables(url),
    async refuse(write, table, rows = "TRUE") {
      await onDatabase(
        url,
        `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''refused''; END';
        CREATE TRIGGER refused BEFORE ${write} ON ${table} FOR EACH ROW WHEN (${rows}) EXECUTE FUNCTION refuse()`,
      );
      return () => onDatabase(url, `DROP TRIGGER refused ON ${table}; DROP FUNCTION refuse()`);
    },
    async remove() {
      await drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** A PostgreSQL database that is divided into cells. What is refused is refused by the first one. */
async function createCellsHome(): Promise<StoreHome> {
  const dataDir = await makeDataDir();
  const { url, drop } = await takeDividedDatabase();
  return {
    ...homeOn(url, dataDir, drop),
    open: async () => spanDeliveries(await openCellsAt(url), url),
  };
}

/** A database with the tables of today and no rows: one that another test has left, or a new one. */
async function takeCopyOfTemplate(server: string): Promise<TestDatabase> {
  const url = takeEmptied(server) ?? (await createDatabaseAt(server, TEMPLATE)).url;
  return {
    url,
    async drop() {
      if (!(await giveBack(server, url, inject("templates")[server] ?? ""))) await dropDatabase(server, url);
    },
  };
}

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** A database with the tables of today and no rows, on the tests' PostgreSQL server. A test that changes more than rows may use it too. */
export function takePostgresDatabase(): Promise<TestDatabase> {
  return takeCopyOfTemplate(testServer());
}

/** A database without tables, which takes longer: for tests of what makes or needs them so. */
export async function createPostgresDatabase(): Promise<TestDatabase> {
  return await createDatabaseAt(testServer());
}

/**
 * A database that is divided into cells of these names: a copy of one that is made once for all tests. To divide each anew took
 * PostgreSQL up to a second of processor time, most of what a test of cells took.
 */
export async function takeDividedDatabase(names: readonly string[] = CELLS): Promise<TestDatabase> {
  const { url, drop } = await createDatabaseAt(testServer(), await dividedTemplate(testServer(), names));
  return {
    url,
    async drop() {
      await untilAbandoned(testServer(), url);
      await drop();
    },
  };
}

/** Those that are known to be made. */
const divided = new Set<string>();

/** Makes the database unless another process that runs tests has made it. @returns its name */
async function dividedTemplate(server: string, names: readonly string[]): Promise<string> {
  const template = `botyard_cells_${names.join("_")}`;
  if (divided.has(template)) return template;
  const client = new pg.Client({ connectionString: `${server}/postgres` });
  await client.connect();
  try {
    await client.query("SELECT pg_advisory_lock(hashtext($1))", [template]);
    const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = $1", [template]);
    if (rowCount === 0) {
      const { url } = await createDatabaseAt(server, TEMPLATE);
      await addCells(url, names);
      // Only now, since whoever finds one by this name takes it to be whole.
      await client.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} RENAME TO ${template}`);
    }
  } finally {
    await client.end();
  }
  divided.add(template);
  return template;
}

function testServer(): string {
  return inject(inject("engine") === "installed-postgres" ? "installedPostgresUrl" : "postgresUrl");
}

/**
 * @param server its URL, without the name of a database
 * @param template the database that it is a copy of; an empty one when left out
 */
export async function createDatabaseAt(server: string, template = "template1"): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  // By default all of the copy is written to the log, which takes twice as long. Before PostgreSQL 15 there was no choice.
  const strategy = server === inject("postgresUrl") ? "STRATEGY FILE_COPY" : "";
  await manage(server, `CREATE DATABASE ${name} TEMPLATE ${template} ${strategy}`);
  const url = `${server}/${name}`;
  return { url, drop: () => dropDatabase(server, url) };
}

async function dropDatabase(server: string, url: string): Promise<void> {
  await manage(server, `DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`);
}

/** Runs a statement about databases of a server. A test's own server may be stopped at any time. */
async function manage(server: string, statement: string): Promise<void> {
  if (server === testServer()) await onServer(server, statement);
  else await onDatabase(`${server}/postgres`, statement);
}

/** The SQLSTATE of a detected deadlock. */
const DEADLOCK = "40P01";

/** Runs one statement on a connection of its own. */
export async function onDatabase(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}

/**
 * Blocks every write to tables of a database until the returned function is called.
 *
 * @param tables all of them when left out
 */
export async function lockTables(url: string, tables?: readonly string[]): Promise<() => Promise<void>> {
  const intruder = new pg.Client({ connectionString: url });
  // A failed test may already have dropped the database.
  intruder.on("error", () => {});
  await intruder.connect();
  const { rows } = await intruder.query<{ name: string }>(
    `SELECT schemaname || '.' || tablename AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const names = tables ?? rows.map(({ name }) => name);
  await lockAll(intruder, names);
  return async () => {
    await intruder.query("ROLLBACK");
    await intruder.end();
  };
}

/** Tables are locked one by one, and a transaction of the service may lock them in another order. */
async function lockAll(intruder: pg.Client, names: readonly string[]): Promise<void> {
  for (;;) {
    try {
      await intruder.query(`BEGIN; LOCK TABLE ${names.join(", ")} IN EXCLUSIVE MODE`);
      return;
    } catch (error) {
      await intruder.query("ROLLBACK");
      if (!(error instanceof pg.DatabaseError) || error.code !== DEADLOCK) throw error;
    }
  }
}

function makeDataDir(): Promise<string> {
  return mkdtemp(join(tmpdir(), "botyard-test-"));
}
