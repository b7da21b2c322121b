import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { progress, root, runOrExit, step } from "./repository.mjs";

/** What building and running take; the rest is for tests and checks. */
const BUILT_WORKSPACES = ["sdk", "console", "server"];
/** What the last installation of only those was made from: the hash of package-lock.json. */
const PARTIAL_MARK = "node_modules/.built-workspaces";

/** One of the tools of tests and checks. */
const TOOL = "node_modules/vitest";

/**
 * Installs the dependencies unless node_modules already holds what package-lock.json asks for.
 *
 * @param {{ withTools?: boolean }} [options] whether the tools of tests and checks are needed too
 */
export async function installIfNeeded({ withTools = false } = {}) {
  const lockHash = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  const hasBotyard = existsSync(join(root, "node_modules/.bin/botyard"));
  if (hasBotyard && (isInstalled(root) || (!withTools && isPartlyInstalled(lockHash)))) return;
  // Once installed, the tools stay.
  const isWhole = withTools || existsSync(join(root, TOOL));
  progress("This clone has to be installed and built first. It takes a minute or two, once.");
  const workspaces = isWhole ? [] : BUILT_WORKSPACES.map((name) => `--workspace=${name}`);
  await step("Installing dependencies", async () => {
    await npmCi(workspaces);
    if (!isWhole) writeFileSync(join(root, PARTIAL_MARK), lockHash);
  });
}

/** Installs the services that benchmarks compare Botyard with. They are in no workspace, so that nothing else installs them. */
export async function installPeersIfNeeded() {
  const folder = join(root, "benchmarks");
  if (isInstalled(folder)) return;
  await step("Installing the peers of the benchmarks", () => npmCi([`--prefix=${folder}`]));
}

/** Under npm this is the very npm that runs us. */
async function npmCi(options) {
  // `--include=dev` brings the compiler also where NODE_ENV=production is set.
  const args = ["ci", "--include=dev", "--no-audit", "--no-fund", ...options];
  const own = process.env.npm_execpath;
  if (own) await runOrExit("npm ci", process.execPath, [own, ...args]);
  else await runOrExit("npm ci", process.platform === "win32" ? "npm.cmd" : "npm", args);
}

function isPartlyInstalled(lockHash) {
  const mark = join(root, PARTIAL_MARK);
  return existsSync(mark) && readFileSync(mark, "utf8") === lockHash;
}

/**
 * npm leaves a lockfile of what it installed inside node_modules. Optional packages may be missing there: most of them
 * are binaries for other platforms.
 */
function isInstalled(folder) {
  const installed = packagesOf(join(folder, "node_modules/.package-lock.json"));
  if (!installed) return false;
  const wanted = packagesOf(join(folder, "package-lock.json")) ?? {};
  const names = new Set([...Object.keys(wanted), ...Object.keys(installed)]);
  names.delete("");
  return [...names].every((name) => isSame(wanted[name], installed[name]));
}

function packagesOf(lockfile) {
  try {
    return JSON.parse(readFileSync(lockfile, "utf8")).packages;
  } catch {
    return undefined;
  }
}

function isSame(wanted, installed) {
  if (!installed) return wanted.optional === true;
  return wanted?.version === installed.version && wanted?.integrity === installed.integrity;
}
