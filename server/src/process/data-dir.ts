import { randomBytes } from "node:crypto";
import {
  closeSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";

/** The keys that the service generates when none are configured. Each file holds 32 random bytes as base64. */
export type KeyFile = "owner-jwt.secret" | "secret.key";
export const KEY_FILES: readonly KeyFile[] = ["owner-jwt.secret", "secret.key"];

export interface StoredKey {
  /** The text of the file; as `OWNER_JWT_SECRET` or `SECRET_KEY` it gives the same key. */
  text: string;
  file: string;
  /** Whether this call created it. */
  created: boolean;
}

const KEY_BYTES = 32;
const READ_BY_OTHERS = 0o077;

/**
 * Creates the data folder when it does not exist, readable by its owner only.
 *
 * @throws Error with one clear line when that cannot be done
 */
export function makeDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Error(`DATA_DIR ${dataDir} cannot be created (${code(error)})`, { cause: error });
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
 * A key from the data folder, generated now when it does not exist. Of several callers one creates it; all read the same.
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
    throw new Error(`${file} cannot be created or read (${code(error)})`, { cause: error });
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
 * The key is written and synced under another name first and then linked to its own, which fails when that name is taken: so
 * nobody reads half a key, and a crash leaves none behind.
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
    if (code(error) === "ENOENT") return false;
    throw error;
  }
}

function writeDurably(file: string, text: string): void {
  const handle = openSync(file, "wx", 0o600);
  try {
    fchmodSync(handle, 0o600);
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Makes the new directory entry survive a power failure. Windows cannot open a folder, and need not. */
function syncFolder(dataDir: string): void {
  if (process.platform === "win32") return;
  const handle = openSync(dataDir, "r");
  fsyncSync(handle);
  closeSync(handle);
}

function code(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
