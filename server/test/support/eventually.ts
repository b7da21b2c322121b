import { setTimeout as sleep } from "node:timers/promises";

/** Far more than anything waited for takes on a slow machine: it bounds a test that fails, never one that passes. */
const PATIENCE_MS = 20_000;

/**
 * Waits until `check` gives something truthy.
 *
 * @param what for the message when it never does
 */
export async function eventually<Result>(
  what: string,
  check: () => Result | Promise<Result>,
): Promise<NonNullable<Result>> {
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline) {
    const result = await check();
    if (result) return result;
    await sleep(5);
  }
  throw new Error(`waited ${PATIENCE_MS / 1000} s in vain: ${what}`);
}
