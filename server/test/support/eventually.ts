import { setTimeout as sleep } from "node:timers/promises";

/** Much longer than any wait on a slow machine: it limits failing tests only. */
const PATIENCE_MS = 40_000;
/** At first, and after half a second: a check is often a request, which takes processor time from what is waited for. */
const SHORTEST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 50;

/**
 * Waits until `check` returns something truthy.
 *
 * @param what the condition, for the error message
 * @param patienceMs for what comes by a timer of the service that is slower
 */
export async function eventually<Result>(
  what: string,
  check: () => Result | Promise<Result>,
  patienceMs = PATIENCE_MS,
): Promise<NonNullable<Result>> {
  const startedAt = Date.now();
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs = Date.now() - startedAt) {
    const result = await check();
    if (result) return result;
    // A tenth of the time that it has waited, so that no wait becomes much longer.
    await sleep(Math.min(Math.max(waitedMs / 10, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS));
  }
  throw new Error(`waited ${patienceMs / 1000} s in vain: ${what}`);
}
