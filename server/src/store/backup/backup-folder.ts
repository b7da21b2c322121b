import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** A backup that was made by schedule. */
export interface FolderBackup {
  file: string;
  /** When it was begun, to the second. */
  madeAt: Date;
}

const NAME = /^botyard-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z\.db$/;
/** What {@link NAME} becomes while it is written, and what SQLite writes beside it. */
const DRAFT = /^botyard-[\dTZ-]+\.db\.\d+\.part(-journal)?$/;

/** The name of a backup that is begun at this time. Names sort by time, and have no colon, which Windows forbids. */
export function backupName(madeAt: Date): string {
  return `botyard-${madeAt.toISOString().slice(0, 19).replaceAll(":", "-")}Z.db`;
}

/** The backups in a folder by their names, oldest first. Other files are left out. */
export function backupsIn(folder: string): FolderBackup[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const [, day, hours, minutes, seconds] = NAME.exec(name) ?? [];
      if (day === undefined) return [];
      return [{ file: join(folder, name), madeAt: new Date(`${day}T${hours}:${minutes}:${seconds}Z`) }];
    });
}

/**
 * Removes all but the newest backups, and what a process that was killed has left unfinished.
 *
 * @returns how many backups were removed
 */
export function removeOldBackups(folder: string, keep: number): number {
  for (const name of readdirSync(folder)) if (DRAFT.test(name)) rmSync(join(folder, name), { force: true });
  const old = backupsIn(folder).slice(0, -keep);
  for (const { file } of old) rmSync(file, { force: true });
  return old.length;
}
