import { MAX_RETRY_AFTER_MS } from "../limits.js";

/** The wait after each failed attempt, in milliseconds. One attempt more than there are waits. */
export type RetrySchedule = readonly number[];

/** 1 s, 5 s, 30 s, 2 min, 10 min, 1 h, 3 h, 6 h, 12 h: ten attempts over about 22 hours. */
export const DEFAULT_RETRY_SCHEDULE = "1s,5s,30s,2m,10m,1h,3h,6h,12h";

/** Every wait is longer or shorter at random by up to this part, so that retries don't come all at once. */
const JITTER = 0.2;

/**
 * When to try again after a failure, in milliseconds since the epoch; undefined when the schedule is used up and the
 * update has failed for good.
 *
 * @param failureCount failures so far in this round, including the current one; at least 1
 * @param retryAfterMs what the receiver asked for; it counts, up to an hour, when it is longer than the schedule's wait
 * @param random a number in [0, 1)
 */
export function nextRetryAt(
  schedule: RetrySchedule,
  failureCount: number,
  now: number,
  retryAfterMs = 0,
  random: number = Math.random(),
): number | undefined {
  const wait = schedule[failureCount - 1];
  if (wait === undefined) return undefined;
  const jittered = wait * (1 - JITTER + 2 * JITTER * random);
  return now + Math.round(Math.max(jittered, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS)));
}
