import { STATE_CODE, UNRESOLVED } from "../../shared/delivery-states.js";
/** Parts of statements about what waits at a destination `dest`. */

/** Whether an entry `e` was never attempted at the destination: no row of deliveries covers it. Rows do not overlap, so one look-up tells. */
export const NEVER_ATTEMPTED = `coalesce((
    SELECT d.last_number < e.number FROM deliveries d
    WHERE d.destination_key = dest.destination_key AND d.first_number <= e.number ORDER BY d.first_number DESC LIMIT 1), true)`;

/** The first entry that was never attempted and will be sent. */
export const FIRST_FRESH = `
    SELECT e.number, e.event_key FROM entries e
    WHERE e.log_key = dest.log_key AND e.number >= dest.next_fresh_number AND ${NEVER_ATTEMPTED} ORDER BY e.number LIMIT 1`;

/**
 * The rounds in which something waits, each found by one step in an index. They are few: setting a webhook moves what waits into
 * one round, unless that is more than 256 rows.
 */
export const WAITING_ROUNDS = `
    WITH RECURSIVE present (round) AS (
      SELECT min(d.round) FROM deliveries d WHERE d.destination_key = dest.destination_key AND d.state = ${STATE_CODE.waiting}
      UNION ALL
      SELECT (SELECT min(d.round) FROM deliveries d
        WHERE d.destination_key = dest.destination_key AND d.state = ${STATE_CODE.waiting} AND d.round > p.round)
      FROM present p WHERE p.round IS NOT NULL)
    SELECT round FROM present WHERE round IS NOT NULL`;

/** The first number that waits in each round, and the first that is held. */
export const FIRST_WAITING = `
    SELECT (SELECT min(d.first_number) FROM deliveries d
      WHERE d.destination_key = dest.destination_key AND d.state = ${STATE_CODE.held}) AS number
    UNION ALL
    SELECT (SELECT min(d.first_number) FROM deliveries d
      WHERE d.destination_key = dest.destination_key AND d.state = ${STATE_CODE.waiting} AND d.round = r.round) AS number
    FROM (${WAITING_ROUNDS}) r`;

/** Whether a row `d` is still to be skipped, by the columns of its destination in a row `l`: see `skipping.ts`. */
export const IS_TO_SKIP = `coalesce(d.state IN (${UNRESOLVED}) AND d.first_number <= l.skip_through AND d.round < l.skip_round - 1, false)`;
