import { failureInSchedule } from "../domain/delivery/batch-size.js";
import { nextRetryAt, type RetrySchedule } from "../domain/delivery/retry-schedule.js";
import type { DueUpdate } from "../domain/events/update.js";
import type { AttemptOutcome } from "../store/store.js";
import type { Attempt } from "./lanes/lane-attempts.js";
import { NAMED_AS_FAILED } from "./sending/batch-answer.js";
import type { AttemptResult, FailedResult } from "./sending/send-attempt.js";

/**
 * The outcomes of an attempt, one for each update, as the store keeps them: first those that the receiver has named as failed, since it
 * has accepted the others. Those that were refused together are due together again.
 *
 * @param now when the attempt ended, from which the wait for the next one counts
 */
export function outcomesOf(
  { updates, target, attemptedAt }: Pick<Attempt, "updates" | "target" | "attemptedAt">,
  result: AttemptResult,
  durationMs: number,
  now: number,
  schedule: RetrySchedule,
): [DueUpdate, AttemptOutcome][] {
  const random = Math.random();
  const accepted = ({ updateId, failureCount }: DueUpdate): AttemptOutcome => ({
    updateId,
    failureCount,
    attemptedAt,
    durationMs,
  });
  const refused = (
    update: DueUpdate,
    { error, status, responseBody, retryAfterMs }: FailedResult,
    isAlone: boolean,
  ): AttemptOutcome => {
    const failure = failureInSchedule(update.failureCount + 1, isAlone, target.maxBatch);
    const retryAt = nextRetryAt(schedule, failure, now, retryAfterMs, random);
    return { ...accepted(update), failure: { error, nextRetryAt: retryAt, status, responseBody } };
  };
  if (!result.accepted) {
    return updates.map((update) => [update, refused(update, result, updates.length === 1)]);
  }
  const { failedIds } = result;
  if (!failedIds) return updates.map((update) => [update, accepted(update)]);
  const named = { accepted: false, error: NAMED_AS_FAILED, status: result.status ?? 200 } as const;
  return [
    ...updates.flatMap((update): [DueUpdate, AttemptOutcome][] =>
      failedIds.has(update.updateId) ? [[update, refused(update, named, true)]] : [],
    ),
    ...updates.flatMap((update): [DueUpdate, AttemptOutcome][] =>
      failedIds.has(update.updateId) ? [] : [[update, accepted(update)]],
    ),
  ];
}
