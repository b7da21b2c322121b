import { closeSync, existsSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { syncFile, syncFolder } from "../../files/durable.js";
import { inProcess } from "./in-process.js";
import type { Manifest } from "./manifest.js";

export interface BackupOptions {
  /** The data folder; a service may be using it. */
  dataDir: string;
  /** Where the backup is written; nothing may be there. */
  to: string;
  version: string;
  /** The content of the key files, by file name. */
  keyFiles: Record<string, string>;
  onProgress(progress: ByteProgress): void;
  /** Cancels the backup; no file remains. */
  signal: AbortSignal;
}

export interface ByteProgress {
  phase: "copying" | "checking";
  doneBytes: number;
  totalBytes: number;
}

/** How often the size of the growing file is read. */
const LOOK_MS = 200;
const FILE_MODE = 0o600;

/**
 * Copies a consistent snapshot of a data folder's database into one file while a service may be writing: with a
 * write-ahead log (WAL), SQLite's readers and writers do not wait for each other. The WAL only cannot be emptied until
 * the copy is done.
 *
 * The file is written under another name, checked, synced and then renamed: so a file at `to` is always a complete
 * backup.
 *
 * @throws Error with one line that says why there is no backup; nothing is left behind then
 */
export async function makeBackup(options: BackupOptions): Promise<Manifest & { bytes: number }> {
  const { dataDir, to, version, keyFiles, onProgress, signal } = options;
  const from = join(dataDir, "botyard.db");
  if (!existsSync(from))
    throw new Error(`there is no botyard.db in ${dataDir}: set DATA_DIR to the folder of the service`);
  const there = statSync(to, { throwIfNoEntry: false });
  if (there?.isDirectory()) throw new Error(`${to} is a folder: name a file in it that is not there yet`);
  if (there) throw new Error(`${to} is there already: give each backup a name of its own`);
  const draft = `${to}.${process.pid}.part`;
  // SQLite fills an existing empty file, so its permissions are set before it has content.
  createEmpty(draft, to);
  let watching: NodeJS.Timeout | undefined;
  try {
    const madeAt = new Date().toISOString();
    const task = {
      kind: "back up",
      from,
      to: draft,
      manifest: { format: 1, version, madeAt, keyFiles },
    } as const;
    const { manifest } = await inProcess(
      task,
      ({ phase, bytes }) => {
        clearInterval(watching);
        const tell = () =>
          onProgress({ phase, doneBytes: Math.min(sizeOf(draft), bytes), totalBytes: bytes });
        tell();
        if (phase === "copying") watching = setInterval(tell, LOOK_MS);
      },
      signal,
    ).catch((error: unknown) => {
      // SQLite's own messages, for a full disk and for a limit on the size of files.
      const { message } = error as Error;
      signal.throwIfAborted();
      if (!message.includes("disk is full"))
        throw new Error(`${from} cannot be backed up: ${message}`, { cause: error });
      throw new Error(`the disk of ${dirname(to)} is full: the backup needs as much room as the database`, {
        cause: error,
      });
    });
    const bytes = sizeOf(draft);
    // `VACUUM INTO` syncs nothing.
    syncFile(draft);
    signal.throwIfAborted();
    if (existsSync(to)) throw new Error(`${to} is there by now: give each backup a name of its own`);
    renameSync(draft, to);
    syncFolder(dirname(to));
    return { ...manifest, bytes };
  } finally {
    clearInterval(watching);
    for (const end of ["", "-journal"]) rmSync(draft + end, { force: true });
  }
}

function createEmpty(file: string, to: string): void {
  try {
    closeSync(openSync(file, "wx", FILE_MODE));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? `there is no folder ${dirname(to)}` : code;
    throw new Error(`${to} cannot be written (${why})`, { cause: error });
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
