import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The root folder of the repository. */
export const root = fileURLToPath(new URL("..", import.meta.url));

/** Prints a progress line on stderr; stdout is for the command's result. */
export function progress(line) {
  process.stderr.write(`${line}\n`);
}

/** Runs one step of the set-up, and prints one line with its name and its time. */
export function step(name, work) {
  const startedAt = performance.now();
  process.stderr.write(`${name} …`);
  work();
  progress(` ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
}

/**
 * Runs a program in the repository. Its output is printed only if it fails; then this process exits with one line and
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
