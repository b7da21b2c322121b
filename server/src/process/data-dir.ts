import { randomBytes } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { syncFolder, writeDurably } from "../files/durable.js";
import { makeFolder } from "../files/make-folder.js";

/** The keys that the service generates when none are configured. Each file holds 32 random bytes as base64. */
export type KeyFile = "owner-jwt.secret" | "secret.key";
const KEY_FILES: readonly KeyFile[] = ["owner-jwt.secret", "secret.key"];

export interface StoredKey {
  /** The text of the file; as `OWNER_JWT_SECRET` or `SECRET_KEY` it gives the same key. */
  text: string;
  file: string;
  /** Whether this call created it. */
  created: boolean;
}

const KEY_BYTES = 32;
const NOT_ALLOWED = new Set(["EACCES", "EPERM", "EROFS"]);
const READ_BY_OTHERS = 0o077;

/**
 * Creates the data folder when it does not exist, readable by its owner only.
 *
 * @param holds whether the database is there, which must be writable, or only keys, which may be in a read-only mount
 * @throws Error with one clear line when that cannot be done
 */
export function makeDataDir(dataDir: string, holds: "database" | "keys"): void {
  try {
    makeFolder(dataDir, 0o700);
    if (holds === "database") refuseReadOnly(dataDir);
  } catch (error) {
    throw new Error(`DATA_DIR ${dataDir} cannot be used: ${(error as Error).message}. ${ADVICE}`, {
      cause: error,
    });
  }
}

const ADVICE = "Set DATA_DIR to a folder that this user can write to";

function refuseReadOnly(dataDir: string): void {
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Error(`this user may not write to it (${code(error)})`, { cause: error });
  }
}

/** @throws Error with one clear line when the folder cannot be read */
export function hasKey(dataDir: string, name: KeyFile): boolean {
  const file = join(dataDir, name);
  try {
    return exists(file);
  } catch (error) {
    throw new Error(`${file} cannot be read (${code(error)})`, { cause: error });
  }
}

/**
 * A key from the data folder, generated when it does not exist. When several processes call this, one creates the key
 * and all read the same.
 *
 * @throws Error with one clear line when the key cannot be created or read, is not a key, or can be read by other users
 */
export function loadOrCreateKey(dataDir: string, name: KeyFile): StoredKey {
  const file = join(dataDir, name);
  try {
    const created = createKey(dataDir, file, randomBytes(KEY_BYTES).toString("base64"));
    return { text: readKey(file), file, created };
  } catch (error) {
    if (code(error) === undefined) throw error;
    const advice = NOT_ALLOWED.has(code(error) ?? "") ? `. ${ADVICE}` : "";
    throw new Error(`${file} cannot be created or read (${code(error)})${advice}`, { cause: error });
  }
}

/**
 * The text of a key in the data folder.
 *
 * @returns undefined when there is none
 * @throws Error as {@link loadOrCreateKey}
 */
export function readKeyFile(dataDir: string, name: KeyFile): string | undefined {
  return hasKey(dataDir, name) ? loadOrCreateKey(dataDir, name).text : undefined;
}

/**
 * The texts of the keys in the data folder, by file name.
 *
 * @throws Error as {@link loadOrCreateKey}
 */
export function readKeyFiles(dataDir: string): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const name of KEY_FILES) {
    const text = readKeyFile(dataDir, name);
    if (text !== undefined) texts[name] = text;
  }
  return texts;
}

/**
 * Puts a key into the data folder, unless one is there.
 *
 * @returns whether it was put there
 * @throws Error with one clear line when that cannot be done
 */
export function putKeyFile(dataDir: string, name: KeyFile, text: string): boolean {
  const file = join(dataDir, name);
  try {
    return createKey(dataDir, file, text);
  } catch (error) {
    throw new Error(`${file} cannot be created (${code(error)})`, { cause: error });
  }
}

/**
 * The key is written and synced under another name and then linked to its own, which fails when that name is taken. So
 * nobody reads half a key, and a crash leaves no half key.
 */
function createKey(dataDir: string, file: string, text: string): boolean {
  if (exists(file)) return false;
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    writeDurably(draft, `${text}\n`);
    linkSync(draft, file);
    syncFolder(dataDir);
    return true;
  } catch (error) {
    if (code(error) === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function readKey(file: string): string {
  const handle = openSync(file, "r");
  try {
    const { mode } = fstatSync(handle);
    if (process.platform !== "win32" && mode & READ_BY_OTHERS) {
      const shown = (mode & 0o777).toString(8).padStart(4, "0");
      throw new Error(`${file} is open to other users (mode ${shown}): run chmod 600 on it`);
    }
    const text = readFileSync(handle, "utf8").trim();
    if (Buffer.from(text, "base64").length !== KEY_BYTES) {
      throw new Error(
        `${file} does not hold a key of ${KEY_BYTES} bytes as base64: restore it from a backup`,
      );
    }
    return text;
  } finally {
    closeSync(handle);
  }
}

function exists(file: string): boolean {
  try {
    closeSync(openSync(file, "r"));
    return true;
  } catch (error) {
    // ENOTDIR: the data folder is a file, which is reported elsewhere.
    if (code(error) === "ENOENT" || code(error) === "ENOTDIR") return false;
    throw error;
  }
}

function code(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
