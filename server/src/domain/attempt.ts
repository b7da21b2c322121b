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
}

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
}

/** @param attempts in the order in which they ended */
export function trendOf(attempts: readonly AttemptOutcome[]): ReceiverTrend {
  const lastAccepted = attempts.findLastIndex(({ failure }) => !failure);
  const firstFailed = attempts[lastAccepted + 1];
  return {
    hasAccepted: lastAccepted !== -1,
    ...(firstFailed ? { failingSince: endOfAttempt(firstFailed) } : {}),
  };
}
