import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { syncFile, syncFolder } from "../../files/durable.js";
import { LOCK_FILE, lockFolder } from "../sqlite/files/files.js";
import { inProcess, type Result } from "./in-process.js";
import type { ByteProgress } from "./make-backup.js";
import { type Manifest, refuseOtherFiles } from "./manifest.js";

export interface UnpackOptions {
  from: string;
  /** A folder that exists and has no database. */
  dataDir: string;
  onProgress(progress: ByteProgress): void;
  /** Cancels it; nothing is left behind. */
  signal: AbortSignal;
}

/** A backup that was unpacked and checked, in a subfolder of the data folder. The data folder stays locked until `close`. */
export interface Unpacked {
  manifest: Manifest;
  /** A folder that can be opened as a data folder. */
  folder: string;
  /** Moves the database into the data folder. No store may be open in `folder` any more. */
  putInPlace(): void;
  /** Removes the subfolder and unlocks the data folder. */
  close(): void;
}

const FOLDER = "restoring";
const DATABASE = "botyard.db";

/**
 * @throws Error with one line when the file is no backup or damaged, when the folder has a database, or when a service uses it
 */
export async function unpackBackup({ from, dataDir, onProgress, signal }: UnpackOptions): Promise<Unpacked> {
  const target = join(dataDir, DATABASE);
  const folder = join(dataDir, FOLDER);
  const lock = await lockFolder(dataDir);
  const close = () => {
    rmSync(folder, { recursive: true, force: true });
    // The lock file stays: another process that waits for the lock has it open.
    lock.close();
  };
  try {
    if (existsSync(target))
      throw new Error(
        `${dataDir} has a database already: restore into an empty folder (DATA_DIR), or move that one away`,
      );
    // Left by a restore that was killed: we hold the lock, so it is not running any more.
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { mode: 0o700 });
    const file = join(folder, DATABASE);
    await copyFile(from, file, onProgress, signal);
    const { manifest, contents } = await inProcess(
      { kind: "take apart", file },
      ({ phase, bytes }) => onProgress({ phase, doneBytes: bytes, totalBytes: bytes }),
      signal,
    ).catch((error: unknown) => {
      signal.throwIfAborted();
      throw new Error(`${from} cannot be restored: ${(error as Error).message}`, { cause: error });
    });
    refuseDifference(manifest, contents, from);
    return {
      manifest,
      folder,
      putInPlace() {
        for (const name of readdirSync(folder))
          if (name !== DATABASE && name !== LOCK_FILE)
            throw new Error(`${join(folder, name)} is still in use`);
        syncFile(file);
        renameSync(file, target);
        rmSync(join(folder, LOCK_FILE), { force: true });
        rmdirSync(folder);
        syncFolder(dataDir);
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

async function copyFile(
  from: string,
  to: string,
  onProgress: UnpackOptions["onProgress"],
  signal: AbortSignal,
): Promise<void> {
  const handle = openBackup(from);
  try {
    const totalBytes = fstatSync(handle).size;
    refuseOtherFiles(handle, totalBytes, from);
    let doneBytes = 0;
    const counting = new Transform({
      transform(chunk: Buffer, _, done) {
        doneBytes += chunk.length;
        onProgress({ phase: "copying", doneBytes, totalBytes });
        done(undefined, chunk);
      },
    });
    const source = createReadStream("", { fd: handle, start: 0, autoClose: false, highWaterMark: 2 ** 20 });
    await pipeline(source, counting, createWriteStream(to, { flags: "wx", mode: 0o600 }), { signal });
  } catch (error) {
    signal.throwIfAborted();
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    throw new Error(`the disk of ${dirname(to)} is full: restoring needs twice the room of the backup`, {
      cause: error,
    });
  } finally {
    closeSync(handle);
  }
}

function openBackup(file: string): number {
  try {
    if (statSync(file).isDirectory()) throw new Error(`${file} is a folder, not a backup`);
    return openSync(file, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    throw new Error(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`, { cause: error });
  }
}

/** The file's structure was checked before; this finds missing and additional rows. */
function refuseDifference({ tables, schema }: Manifest, contents: Result["contents"], from: string): void {
  if (schema !== contents.schema)
    throw new Error(
      `${from} is damaged: its schema is ${contents.schema}, and was ${schema} when it was made`,
    );
  for (const name of new Set([...Object.keys(tables), ...Object.keys(contents.tables)])) {
    const [then, now] = [tables[name] ?? 0, contents.tables[name] ?? 0];
    if (then !== now)
      throw new Error(`${from} is damaged: ${name} has ${now} rows, and had ${then} when it was made`);
  }
}
