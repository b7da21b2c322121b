import { join } from "node:path";
import type { Logger } from "pino";
import { makeFolder } from "../../files/make-folder.js";
import { backupName, backupsIn, removeOldBackups } from "./backup-folder.js";
import { claimFolder, refuseOtherFolder } from "./folder-claim.js";
import { makeBackup } from "./make-backup.js";

export interface BackupSchedule {
  /** Where the backups are. */
  folder: string;
  everyMs: number;
  /** How many are kept. */
  keep: number;
}

export interface ScheduledBackups {
  /** Backups that could not be made, since the start. */
  failures(): number;
  /** When the newest backup in the folder was made, in milliseconds since the epoch; undefined without one. */
  newestAt(): number | undefined;
  /** Ends one that is being made. Resolves when nothing of it is left. */
  stop(): Promise<void>;
}

export interface BackupSource {
  dataDir: string;
  version: string;
  /** The content of the key files, by file name; read anew for each backup. */
  keyFiles(): Record<string, string>;
}

/** The wait after a backup that failed: a full disk may have room by then. */
const RETRY_MS = 60_000;

/**
 * Backs a data folder up as long as the service runs. The first backup is due when the newest one in the folder is older than
 * `everyMs`, so a service that is restarted often makes no more of them.
 *
 * @throws Error with one line when the folder cannot be made, or belongs to another data folder
 */
export function startBackups(
  { folder, everyMs, keep }: BackupSchedule,
  { dataDir, version, keyFiles }: BackupSource,
  logger: Logger,
): ScheduledBackups {
  prepare(folder);
  claimFolder(folder, dataDir);
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let making: Promise<void> | undefined;
  let failures = 0;
  let newestAt = backupsIn(folder).at(-1)?.madeAt.getTime();

  const make = async (): Promise<void> => {
    const madeAt = new Date();
    const startedAt = performance.now();
    const file = join(folder, backupName(madeAt));
    try {
      refuseOtherFolder(folder, dataDir);
      const options = { dataDir, to: file, version, keyFiles: keyFiles(), onProgress: () => {} };
      const { bytes } = await makeBackup({ ...options, signal: stopping.signal });
      newestAt = madeAt.getTime();
      const removed = removeOldBackups(folder, keep);
      const tookMs = Math.round(performance.now() - startedAt);
      logger.info({ event: "backup_made", file, bytes, tookMs, removed }, "the database is backed up");
      schedule(everyMs - tookMs);
    } catch (err) {
      if (stopping.signal.aborted) return;
      failures += 1;
      logger.error({ event: "backup_failed", file, err }, "the database could not be backed up");
      schedule(Math.min(everyMs, RETRY_MS));
    }
  };

  const schedule = (waitMs: number): void => {
    if (stopping.signal.aborted) return;
    timer = setTimeout(() => {
      making = make();
    }, waitMs);
    timer.unref();
  };

  // A newest one from the future was made by another clock.
  const ageMs = newestAt === undefined ? everyMs : Math.max(0, Date.now() - newestAt);
  schedule(Math.max(0, everyMs - ageMs));
  return {
    failures: () => failures,
    newestAt: () => newestAt,
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await making;
    },
  };
}

function prepare(folder: string): void {
  try {
    makeFolder(folder, 0o700);
    backupsIn(folder);
  } catch (error) {
    throw new Error(
      `BACKUP_DIR ${folder} cannot be used: ${(error as Error).message}. Set it to a folder that this user can write to`,
      { cause: error },
    );
  }
}
