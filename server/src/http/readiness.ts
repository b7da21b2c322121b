/** How long the answer to one look holds for everybody who asks. */
const MAX_AGE_MS = 1_000;

/**
 * Asks the store whether it serves, for any number of callers: one question is under way at a time, and its answer, also a
 * bad one, holds for a second. Each is a write: 300 connections that asked made half of all answers a 503.
 */
export function createReadiness(ping: () => Promise<void>): () => Promise<void> {
  let look: Promise<void> | undefined;
  let endedAt = 0;
  return () => {
    if (look && (endedAt === 0 || performance.now() - endedAt < MAX_AGE_MS)) return look;
    endedAt = 0;
    look = ping();
    const end = (): void => {
      endedAt = performance.now();
    };
    look.then(end, end);
    return look;
  };
}
