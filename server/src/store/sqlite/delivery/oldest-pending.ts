import { IS_FRESH } from "./delivery-rows.js";
import { FIRST_WAITING } from "./waiting.js";

/** When the oldest pending or scheduled update of the destination `dest` was appended: the first that was never attempted, or that waits. */
export const OLDEST_PENDING_AT = `(
  SELECT min(p.created_at) FROM events p WHERE p.event_key IN (
    (SELECT e.event_key FROM entries e
      WHERE e.log_key = dest.log_key AND e.number >= dest.next_fresh_number AND ${IS_FRESH} ORDER BY e.number LIMIT 1),
    (SELECT e.event_key FROM entries e WHERE e.log_key = dest.log_key AND e.number = ${FIRST_WAITING})))`;
