/** What came of one attempt, as the store is told. Times are milliseconds since the Unix epoch. */
export interface AttemptOutcome {
  updateId: number;
  /** `failureCount` of the update as it was when the attempt started. */
  failureCount: number;
  /** When it began, as its signature's timestamp says. */
  attemptedAt: number;
  /** From its start to the end of the answer, or to what ended it. */
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
  /** How the answer's body begins; absent when it had none. */
  responseBody?: string;
}

/** When an attempt ended. */
export function endOfAttempt({ attemptedAt, durationMs }: AttemptOutcome): number {
  return attemptedAt + durationMs;
}

/** An attempt that failed, as it is kept. Of one that was accepted, only its update tells. */
export interface FailedAttempt {
  /** Which attempt of its update it was, from 1. */
  attempt: number;
  attemptedAt: number;
  durationMs: number;
  status?: number;
  error: string;
  responseBody: string;
}

/** What an attempt came to: accepted, failed to be tried again, or failed for good. */
export type OutcomeKind = "delivered" | "retried" | "failed";

export function outcomeKind({ failure }: AttemptOutcome): OutcomeKind {
  if (!failure) return "delivered";
  return failure.nextRetryAt === undefined ? "failed" : "retried";
}

/** What outcomes say of a receiver. */
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
