/** What came of one attempt, as the store keeps it. Times are milliseconds since the Unix epoch. */
export interface AttemptOutcome {
  updateId: number;
  /** `failureCount` of the update as it was when the attempt started. */
  failureCount: number;
  attemptedAt: number;
  /** Absent when the receiver accepted the update. */
  failure?: AttemptFailure;
}

export interface AttemptFailure {
  error: string;
  /** Absent when the schedule is used up: the update has failed for good. */
  nextRetryAt?: number;
}
