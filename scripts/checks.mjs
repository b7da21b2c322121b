import { execFile } from "node:child_process";
import { join } from "node:path";
import { progress, root } from "./repository.mjs";

/** The checks that do not run the service: a name, `node` or a program in node_modules/.bin, its arguments. */
const checks = [
  // Together 20 s of processor time; tsc takes another 56 s for the tests and the console when it remembers nothing, else 22.
  ["types and lint", "oxlint", "--type-aware", "--type-check", "--deny-warnings"],
  ["formatting", "biome", "check"],
  [
    "import rules",
    "depcruise",
    "--config",
    ".dependency-cruiser.mjs",
    "server/src",
    "sdk/src",
    "console/src",
  ],
  ["unused code", "knip", "--no-progress"],
  ["API description", "redocly", "lint", "openapi.json"],
  ["SDK package", "publint", "sdk", "--strict"],
  ["server package", "publint", "server", "--strict"],
  ["package of create-botyard-bot", "publint", "create-botyard-bot", "--strict"],
  ["size of the SDK", "node", "sdk/scripts/size.mjs"],
  ["size of the console", "node", "console/scripts/size.mjs"],
  ["types of the SDK package", "attw", "--pack", "sdk", "--profile", "node16"],
];

/** The checks that find most faults of a change to the server. */
const QUICK_CHECKS = new Set(["types and lint"]);

const AT_ONCE = 2;

/** No check looks for a newer version of itself or sends telemetry. */
const QUIET = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };

/**
 * Runs the checks, two at a time, and prints the result of each.
 *
 * @param {{ isQuick?: boolean }} [options] `isQuick` runs only QUICK_CHECKS
 * @returns {Promise<string | undefined>} the name of a check that failed
 */
export async function runChecks({ isQuick = false } = {}) {
  const waiting = checks.filter(([name]) => !isQuick || QUICK_CHECKS.has(name));
  /** @type {string | undefined} */
  let failure;
  const work = async () => {
    for (let check = waiting.shift(); check && !failure; check = waiting.shift()) {
      const [name, program, ...args] = check;
      if (!(await runCheck(name, program, args))) failure ??= name;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return failure;
}

function runCheck(name, program, args) {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    execFile(
      program === "node" ? process.execPath : join(root, "node_modules/.bin", program),
      args,
      { cwd: root, maxBuffer: 2 ** 26, env: { ...process.env, ...QUIET } },
      (error, stdout, stderr) => {
        const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
        if (error) progress(`\n${stdout}${stderr}${error.code === "ENOENT" ? error.message : ""}`);
        // Our own scripts print what they measured.
        const said = program === "node" ? `: ${stdout.trim()}` : "";
        progress(`${error ? "✗" : "✓"} ${name} (${seconds} s)${said}`);
        resolve(!error);
      },
    );
  });
}
