import { closeSync, fchmodSync, fsyncSync, openSync, writeSync } from "node:fs";

/** Writes a new file, readable by its owner alone, that survives a loss of power; its folder is synced by {@link syncFolder}. */
export function writeDurably(file: string, text: string): void {
  const handle = openSync(file, "wx", 0o600);
  try {
    fchmodSync(handle, 0o600);
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Makes what is in a file survive a loss of power, where its writer syncs nothing (`VACUUM INTO`). */
export function syncFile(file: string): void {
  const handle = openSync(file, "r+");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/**
 * Makes the names in a folder survive a loss of power: of new, renamed and linked files. Windows cannot open a folder,
 * and need not.
 */
export function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
