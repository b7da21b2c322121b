import { nextRetryAt, type RetrySchedule } from "../domain/retry-schedule.js";
import type { AttemptOutcome } from "../store/store.js";
import type { Attempt } from "./lanes/lane-attempts.js";
import type { AttemptResult } from "./sending/send-attempt.js";

/**
 * What the store is told of an attempt.
 *
 * @param now when it ended: the wait for the next one begins then
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
