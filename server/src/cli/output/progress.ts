import { say } from "./print.js";

/** At most one line about progress in this time. */
const INTERVAL_MS = 1000;

/**
 * Says how far long work is, the first time after a second.
 *
 * @param describe the line, from what the returned function is given
 */
export function sayEverySecond<Progress>(
  describe: (progress: Progress) => string,
): (progress: Progress) => void {
  let printedAt = performance.now();
  return (progress) => {
    if (performance.now() - printedAt < INTERVAL_MS) return;
    printedAt = performance.now();
    say(describe(progress));
  };
}
