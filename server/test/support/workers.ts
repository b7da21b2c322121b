import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";

/** More are of no use: each wants memory, and a database. */
const MOST = 8;
/** Processor time that Node takes to begin: 30 to 50 ms on the machines of developers, 120 where four others share the cores. */
const SLOW_START_MS = 80;

const OWN_TIME = "const { user, system } = process.cpuUsage(); console.log((user + system) / 1000)";

/** The shortest of a few, since a machine may be busy for a moment. */
function startMs(): number {
  const times = [1, 2, 3].map(() =>
    Number(execFileSync(process.execPath, ["-e", OWN_TIME], { encoding: "utf8" })),
  );
  return Math.min(...times);
}

/**
 * How many test files run at a time. Five for two cores, since tests also wait: for timers, pages, processes and databases.
 * With two for each core these are idle for a quarter of the time; with three, what is slow anyway comes too late for its
 * bounds. So does what five do on a machine that is itself slow: three take longer there, and each of them less.
 */
export function workerCount(): number {
  const perCore = startMs() > SLOW_START_MS ? 1.5 : 2.5;
  return Math.min(Math.ceil(perCore * availableParallelism()), MOST);
}
