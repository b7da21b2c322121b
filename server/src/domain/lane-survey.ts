/** What a look at some of all lanes found. Times are milliseconds since the Unix epoch. */
export interface LaneSurvey {
  /** Updates to be sent to a webhook, now or at a retry, that are neither delivered nor failed for good. */
  waitingUpdates: number;
  /** Lanes whose receiver is left alone for a while because it keeps failing. */
  restingLanes: number;
  /** Since when the update that is due the longest has been due; undefined when none is. */
  dueSince?: number;
  /** Where the next look begins; undefined when these were the last lanes. */
  next?: number;
}
