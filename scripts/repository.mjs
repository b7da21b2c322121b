import { spawn } from "node:child_process";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

/** The root folder of the repository. */
export const root = fileURLToPath(new URL("..", import.meta.url));

/** Prints a progress line on stderr; stdout is for the command's result. */
export function progress(line) {
  process.stderr.write(`${line}\n`);
}

/** Runs one step of the set-up, and prints one line with its name and its time. */
export async function step(name, work) {
  const startedAt = performance.now();
  process.stderr.write(`${name} …`);
  await work();
  progress(` ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
}

/** Signals that ask for an end. Those of a terminal reach all its programs, those of `kill` or of a supervisor only this one. */
const ENDING = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Runs a program in the repository. Its output is printed only if it fails; then this process exits with one line and
 * the same exit code. A signal that ends this process ends the program first.
 */
export async function runOrExit(what, command, args) {
  const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  let endedBy;
  const end = (signal) => {
    endedBy = signal;
    child.kill(signal);
  };
  for (const signal of ENDING) process.on(signal, end);
  const { status, error } = await new Promise((resolve) => {
    child.on("error", (error) => resolve({ error })).on("close", (status) => resolve({ status }));
  });
  for (const signal of ENDING) process.off(signal, end);
  if (endedBy) process.exit(128 + constants.signals[endedBy]);
  if (status === 0) return;
  progress(`\n${output}`);
  progress(`${what} failed${error ? `: ${error.message}` : ` (exit code ${status})`}.`);
  process.exit(status || 1);
}
