import { nextRetryAt, type RetrySchedule } from "../domain/delivery/retry-schedule.js";
import type { AttemptOutcome } from "../store/store.js";
import type { Attempt } from "./lanes/lane-attempts.js";
import type { AttemptResult } from "./sending/send-attempt.js";

/**
 * The outcome of an attempt, as the store keeps it.
 *
 * @param now when the attempt ended, from which the wait for the next one counts
 */
export function outcomeOf(
  { update: { updateId, failureCount }, attemptedAt }: Attempt,
  result: AttemptResult,
  durationMs: number,
  now: number,
  schedule: RetrySchedule,
): AttemptOutcome {
  const outcome = { updateId, failureCount, attemptedAt, durationMs };
  if (result.accepted) return outcome;
  const { error, status, responseBody } = result;
  const retryAt = nextRetryAt(schedule, failureCount + 1, now, result.retryAfterMs);
  return { ...outcome, failure: { error, nextRetryAt: retryAt, status, responseBody } };
}
