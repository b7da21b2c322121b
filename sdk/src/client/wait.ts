/** The longest time of a timer, 24.8 days; with more it would fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Waits. Ends early, and rejects with the signal's reason, when `signal` is aborted.
 *
 * @param ms at least 0, and at most {@link LONGEST_TIMER_MS}, which is used for longer waits
 */
export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener("abort", stop);
        resolve();
      },
      Math.min(ms, LONGEST_TIMER_MS),
    );
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** The waits after failures for which the service asks for no time. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** What a `Retry-After` may ask for at most, so that a wrong one stops no bot for good. */
const LONGEST_ASKED_MS = 300_000;
/** The first wait where it asks for less, so that a service that always answers `Retry-After: 0` is not called in a loop. */
const FIRST_LITTLE_MS = 100;

/**
 * How long to wait after failure number `failures`: what the service asked for with `Retry-After`, at least a little, with
 * jitter, and at most five minutes; else a growing wait.
 */
export function retryWaitMs(error: unknown, failures: number, longestMs = LONGEST_WAIT_MS): number {
  const { retryAfterMs: asked } = (error ?? {}) as { retryAfterMs?: number };
  const waitMs = backoffMs(failures, asked === undefined ? FIRST_WAIT_MS : FIRST_LITTLE_MS, longestMs);
  return Math.max(waitMs, Math.min(asked ?? 0, LONGEST_ASKED_MS));
}

/**
 * The wait after failure number `failures`: it doubles from `firstMs` to `longestMs`, less a random half at most (jitter), so
 * that clients that failed together do not retry together.
 */
export function backoffMs(failures: number, firstMs: number, longestMs: number): number {
  const full = Math.min(longestMs, firstMs * 2 ** (failures - 1));
  return full * (0.5 + Math.random() / 2);
}
