/** How long the result of one check is reused. */
const MAX_AGE_MS = 1_000;

/**
 * Checks for any number of callers whether the store works: one check runs at a time, and its result, also a failure, is
 * reused for a second. Each check is a write: 300 connections that asked made half of all answers a 503.
 */
export function createReadiness(ping: () => Promise<void>): () => Promise<void> {
  let check: Promise<void> | undefined;
  let endedAt = 0;
  return () => {
    if (check && (endedAt === 0 || performance.now() - endedAt < MAX_AGE_MS)) return check;
    endedAt = 0;
    check = ping();
    const end = (): void => {
      endedAt = performance.now();
    };
    check.then(end, end);
    return check;
  };
}
