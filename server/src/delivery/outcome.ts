import { nextRetryAt, type RetrySchedule } from "../domain/retry-schedule.js";
import type { DueUpdate } from "../domain/update.js";
import type { AttemptOutcome } from "../store/store.js";
import type { AttemptResult } from "./send-attempt.js";

/** What the store is told of an attempt that ended at `now` after `durationMs`. */
export function outcomeOf(
  { updateId, failureCount }: DueUpdate,
  result: AttemptResult,
  now: number,
  durationMs: number,
  schedule: RetrySchedule,
): AttemptOutcome {
  const outcome = { updateId, failureCount, attemptedAt: now };
  if (result.accepted) return outcome;
  const { error, status, responseBody } = result;
  const retryAt = nextRetryAt(schedule, failureCount + 1, now, result.retryAfterMs);
  return { ...outcome, failure: { error, nextRetryAt: retryAt, durationMs, status, responseBody } };
}
