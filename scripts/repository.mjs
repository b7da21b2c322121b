import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The root folder of the repository. */
export const root = fileURLToPath(new URL("..", import.meta.url));

/** A progress line. On stderr, so that stdout is left to what the command is about. */
export function progress(line) {
  process.stderr.write(`${line}\n`);
}

/** Runs a program in the repository, its output on stderr; a failure ends this process with one line and the same exit code. */
export function runOrExit(what, command, args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ["ignore", 2, 2] });
  if (status === 0) return;
  progress(`${what} failed${error ? `: ${error.message}` : ` (exit code ${status})`}.`);
  process.exit(status || 1);
}
