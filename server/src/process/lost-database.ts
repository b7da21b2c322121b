import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { hasKey } from "./data-dir.js";

const RESTORE = "put a backup in its place with botyard restore";
/** What to do about a database that cannot be used any more. */
export const RESTORE_INSTEAD = `stop the service, move the files botyard.db* away and ${RESTORE}`;

/**
 * Why a new database must not be begun in a data folder: there was one. Of a file with bytes {@link emptiedDatabase} says so. `secret.key` is made after the database, so it
 * is never there alone; an empty file is what a full disk or an interrupted restore leaves.
 *
 * @returns a sentence that says what to do; undefined when the folder has a database, or never had one
 */
export function lostDatabase(dataDir: string): string | undefined {
  const database = join(dataDir, "botyard.db");
  const key = join(dataDir, "secret.key");
  const bytes = existsSync(database) ? statSync(database).size : undefined;
  if (bytes === 0) return `${database} is empty (0 bytes): ${insteadOfBeginning(database, key)}`;
  if (bytes === undefined && hasKey(dataDir, "secret.key"))
    return `${database} is missing, and ${key} was made for it: ${RESTORE}; only to begin anew, without any data, remove ${key}`;
  return undefined;
}

/**
 * Why a new database must not be begun in a file without tables: it had some. A first start that ends too early leaves such a file too, but without
 * `secret.key`, which is made when all tables are there.
 *
 * @returns a sentence that says what to do; undefined when the file may never have had any
 */
export function emptiedDatabase(dataDir: string): string | undefined {
  if (!hasKey(dataDir, "secret.key")) return undefined;
  const database = join(dataDir, "botyard.db");
  const key = join(dataDir, "secret.key");
  return `${database} has no tables, and ${key} was made when it had them: ${insteadOfBeginning(database, key)}`;
}

function insteadOfBeginning(database: string, key: string): string {
  return `${RESTORE_INSTEAD}; only to begin anew, without any data, remove it and ${key}`;
}
