/** Keys remembered. With more, the interval of the oldest one ends early. */
const MAX_KEYS = 1_000;

/**
 * Throttles log lines by key.
 *
 * @param now a monotonic clock in milliseconds
 * @returns tells whether a line about `key` may be logged now; after that, none may for `intervalMs`
 */
export function createLogThrottle(
  intervalMs: number,
  now = () => performance.now(),
): (key: string) => boolean {
  const loggedAt = new Map<string, number>();
  return (key) => {
    const time = now();
    if (time - (loggedAt.get(key) ?? Number.NEGATIVE_INFINITY) < intervalMs) return false;
    // The map is in the order of insertion: the oldest key comes first.
    loggedAt.delete(key);
    loggedAt.set(key, time);
    if (loggedAt.size > MAX_KEYS) loggedAt.delete(loggedAt.keys().next().value as string);
    return true;
  };
}
