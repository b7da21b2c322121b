import type { Price } from "./price.js";

/** How fast heavy owners' work goes while there are light ones. */
export interface Pace {
  /** Notes who asks for something, and whether they have used little lately. */
  see(owner: string, isLight: boolean): void;
  /**
   * Counts work that is begun, or that turned out to cost more.
   *
   * @param isMeasured whether the cost is, or will be, of this work alone; otherwise it is a figure of `cost.ts`
   */
  spend(costUs: number, isMeasured: boolean): void;
  /** How long the next work has to wait, in milliseconds; 0 when it may begin. */
  waitMs(): number;
}

/** Heavy owners have this part of the time together, so that at least half of what others ask finds nothing before it. */
const HEAVY_SHARE = 0.5;
/** The same of the time for which their work really keeps the event loop busy: it is in small pieces, so that little is before others. */
const BUSY_SHARE = 0.85;
/** Work that may be ahead of that, in milliseconds: otherwise each piece would need a timer. */
const AHEAD_MS = 5;
/** Another owner is there when it has asked for something in this time; between heavy ones alone the turns are enough. */
const OTHERS_STAY_MS = 2_000;

/**
 * Work in progress alone says too little: what keeps the event loop busy ends before the next request is looked at, and a post
 * to a thousand bots keeps SQLite's only writer for 10 to 40 ms.
 *
 * @param now a monotonic clock in milliseconds
 */
export function createPace(now: () => number, price: Pick<Price, "times">): Pace {
  let lastLight = "";
  let othersUntil = 0;
  /** When the share of the time has passed that was spent. */
  let paidAt = 0;
  return {
    see(owner, isLight) {
      if (isLight) {
        lastLight = owner;
        othersUntil = now() + OTHERS_STAY_MS;
      } else if (owner === lastLight) {
        // It was alone, and is not light any more.
        othersUntil = 0;
      }
    },
    spend(costUs, isMeasured) {
      const at = now();
      if (at >= othersUntil) return;
      const times = isMeasured ? 1 / HEAVY_SHARE : Math.max(1 / HEAVY_SHARE, price.times() / BUSY_SHARE);
      paidAt = Math.max(paidAt, at) + (costUs / 1_000) * times;
    },
    waitMs() {
      const at = now();
      return at < othersUntil ? Math.max(0, paidAt - AHEAD_MS - at) : 0;
    },
  };
}
