import { join, resolve } from "node:path";
import { ConfigError } from "./config-error.js";
import { unusable } from "./environment.js";
import type { Environment } from "./schema.js";
import { durationOrNaN } from "./values.js";

/** How a data folder is backed up while the service runs. */
export interface BackupSettings {
  /** Absolute. */
  readonly folder: string;
  readonly everyMs: number;
  /** How many backups are kept. */
  readonly keep: number;
}

const MIN_EVERY_MS = 1_000;
const MAX_EVERY_MS = 7 * 86_400_000;

/**
 * @returns undefined when no backups are made
 * @throws ConfigError when there is no file to back up
 */
export function backupSettings(environment: Environment): BackupSettings | undefined {
  const { BACKUP_EVERY: every, BACKUP_KEEP: keep, BACKUP_DIR: folder, DATA_DIR: dataDir } = environment;
  if (every === undefined) return undefined;
  if (environment.DATABASE_URL !== undefined)
    throw new ConfigError(
      "BACKUP_EVERY is for the database in DATA_DIR: with DATABASE_URL remove it, and back PostgreSQL up by its own tools (docs/operations.md)",
    );
  const everyMs = durationOrNaN(every);
  if (!(everyMs >= MIN_EVERY_MS && everyMs <= MAX_EVERY_MS)) throw unusable("BACKUP_EVERY", every);
  return Object.freeze({ folder: resolve(folder ?? join(dataDir, "backups")), everyMs, keep });
}
