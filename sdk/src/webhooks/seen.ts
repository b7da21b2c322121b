/** Remembers which updates of one bot were handled, so that a repeated delivery is not handled again. */
export interface SeenStore {
  has(updateId: number): boolean | Promise<boolean>;
  /** Called after the update was handled. */
  add(updateId: number): void | Promise<void>;
}

const LIMIT = 10_000;

/**
 * Remembers in memory, the newest `limit` of them. Enough for one process; where several receive, or a repetition after a
 * restart matters, a store that they share.
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
