/** How fast heavy owners' work goes while there are light ones. */
export interface Pace {
  /** Notes who asks for something, and whether they have used little lately. */
  see(owner: string, isLight: boolean): void;
  /** Whether there are light owners. */
  hasOthers(): boolean;
  /** Counts work that is begun, or that turned out to cost more. */
  spend(costUs: number): void;
  /** How long the next work has to wait, in milliseconds; 0 when it may begin. */
  waitMs(): number;
}

/** Heavy owners have this part of the time together, so that at least half of what others ask finds nothing before it. */
const HEAVY_SHARE = 0.5;
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
export function createPace(now: () => number): Pace {
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
    hasOthers: () => now() < othersUntil,
    spend(costUs) {
      const at = now();
      if (at < othersUntil) paidAt = Math.max(paidAt, at) + costUs / 1_000 / HEAVY_SHARE;
    },
    waitMs() {
      const at = now();
      return at < othersUntil ? Math.max(0, paidAt - AHEAD_MS - at) : 0;
    },
  };
}
