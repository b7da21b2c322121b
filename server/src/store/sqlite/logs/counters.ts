/** Sums over the counters of the lane `log` that is the head of a log, and of a destination `dest`. */

/** Updates ever stored, without the numbers that were skipped. */
export const TOTAL_UPDATES = "log.last_update_id - log.unused_count";

/** Updates that are pending or scheduled. */
export const WAITING_UPDATES = `${TOTAL_UPDATES} - dest.delivered_count - dest.failed_count - dest.skipped_count`;

/** The updates that a consumer `c` of the log has not handled, without the numbers that the log skipped last. `done` has one comma fewer than numbers. */
export const CONSUMER_LAG = `max(0, log.last_update_id - c.position - (c.done <> '')
  - (length(c.done) - length(replace(c.done, ',', '')))
  - ifnull(max(0, log.gap_through - max(log.gap_from - 1, c.position)), 0))`;

export const SLOWEST_CONSUMER_LAG = `(SELECT max(${CONSUMER_LAG}) FROM consumers c WHERE c.bot_key = log.bot_key)`;
