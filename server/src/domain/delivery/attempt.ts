/** The outcome of one attempt, as the store records it. Times are milliseconds since the Unix epoch. */
export interface AttemptOutcome {
  updateId: number;
  /** `failureCount` of the update as it was when the attempt started. */
  failureCount: number;
  /** When it began, as its signature's timestamp says. */
  attemptedAt: number;
  /** From its start to the end of the answer, or to the error. */
  durationMs: number;
  /** Absent when the receiver accepted the update. */
  failure?: AttemptFailure;
  /** Of an update that was not sent at all, why; the rest then means nothing. */
  notSent?: NotSent;
}

/**
 * `unwanted`: the webhook does not want events of this kind. The update is skipped.
 * `held`: an earlier update of its channel, which is sent first, waits for a retry. The update is held, or due at once if none does any more.
 */
export type NotSent = "unwanted" | "held";

export interface AttemptFailure {
  error: string;
  /** Absent when the schedule is used up: the update has failed for good. */
  nextRetryAt?: number;
  /** Of the answer; absent when there was no whole one. */
  status?: number;
  /** The beginning of the answer's body; absent when it had none. */
  responseBody?: string;
}

/** When an attempt ended. */
export function endOfAttempt({ attemptedAt, durationMs }: AttemptOutcome): number {
  return attemptedAt + durationMs;
}

/** A failed attempt, as the store keeps it. Accepted attempts have no record of their own. */
export interface FailedAttempt {
  /** Which attempt of its update it was, from 1. */
  attempt: number;
  attemptedAt: number;
  durationMs: number;
  status?: number;
  error: string;
  responseBody: string;
}

/** The outcome of an attempt: accepted, failed and to be retried, or failed for good. */
export type OutcomeKind = "delivered" | "retried" | "failed";

export function outcomeKind({ failure }: AttemptOutcome): OutcomeKind {
  if (!failure) return "delivered";
  return failure.nextRetryAt === undefined ? "failed" : "retried";
}

/** What outcomes say about a receiver. */
export interface ReceiverTrend {
  /** Whether it has accepted anything. */
  hasAccepted: boolean;
  /** When the first attempt after the last accepted one failed; absent when the last one was accepted. */
  failingSince?: number;
  /** Failures after the last accepted one. */
  failuresInRow: number;
  /** When an attempt failed last; absent when all were accepted. */
  lastFailureAt?: number;
}

/**
 * When owners and the platform are told of a receiver, as a state and not for every failure: it is failing after so many failures
 * in a row over so long a time, and has recovered when it accepts and has not failed for that time.
 */
export const FAILING_AFTER_FAILURES = 5;
export const FAILING_AFTER_MS = 60_000;

/** @param outcomes in the order in which attempts ended; what was not sent says nothing */
export function trendOf(outcomes: readonly AttemptOutcome[]): ReceiverTrend {
  const attempts = outcomes.filter(({ notSent }) => !notSent);
  const lastAccepted = attempts.findLastIndex(({ failure }) => !failure);
  const firstFailed = attempts[lastAccepted + 1];
  const failedAt = attempts.filter(({ failure }) => failure).map(endOfAttempt);
  return {
    hasAccepted: lastAccepted !== -1,
    failuresInRow: attempts.length - 1 - lastAccepted,
    ...(failedAt.length > 0 ? { lastFailureAt: Math.max(...failedAt) } : {}),
    ...(firstFailed ? { failingSince: endOfAttempt(firstFailed) } : {}),
  };
}

/** How a receiver has answered at its current URL, as the store keeps it: null for what has not happened. */
export interface ReceiverRecord {
  /** Of the first attempt after the last accepted one. */
  failingSince: number | null;
  failuresInRow: number;
  lastFailureAt: number | null;
  lastDeliveredAt: number | null;
}

export function isReceiverFailing({ failingSince, failuresInRow, lastFailureAt }: ReceiverRecord): boolean {
  if (failingSince === null || lastFailureAt === null) return false;
  return failuresInRow >= FAILING_AFTER_FAILURES && lastFailureAt - failingSince >= FAILING_AFTER_MS;
}

export function hasReceiverRecovered({
  failingSince,
  lastFailureAt,
  lastDeliveredAt,
}: ReceiverRecord): boolean {
  if (failingSince !== null || lastDeliveredAt === null) return false;
  return lastDeliveredAt - (lastFailureAt ?? 0) >= FAILING_AFTER_MS;
}
