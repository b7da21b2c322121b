import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The root folder of the repository. */
export const root = fileURLToPath(new URL("..", import.meta.url));

/** A progress line. On stderr, so that stdout is left to what the command is about. */
export function progress(line) {
  process.stderr.write(`${line}\n`);
}

/** Does one step of setting up, and prints one line with its name and the time that it took. */
export function step(name, work) {
  const startedAt = performance.now();
  process.stderr.write(`${name} …`);
  work();
  progress(` ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
}

/**
 * Runs a program in the repository. What it prints is shown when it fails, and only then; this process ends with one line and
 * the same exit code.
 */
export function runOrExit(what, command, args) {
  const options = { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26, stdio: ["ignore", "pipe", "pipe"] };
  const { status, error, stdout, stderr } = spawnSync(command, args, options);
  if (status === 0) return;
  progress(`\n${stdout ?? ""}${stderr ?? ""}`);
  progress(`${what} failed${error ? `: ${error.message}` : ` (exit code ${status})`}.`);
  process.exit(status || 1);
}
