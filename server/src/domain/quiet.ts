/** Names remembered; when there are more, the quiet of the oldest ends early. */
const MAX_NAMES = 1_000;

/**
 * Keeps what happens often from being said often.
 *
 * @param now a clock in milliseconds that never goes back
 * @returns tells of a name whether it may be said, and if so, not again for `quietMs`
 */
export function createQuiet(quietMs: number, now = () => performance.now()): (name: string) => boolean {
  const saidAt = new Map<string, number>();
  return (name) => {
    const time = now();
    if (time - (saidAt.get(name) ?? Number.NEGATIVE_INFINITY) < quietMs) return false;
    saidAt.delete(name);
    saidAt.set(name, time);
    if (saidAt.size > MAX_NAMES) saidAt.delete(saidAt.keys().next().value as string);
    return true;
  };
}
