import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { hasKey } from "./data-dir.js";

const RESTORE = "put a backup in its place with botyard restore";
/** What to do about a database that cannot be used any more. */
export const RESTORE_INSTEAD = `stop the service, move the files botyard.db* away and ${RESTORE}`;

/**
 * Why a new database must not be begun in a data folder: there was one. `secret.key` is made after the database, so it
 * is never there alone; an empty file is what a full disk or an interrupted restore leaves.
 *
 * @returns a sentence that says what to do; undefined when the folder has a database, or never had one
 */
export function lostDatabase(dataDir: string): string | undefined {
  const database = join(dataDir, "botyard.db");
  const key = join(dataDir, "secret.key");
  const bytes = existsSync(database) ? statSync(database).size : undefined;
  if (bytes === 0)
    return `${database} is empty (0 bytes): ${RESTORE_INSTEAD}; only to begin anew, without any data, remove it and ${key}`;
  if (bytes === undefined && hasKey(dataDir, "secret.key"))
    return `${database} is missing, and ${key} was made for it: ${RESTORE}; only to begin anew, without any data, remove ${key}`;
  return undefined;
}
