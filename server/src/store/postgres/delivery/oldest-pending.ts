import { FIRST_FRESH, FIRST_WAITING } from "./waiting.js";

/** When the oldest update that is pending or scheduled at the destination `dest` was appended: each that is looked at is the first of an index. */
export const OLDEST_PENDING_AT = `(
  SELECT min(p.created_at) FROM events p WHERE p.event_key = ANY (ARRAY(
    SELECT fresh.event_key FROM (${FIRST_FRESH}) fresh
    UNION ALL
    SELECT (SELECT e.event_key FROM entries e WHERE e.log_key = dest.log_key AND e.number = waiting.number)
    FROM (${FIRST_WAITING}) waiting)))`;
