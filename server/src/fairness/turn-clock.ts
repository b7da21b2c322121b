/**
 * A monotonic clock in milliseconds that is read once in a turn of the event loop: what asks several times for each request would
 * otherwise spend a hundredth of its time on reading it.
 */
export function createTurnClock(): () => number {
  let at: number | undefined;
  const forget = (): void => {
    at = undefined;
  };
  return () => {
    if (at === undefined) {
      at = performance.now();
      setImmediate(forget);
    }
    return at;
  };
}
