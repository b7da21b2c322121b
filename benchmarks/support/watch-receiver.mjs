import { setTimeout as pause } from "node:timers/promises";

/** What a receiver has counted since it was last reset. */
export const counted = async (receiver, path = "/") => await (await fetch(receiver.url + path)).json();

export const reset = (receiver) => counted(receiver, "/reset");

/** The number of posts that came and the percentiles of their ages in milliseconds. */
export const ages = (receiver) => counted(receiver, "/ages");

/**
 * Waits until `expected` requests came.
 *
 * @throws Error when they do not come within `seconds`
 * @returns requests a second from the first to the last, by the receiver's clock
 */
export async function arrived(receiver, expected, seconds = 60) {
  const giveUpAt = Date.now() + seconds * 1000;
  for (;;) {
    const { count, firstAt, lastAt } = await counted(receiver);
    if (count >= expected) return (count - 1) / ((lastAt - firstAt) / 1000);
    if (Date.now() > giveUpAt) throw new Error(`only ${count} of ${expected} arrived within ${seconds} s`);
    await pause(50);
  }
}
