import type { ValueStore } from "../state/values.js";

/** What is used of a database: that of `node:sqlite`, `bun:sqlite` and `better-sqlite3` alike. */
export interface SqliteDatabase {
  /** Runs statements without parameters. */
  exec(sql: string): unknown;
  /** Prepares a statement with positional parameters. */
  prepare(sql: string): { get(...parameters: string[]): unknown; run(...parameters: string[]): unknown };
}

interface SqliteModule {
  DatabaseSync: new (path: string) => SqliteDatabase;
}

/** How long a write waits for another process that writes, in milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;

/**
 * Stores values in SQLite, in the table `botyard_values`, which is created if there is none.
 *
 * @param database the path of a file, opened with `node:sqlite` in WAL mode; or a database that is open
 * @param name stores with different names in one database share nothing; `values` unless given
 * @throws {TypeError} for a path where `node:sqlite` does not exist
 * @example
 * bot.use(session({ store: sqliteValues("bot.db", "sessions") }));
 */
export function sqliteValues(database: string | SqliteDatabase, name = "values"): ValueStore {
  const opened = typeof database === "string" ? open(database) : database;
  opened.exec(
    `CREATE TABLE IF NOT EXISTS botyard_values (
       store TEXT NOT NULL,
       key TEXT NOT NULL,
       value TEXT NOT NULL,
       PRIMARY KEY (store, key)
     ) WITHOUT ROWID`,
  );
  const own = {
    // Some libraries close a database that nothing refers to any more, though its statements are in use.
    database: opened,
    // Parameters: store, key.
    read: opened.prepare("SELECT value FROM botyard_values WHERE store = ? AND key = ?"),
    // Parameters: store, key, value.
    write: opened.prepare(
      `INSERT INTO botyard_values (store, key, value) VALUES (?, ?, ?)
       ON CONFLICT (store, key) DO UPDATE SET value = excluded.value`,
    ),
    // Parameters: store, key.
    remove: opened.prepare("DELETE FROM botyard_values WHERE store = ? AND key = ?"),
  };
  return {
    async read(key) {
      const row = own.read.get(name, key) as { value: string } | null | undefined;
      return row ? (JSON.parse(row.value) as unknown) : undefined;
    },
    async write(key, value) {
      own.write.run(name, key, JSON.stringify(value));
    },
    async delete(key) {
      own.remove.run(name, key);
    },
  };
}

function open(path: string): SqliteDatabase {
  // Not imported, so that this file loads where the module does not exist.
  const sqlite = globalThis.process?.getBuiltinModule?.("node:sqlite") as SqliteModule | undefined;
  if (!sqlite) {
    throw new TypeError(
      "node:sqlite is missing here: it needs Node 22.13 or newer; or pass a database of better-sqlite3 or bun:sqlite instead of its path",
    );
  }
  const database = new sqlite.DatabaseSync(path);
  database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA journal_mode = WAL`);
  return database;
}
