/** Where the engine's thread is. Begins with the opening of the database. */
const WORKING = 0;
const RESTING = 1;
const SHUT = 2;

/** What is under way at the exit of the process is waited for this long: a drain that was cut off has 500 ms left. */
const LAST_WORK_TIMEOUT_MS = 300;

/**
 * Keeps the end of the process out of SQLite. A process that exits stops its threads wherever they are. One that is stopped
 * inside the binding ends the process with SIGABRT and a core dump instead of its exit code, or, with the binding built into
 * Node, holds the exit up until its statement is done. So the thread says when it works, and whoever exits waits for that
 * and lets it begin nothing more.
 */
export type Gate = Int32Array<SharedArrayBuffer>;

export function createGate(): Gate {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

/** In the thread, before it works. @returns false when it must not any more */
export function enter(gate: Gate): boolean {
  return Atomics.compareExchange(gate, 0, RESTING, WORKING) === RESTING;
}

/** In the thread, after it has worked. */
export function leave(gate: Gate): void {
  Atomics.store(gate, 0, RESTING);
  Atomics.notify(gate, 0);
}

/**
 * In the thread that exits. Blocks until the engine's thread rests, or for {@link LAST_WORK_TIMEOUT_MS}.
 *
 * @returns whether it rests
 */
export function shut(gate: Gate): boolean {
  const giveUpAt = performance.now() + LAST_WORK_TIMEOUT_MS;
  // It may have begun anew between the end of the wait and our word.
  while (Atomics.compareExchange(gate, 0, RESTING, SHUT) === WORKING) {
    const leftMs = giveUpAt - performance.now();
    if (leftMs <= 0) return false;
    Atomics.wait(gate, 0, WORKING, leftMs);
  }
  return true;
}
