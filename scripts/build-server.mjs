import { closeSync, openSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { progress, root, runOrExit } from "./repository.mjs";

const source = join(root, "server/src");
const built = join(root, "server/dist");
/** Each build has a folder of its own: two may run at the same time, such as those of two commands just started. */
const next = join(root, `server/dist.${process.pid}`);
/** A file whose time is the moment the build began. */
const STAMP = ".built";
const settings = ["server/tsconfig.json", "tsconfig.base.json", "package-lock.json"].map((file) =>
  join(root, file),
);

/** Compiles the server unless nothing has changed since the last build. */
export function buildIfNeeded() {
  if (builtAt() >= Math.max(newestIn(source), ...settings.map(modifiedAt))) return;
  progress("Building the server …");
  const startedAt = new Date();
  // Beside the build before and from nothing: no module outlives its source, and a build that fails harms nothing.
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  runOrExit("The build", process.execPath, [compiler, "-p", "server", "--outDir", next]);
  const nextStamp = join(next, STAMP);
  closeSync(openSync(nextStamp, "w"));
  utimesSync(nextStamp, startedAt, startedAt);
  putInPlace();
}

function putInPlace() {
  try {
    rmSync(built, { recursive: true, force: true });
    renameSync(next, built);
  } catch (error) {
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    // Another build of the same sources was put there in this very moment.
    rmSync(next, { recursive: true, force: true });
  }
}

function builtAt() {
  return statSync(join(built, STAMP), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Folders count too: theirs is the only time that a deletion or a renaming changes. */
function newestIn(folder) {
  const inside = readdirSync(folder, { withFileTypes: true }).map((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? newestIn(path) : modifiedAt(path);
  });
  return Math.max(modifiedAt(folder), ...inside);
}

function modifiedAt(path) {
  return statSync(path).mtimeMs;
}
