import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder and those above it, unless they are there. One after the other: `mkdirSync` with `recursive` never returns for
 * a folder below /proc, where Linux answers ENOENT although the parent is there.
 *
 * @param mode of the folders that are made
 * @throws Error whose message says what is in the way, such as "/srv/data is not a folder"
 */
export function makeFolder(folder: string, mode: number): void {
  if (isFolder(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent, mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Another process may have made it meanwhile.
    if (code === "EEXIST" && isFolder(folder)) return;
    throw new Error(REASONS[code ?? ""]?.(parent) ?? `the system refuses it (${code})`, { cause: error });
  }
}

const REASONS: Readonly<Record<string, (parent: string) => string>> = {
  EEXIST: () => "a link there leads nowhere",
  ENOENT: (parent) => `no folder can be made in ${parent} (ENOENT)`,
  EACCES: (parent) => `this user may not write to ${parent} (EACCES)`,
  EPERM: (parent) => `this user may not write to ${parent} (EPERM)`,
  EROFS: (parent) => `${parent} is read-only (EROFS)`,
  ENOSPC: (parent) => `the disk of ${parent} is full (ENOSPC)`,
};

/** @throws Error when it is something else, or cannot be looked at */
function isFolder(path: string): boolean {
  try {
    if (statSync(path).isDirectory()) return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return false;
    // ENOTDIR is about a parent of the path that is not a folder.
    if (code === "ENOTDIR") return isFolder(dirname(path));
    throw new Error(`${path} cannot be looked at (${code})`, { cause: error });
  }
  throw new Error(`${path} is not a folder`);
}
