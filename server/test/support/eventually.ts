import { setTimeout as sleep } from "node:timers/promises";

/** Much longer than any wait on a slow machine: it limits failing tests only. */
const PATIENCE_MS = 20_000;

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
  const deadline = Date.now() + patienceMs;
  while (Date.now() < deadline) {
    const result = await check();
    if (result) return result;
    await sleep(5);
  }
  throw new Error(`waited ${patienceMs / 1000} s in vain: ${what}`);
}
