/** What the engine's thread is doing. It begins with opening the database. */
const WORKING = 0;
const IDLE = 1;
const STOPPED = 2;

/** At the exit of the process, work in progress is waited for this long: a drain that was cut off has 500 ms left. */
const LAST_WORK_TIMEOUT_MS = 300;

/**
 * Keeps the process from exiting while its thread is inside SQLite. An exit stops threads wherever they are: one that is
 * stopped inside the binding ends the process with SIGABRT and a core dump instead of its exit code, or, with the binding
 * built into Node, delays the exit until its statement is done. So the thread marks when it works, and the exit waits for
 * that and lets it begin nothing more.
 */
export type ExitGuard = Int32Array<SharedArrayBuffer>;

export function createExitGuard(): ExitGuard {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

/** In the engine's thread, before it works. @returns false when it must not any more */
export function beginWork(guard: ExitGuard): boolean {
  return Atomics.compareExchange(guard, 0, IDLE, WORKING) === IDLE;
}

/** In the engine's thread, after it has worked. */
export function endWork(guard: ExitGuard): void {
  Atomics.store(guard, 0, IDLE);
  Atomics.notify(guard, 0);
}

/**
 * In the main thread, at its exit. Blocks until the engine's thread is idle, or for {@link LAST_WORK_TIMEOUT_MS}.
 *
 * @returns whether it is idle
 */
export function stopWork(guard: ExitGuard): boolean {
  const giveUpAt = performance.now() + LAST_WORK_TIMEOUT_MS;
  // It may have begun again between the end of the wait and this exchange.
  while (Atomics.compareExchange(guard, 0, IDLE, STOPPED) === WORKING) {
    const leftMs = giveUpAt - performance.now();
    if (leftMs <= 0) return false;
    Atomics.wait(guard, 0, WORKING, leftMs);
  }
  return true;
}
