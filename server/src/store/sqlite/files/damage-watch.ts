import { type ChildProcess, fork } from "node:child_process";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { DamageReport, DamageTask } from "./damage-process.js";

/** After the start, when the first requests are served, and then once a day. */
const FIRST_AFTER_MS = 10_000;
const EVERY_MS = 86_400_000;

export interface DamageWatch {
  stop(): void;
}

/**
 * Looks for damaged pages in the background, in a process of low priority: soon after the start, and every day until
 * some are found.
 *
 * @param onDamage called once, with the first fault
 */
export function watchForDamage(dataDir: string, onDamage: (damage: string) => void): DamageWatch {
  const task: DamageTask = { file: join(dataDir, "botyard.db") };
  let child: ChildProcess | undefined;

  const look = (): void => {
    child = fork(fileURLToPath(new URL("./damage-process.js", import.meta.url)), {
      execArgv: ["--disable-warning=ExperimentalWarning"],
    });
    let damage: string | undefined;
    child.on("message", (report: DamageReport) => {
      ({ damage } = report);
    });
    // A process that cannot be started, or is killed, has found nothing: it is started again tomorrow.
    child.on("error", () => {});
    child.once("close", () => {
      child = undefined;
      if (damage === undefined) return;
      clearInterval(daily);
      onDamage(damage);
    });
    child.unref();
    child.channel?.unref();
    lowerPriority(child.pid);
    child.send(task, () => {});
  };

  const first = setTimeout(look, FIRST_AFTER_MS).unref();
  const daily = setInterval(look, EVERY_MS).unref();
  return {
    stop() {
      clearTimeout(first);
      clearInterval(daily);
      child?.removeAllListeners("message").kill("SIGKILL");
    },
  };
}

/** Some systems refuse it, and then it runs beside the service with the same priority. */
function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // The check is the same, only less considerate.
  }
}
