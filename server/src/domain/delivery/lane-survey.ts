/** The backlog of some of all lanes. Times are milliseconds since the Unix epoch. */
export interface LaneSurvey {
  /** Updates to be sent to a webhook, now or at a retry, that are neither delivered nor failed for good. */
  waitingUpdates: number;
  /** Lanes that rest until their next probe because the receiver keeps failing. */
  restingLanes: number;
  /** Since when the oldest due update has been due; undefined when none is. */
  dueSince?: number;
  /** The lag of the consumer that is furthest behind; undefined without consumers. */
  slowestConsumerLag?: number;
  /** Where the next part begins; undefined when these were the last lanes. */
  next?: number;
}
