import type { Update } from "../types.js";

/** Remembers which updates of one bot were handled, so that a repeated delivery is not handled again. */
export interface SeenStore {
  /** Whether the update was handled. */
  has(updateId: number, update: Update): boolean | Promise<boolean>;
  /** Called after the update was handled. */
  add(updateId: number): void | Promise<void>;
}

const LIMIT = 10_000;

/**
 * Remembers the newest `limit` in memory. Enough for one process; when several receive updates, or repetitions after a
 * restart matter, use a shared store.
 */
export function memorySeen(limit: number = LIMIT) {
  const seen = new Set<number>();
  // Synchronous, since a promise would cost more than the look-up.
  return {
    has: (updateId: number): boolean => seen.has(updateId),
    add(updateId: number): void {
      seen.add(updateId);
      const [oldest] = seen;
      if (seen.size > limit && oldest !== undefined) seen.delete(oldest);
    },
  };
}
