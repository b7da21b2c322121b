import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { syncFolder, writeDurably } from "../../files/durable.js";

/** In the folder of the backups an id, in the data folder the same and where that folder is. */
const CLAIM = "backups.id";

interface Claim {
  id: string | undefined;
  /** Undefined in the folder of the backups. */
  folder?: string | undefined;
}

/**
 * Marks a folder as the one that this data folder is backed up to, unless it is another's. A service on an empty disk, because the
 * right one was not mounted, and a drill with the settings of the original would replace the backups of the database that matters.
 *
 * @throws Error with one line when the folder belongs to another data folder, or is not the one that it was
 */
export function claimFolder(folder: string, dataDir: string): void {
  const theirs = read(folder);
  const ours = read(dataDir);
  if (theirs.id !== undefined && theirs.id !== ours.id)
    throw new Error(
      `BACKUP_DIR ${folder} has the backups of another data folder than ${dataDir}. Is DATA_DIR the folder that it was? If it takes the place of the other, as after a restore, move the backups away, or set BACKUP_DIR to another folder`,
    );
  if (theirs.id === undefined && ours.folder === folder)
    throw new Error(
      `BACKUP_DIR ${folder} is not the folder that it was: is its disk mounted? To begin with an empty one, remove ${join(dataDir, CLAIM)}`,
    );
  const id = ours.id ?? randomUUID();
  if (ours.folder !== folder) write(dataDir, `${id} ${folder}`);
  if (theirs.id === undefined) write(folder, id);
}

/** @throws Error with one line when the folder is not the one that was claimed: a disk may have been unmounted */
export function refuseOtherFolder(folder: string, dataDir: string): void {
  if (read(folder).id === read(dataDir).id) return;
  throw new Error(
    `${folder} is not the folder that it was at the start (it has no ${CLAIM}): is its disk mounted?`,
  );
}

function read(folder: string): Claim {
  const file = join(folder, CLAIM);
  const text = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  const [id = "", ...rest] = text.split(" ");
  return { id: id || undefined, folder: rest.join(" ") || undefined };
}

function write(folder: string, text: string): void {
  const file = join(folder, CLAIM);
  rmSync(file, { force: true });
  writeDurably(file, `${text}\n`);
  syncFolder(folder);
}
