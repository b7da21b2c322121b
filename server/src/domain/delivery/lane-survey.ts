/** A webhook that accepted something within this time is counted as accepting, one that did before as quiet. */
export const ACCEPTING_FOR_MS = 120_000;
/** What has failed, or accepted nothing, for longer is not counted: nobody repairs it now. */
export const COUNTED_FOR_MS = 86_400_000;
/** A lane whose oldest due update has waited for longer is late. */
export const LATE_AFTER_MS = 60_000;

/** Open lanes by what their receivers answered last. */
export interface ReceiverCounts {
  /** The last answer was a success, in the last {@link ACCEPTING_FOR_MS}. */
  accepting: number;
  /** The last answer was a success, before that and in the last {@link COUNTED_FOR_MS}. */
  quiet: number;
  /** Nothing was accepted since an attempt that failed in the last {@link COUNTED_FOR_MS}. */
  failing: number;
}

/** The backlog of some of all lanes. Times are milliseconds since the Unix epoch. */
export interface LaneSurvey {
  /** Updates to be sent to a webhook, now or at a retry, that are neither delivered nor failed for good. */
  waitingUpdates: number;
  /** Lanes that rest until their next probe because the receiver keeps failing. */
  restingLanes: number;
  /** Lanes that were due {@link LATE_AFTER_MS} ago and still are. */
  lateLanes: number;
  receivers: ReceiverCounts;
  /** Since when the oldest due update has been due; undefined when none is. */
  dueSince?: number;
  /** The lag of the consumer that is furthest behind; undefined without consumers. Consumers of the feed are not counted. */
  slowestConsumerLag?: number;
  /** When the oldest update came that a consumer has not handled; undefined when there is none. */
  consumerBehindSince?: number;
  /** The same of the consumers of the feed. */
  feedConsumerBehindSince?: number;
  /** Where the next part begins; undefined when these were the last lanes. */
  next?: number;
}
