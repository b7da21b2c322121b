import { failureInSchedule } from "../domain/delivery/batch-size.js";
import { nextRetryAt, type RetrySchedule } from "../domain/delivery/retry-schedule.js";
import type { DueUpdate } from "../domain/events/update.js";
import type { AttemptOutcome } from "../store/store.js";
import type { Attempt } from "./attempt.js";
import { NAMED_AS_FAILED } from "./sending/batch-answer.js";
import type { AttemptResult, FailedResult } from "./sending/send-attempt.js";

/**
 * The outcomes of an attempt, one for each update, as the store keeps them: first those that the receiver has named as failed, since it
 * has accepted the others. Those that were refused together are due together again. With an order, an update that was refused often
 * enough by itself is set aside: it fails for good, as after the last wait of the schedule.
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
  const accepted = (update: DueUpdate): [DueUpdate, AttemptOutcome] => [
    update,
    { updateId: update.updateId, failureCount: update.failureCount, attemptedAt, durationMs },
  ];
  if (result.accepted && !result.failedIds) return updates.map(accepted);
  const random = Math.random();
  const { maxBatch, order, holdAttempts } = target.settings;
  const refused = (
    update: DueUpdate,
    { error, status, responseBody, retryAfterMs }: FailedResult,
    isAlone: boolean,
  ): [DueUpdate, AttemptOutcome] => {
    const { updateId, failureCount } = update;
    const failure = failureInSchedule(failureCount + 1, isAlone, maxBatch);
    const isSetAside = isAlone && order !== "none" && failure >= holdAttempts;
    const retryAt = isSetAside ? undefined : nextRetryAt(schedule, failure, now, retryAfterMs, random);
    // What answers several may have the texts of each, and is not erased with one: it is kept once an update is sent by itself.
    const answer = updates.length === 1 ? responseBody : undefined;
    const kept = { error, nextRetryAt: retryAt, status, responseBody: answer };
    return [update, { updateId, failureCount, attemptedAt, durationMs, failure: kept }];
  };
  if (!result.accepted) return updates.map((update) => refused(update, result, updates.length === 1));
  const { failedIds, status = 200 } = result;
  const isNamed = ({ updateId }: DueUpdate): boolean => failedIds?.has(updateId) === true;
  const named = { accepted: false, error: NAMED_AS_FAILED, status } as const;
  return [
    ...updates.filter(isNamed).map((update) => refused(update, named, true)),
    ...updates.filter((update) => !isNamed(update)).map(accepted),
  ];
}
