/**
 * Posts carry the time they were sent at, in microseconds, in their text; so whoever receives one knows its age, in any
 * process of the machine.
 */

/** Milliseconds of the machine's monotonic clock, the same in all processes; `performance.now()` begins anew in each. */
export function monotonicMs() {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1e6;
}

export const STAMP_DIGITS = 15;
const MARK = "sent at ";

export const stampOf = (atMs) => String(Math.round(atMs * 1000)).padStart(STAMP_DIGITS, "0");

/**
 * @param {string | Buffer} text
 * @returns when the first post in `text` was sent, in monotonic milliseconds; undefined when it holds none
 */
export function sentAtMs(text) {
  const characters = text.toString("latin1");
  const found = characters.indexOf(MARK);
  if (found < 0) return undefined;
  const start = found + MARK.length;
  return Number(characters.slice(start, start + STAMP_DIGITS)) / 1000;
}
