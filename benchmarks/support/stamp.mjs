/**
 * The text of a post has the time when it was sent, in microseconds, so every process of the machine can compute its age.
 */

/** Milliseconds of the machine's monotonic clock, the same in all processes; `performance.now()` starts at 0 in each. */
export function monotonicMs() {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1e6;
}

export const STAMP_DIGITS = 15;
const MARK = "sent at ";

export const stampOf = (atMs) => String(Math.round(atMs * 1000)).padStart(STAMP_DIGITS, "0");

/**
 * @param {string | Buffer} text
 * @returns when the first post in `text` was sent, in monotonic milliseconds; undefined when there is none
 */
export function sentAtMs(text) {
  const characters = text.toString("latin1");
  const found = characters.indexOf(MARK);
  if (found < 0) return undefined;
  const start = found + MARK.length;
  return Number(characters.slice(start, start + STAMP_DIGITS)) / 1000;
}
