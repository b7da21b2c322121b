/** The longest time of a timer, 24.8 days; with more it would fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Waits. Ends early, and rejects with the signal's reason, when `signal` is aborted.
 *
 * @param ms at least 0, and at most {@link LONGEST_TIMER_MS}, which is used for longer waits
 */
export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
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

/**
 * The wait after failure number `failures`: it doubles from `firstMs` to `longestMs`, less a random half at most (jitter), so
 * that clients that failed together do not retry together.
 */
export function backoffMs(failures: number, firstMs: number, longestMs: number): number {
  const full = Math.min(longestMs, firstMs * 2 ** (failures - 1));
  return full * (0.5 + Math.random() / 2);
}
