import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { progress, root, runOrExit } from "./repository.mjs";

/** Installs the dependencies unless node_modules already holds what package-lock.json asks for. */
export function installIfNeeded() {
  if (isInstalled()) return;
  progress("Installing dependencies (npm ci) …");
  // Under npm this is the very npm that runs us; the flag brings the compiler also where NODE_ENV=production is set.
  const npm = process.env.npm_execpath;
  const args = ["ci", "--include=dev", "--no-audit", "--no-fund"];
  if (npm) runOrExit("npm ci", process.execPath, [npm, ...args]);
  else runOrExit("npm ci", process.platform === "win32" ? "npm.cmd" : "npm", args);
}

/**
 * npm leaves a lockfile of what it installed inside node_modules. Optional packages may be missing there: most of them
 * are binaries for other platforms.
 */
function isInstalled() {
  const installed = packagesOf("node_modules/.package-lock.json");
  if (!installed || !existsSync(join(root, "node_modules/.bin/botyard"))) return false;
  const wanted = packagesOf("package-lock.json") ?? {};
  const names = new Set([...Object.keys(wanted), ...Object.keys(installed)]);
  names.delete("");
  return [...names].every((name) => isSame(wanted[name], installed[name]));
}

function packagesOf(lockfile) {
  try {
    return JSON.parse(readFileSync(join(root, lockfile), "utf8")).packages;
  } catch {
    return undefined;
  }
}

function isSame(wanted, installed) {
  if (!installed) return wanted.optional === true;
  return wanted?.version === installed.version && wanted?.integrity === installed.integrity;
}
