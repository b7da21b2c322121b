import { setTimeout as pause } from "node:timers/promises";

/** A receiver's counts since the last reset. */
export const readCounts = async (receiver, path = "/") => await (await fetch(receiver.url + path)).json();

export const resetCounts = (receiver) => readCounts(receiver, "/reset");

/** The number of received posts and the percentiles of their ages in milliseconds. */
export const readAges = (receiver) => readCounts(receiver, "/ages");

/**
 * Waits until the receiver has got `expected` requests.
 *
 * @throws Error when it has not within `seconds`
 * @returns requests a second from the first to the last, by the receiver's clock
 */
export async function waitForArrivals(receiver, expected, seconds = 60) {
  const giveUpAt = Date.now() + seconds * 1000;
  for (;;) {
    const { count, firstAt, lastAt } = await readCounts(receiver);
    if (count >= expected) return (count - 1) / ((lastAt - firstAt) / 1000);
    if (Date.now() > giveUpAt) throw new Error(`only ${count} of ${expected} arrived within ${seconds} s`);
    await pause(50);
  }
}
