/** Remembers which updates of one bot were handled, so that a repeated delivery is not handled again. */
export interface SeenStore {
  has(updateId: number): boolean | Promise<boolean>;
  /** Called after the update was handled. */
  add(updateId: number): void | Promise<void>;
}

const LIMIT = 10_000;

/**
 * Remembers the newest `limit` in memory. Enough for one process; when several receive updates, or repetitions after a
 * restart matter, use a shared store.
 */
export function memorySeen(limit: number = LIMIT): SeenStore {
  const seen = new Set<number>();
  return {
    has: (updateId) => seen.has(updateId),
    add(updateId) {
      seen.add(updateId);
      const [oldest] = seen;
      if (seen.size > limit && oldest !== undefined) seen.delete(oldest);
    },
  };
}
