import { performance } from "node:perf_hooks";

/** What work costs here and now, as a multiple of the figures in `cost.ts`. */
export interface Price {
  /** Counts work that begins, or that turned out to cost more, of light owners and heavy ones. */
  count(costUs: number): void;
  /** From 1 to {@link MAX_TIMES}. */
  times(): number;
}

/** What is measured over a shorter time says little. */
const MEASURED_MS = 50;
/** The last measurement's part of the average. */
const WEIGHT = 0.25;
const MAX_TIMES = 10;

const busyMs = (): number => performance.eventLoopUtilization().active;

/**
 * The figures only put kinds of work in proportion. How long they keep the event loop busy depends on the engine, whose driver may need ten times as long for
 * a read of one row, and on the machine: so this compares both.
 *
 * @param now a monotonic clock in milliseconds
 * @param busy for how many milliseconds the event loop of this process has been busy
 */
export function createPrice(now: () => number, busy = busyMs): Price {
  let since = now();
  let busySince = busy();
  let countedSinceUs = 0;
  /** Microseconds of each millisecond. Each has its own average: one of quotients would be that of the moments in which little was counted. */
  let busyUs = 0;
  let countedUs = 0;
  let price = 1;

  const measure = (at: number): void => {
    const busyUntil = busy();
    busyUs += (((busyUntil - busySince) * 1_000) / (at - since) - busyUs) * WEIGHT;
    countedUs += (countedSinceUs / (at - since) - countedUs) * WEIGHT;
    price = Math.min(MAX_TIMES, Math.max(1, busyUs / Math.max(1, countedUs)));
    since = at;
    busySince = busyUntil;
    countedSinceUs = 0;
  };

  return {
    count(costUs) {
      countedSinceUs += costUs;
    },
    times() {
      const at = now();
      if (at - since >= MEASURED_MS) measure(at);
      return price;
    },
  };
}
