import { afterAccepted, afterRefused } from "../../domain/delivery/batch-size.js";
import { nextRetryAt, type RetrySchedule } from "../../domain/delivery/retry-schedule.js";

/** The longest wait after a refusal, since nothing of the feed is ever set aside; a receiver may ask for more. */
const LONGEST_WAIT_MS = 600_000;

/** How the feed's webhook has answered since it was last set. An instance that takes over begins anew. */
export interface FeedAttempts {
  readonly generation: number;
  /** Items of the next request at most. */
  readonly size: number;
  /** Refusals since the last page that was accepted. */
  readonly failureCount: number;
  /** How long still to wait before the next request. */
  restMs(): number;
  accepted(): void;
  /**
   * @param itemCount of the page that was refused
   * @returns the wait, in milliseconds
   */
  refused(itemCount: number, retryAfterMs: number | undefined): number;
}

export function beginAttempts(
  generation: number,
  maxBatch: number,
  retrySchedule: RetrySchedule,
): FeedAttempts {
  const schedule = retrySchedule.map((wait) => Math.min(wait, LONGEST_WAIT_MS));
  let size = maxBatch;
  let failureCount = 0;
  /** By `performance.now()`. */
  let restingUntil = 0;
  return {
    generation,
    get size() {
      return size;
    },
    get failureCount() {
      return failureCount;
    },
    restMs: () => Math.max(0, restingUntil - performance.now()),
    accepted() {
      size = afterAccepted(size, maxBatch);
      failureCount = 0;
    },
    refused(itemCount, retryAfterMs) {
      size = afterRefused(size, itemCount);
      failureCount += 1;
      const failure = Math.min(failureCount, schedule.length);
      const now = Date.now();
      const waitMs = (nextRetryAt(schedule, failure, now, retryAfterMs) ?? now + LONGEST_WAIT_MS) - now;
      restingUntil = performance.now() + waitMs;
      return waitMs;
    },
  };
}
