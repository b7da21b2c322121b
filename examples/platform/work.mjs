// Work that goes on in the background until the application stops.
import { setTimeout as sleep } from "node:timers/promises";

const stopping = new AbortController();
/** Aborted when the application stops. */
export const stopSignal = stopping.signal;

/** Ends all work. */
export const stopWork = () => stopping.abort();

/** Does its work again and again, later after a failure, until the application stops. */
export async function keepDoing(work) {
  while (!stopSignal.aborted) {
    try {
      await work();
    } catch (error) {
      if (stopSignal.aborted) return;
      console.error(error.message);
      await sleep(1_000, undefined, { signal: stopSignal }).catch(() => {});
    }
  }
}

/**
 * Does its work now, since something may be left from before, and again after each call of the function that it returns. What fails is
 * tried again.
 */
export function doWhenDue(work) {
  let isDue = true;
  let wake = () => {};
  stopSignal.addEventListener("abort", () => wake());
  void keepDoing(async () => {
    if (!isDue) await new Promise((resolve) => (wake = resolve));
    if (stopSignal.aborted) return;
    isDue = false;
    await work().catch((error) => {
      isDue = true;
      throw error;
    });
  });
  return () => {
    isDue = true;
    wake();
  };
}
