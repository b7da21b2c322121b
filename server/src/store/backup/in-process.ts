import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Report, Task } from "./backup-process.js";

export type Result = Extract<Report, { manifest: unknown }>;

/**
 * Does a task in a process of its own.
 *
 * @param onPhase is told what it does, and with how many bytes
 * @throws Error with one line that says what failed; the reason of `signal` when that stopped it
 */
export async function inProcess(
  task: Task,
  onPhase: (report: Extract<Report, { phase: unknown }>) => void,
  signal: AbortSignal,
): Promise<Result> {
  signal.throwIfAborted();
  const child = fork(fileURLToPath(new URL("./backup-process.js", import.meta.url)), {
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  const stop = () => child.kill("SIGKILL");
  signal.addEventListener("abort", stop);
  try {
    return await new Promise<Result>((resolve, reject) => {
      let result: Result | undefined;
      let failure: string | undefined;
      child.on("message", (report: Report) => {
        if ("phase" in report) onPhase(report);
        else if ("error" in report) failure = report.error;
        else result = report;
      });
      // It lets go of its files before it ends.
      child.on("error", reject).on("close", (code, ended) => {
        if (result) resolve(result);
        else reject(new Error(failure ?? `the process that copies ended with ${ended ?? code}`));
      });
      child.send(task);
    });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
