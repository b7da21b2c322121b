import { closeSync, openSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Database, isBusy, openDatabase } from "../binding.js";
import { type MigrateOptions, migrate } from "../schema/schema.js";

/** Readable and writable by the service's user only; SQLite gives its journal the same. */
const FILE_MODE = 0o600;
/** Of a data folder: locked by whoever uses it. */
export const LOCK_FILE = "botyard.lock";
/** A backup or an open `sqlite3` shell may hold the lock for a moment; the thread waits this long before a call fails. */
const LOCK_TIMEOUT_MS = 250;

export interface Files {
  database: Database;
  /**
   * Whether the open files are still those of the directory. When they were removed or replaced, what is written is lost at
   * the end of this process, and another service may have started beside it. Takes 5 µs.
   */
  areInPlace(): boolean;
  close(): void;
}

/**
 * Opens the database in `dataDir`, makes it if need be and brings it to the newest schema.
 *
 * `botyard.lock` keeps a second service out: it is locked as long as this process lives, and the system releases it however
 * the process ends. The database itself stays open to backups.
 *
 * @throws Error with one line that says why the directory cannot be used
 */
export async function openFiles(dataDir: string, options: MigrateOptions = {}): Promise<Files> {
  const paths = [join(dataDir, LOCK_FILE), join(dataDir, "botyard.db")] as const;
  const [, databasePath] = paths;
  const lock = await lockFolder(dataDir);
  try {
    const database = await openPrivate(databasePath, LOCK_TIMEOUT_MS);
    const identities = paths.map(identityOf);
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA temp_store = MEMORY;
      PRAGMA cache_size = -65536;
      PRAGMA wal_autocheckpoint = 4000;
      PRAGMA journal_size_limit = 67108864;
    `);
    migrate(database, options);
    return {
      database,
      areInPlace: () => paths.every((path, index) => identityOf(path) === identities[index]),
      close() {
        database.close();
        lock.close();
      },
    };
  } catch (error) {
    lock.close();
    throw error;
  }
}

/**
 * Locks a folder against services until the database that comes back is closed.
 *
 * @throws Error with one line when a service uses it
 */
export async function lockFolder(dataDir: string): Promise<Database> {
  const lock = await openPrivate(join(dataDir, LOCK_FILE), 0);
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return lock;
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw error;
    throw new Error(`another Botyard service uses ${dataDir}: stop it, or use another folder (DATA_DIR)`, {
      cause: error,
    });
  }
}

async function openPrivate(path: string, lockTimeoutMs: number): Promise<Database> {
  closeSync(openSync(path, "a", FILE_MODE));
  return await openDatabase(path, lockTimeoutMs);
}

/**
 * Device and inode of the file at a path; undefined without one. It is never opened for that: closing another descriptor of
 * a file would release the locks that SQLite holds on it.
 */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev} ${ino}`;
  } catch {
    return undefined;
  }
}
