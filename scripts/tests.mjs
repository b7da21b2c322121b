import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./repository.mjs";

/**
 * Runs vitest and passes its output on.
 *
 * @param args further arguments for vitest
 * @param {AbortSignal} [signal] ends it with all its processes; when given, Ctrl-C does not reach it
 * @returns vitest's counts; `ok` is false also when a file could not be loaded or the process failed
 */
export async function runTests(args, signal) {
  const folder = mkdtempSync(join(tmpdir(), "botyard-tests-"));
  const report = join(folder, "report.json");
  try {
    const exitCode = await vitest(
      [
        "run",
        "--root=server",
        "--reporter=default",
        "--reporter=json",
        `--outputFile.json=${report}`,
        ...args,
      ],
      signal,
    );
    const counts = readReport(report);
    return {
      passed: counts.numPassedTests,
      failed: counts.numFailedTests,
      ok: exitCode === 0 && counts.success,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function vitest(args, signal) {
  const entry = join(root, "node_modules/vitest/vitest.mjs");
  const child = spawn(process.execPath, [entry, ...args], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    detached: signal !== undefined,
  });
  signal?.addEventListener("abort", () => child.pid && process.kill(-child.pid, "SIGINT"));
  return new Promise((resolve, reject) => {
    child.on("error", reject).on("exit", resolve);
  });
}

function readReport(report) {
  try {
    return JSON.parse(readFileSync(report, "utf8"));
  } catch {
    // vitest ended before it wrote a report.
    return { numPassedTests: 0, numFailedTests: 0, success: false };
  }
}
