import { DUE_DESPITE_SKIP, FIRST_FRESH_ID, IS_FRESH } from "./skipping.js";

/**
 * When the oldest pending or scheduled update of the lane `l` was appended: never attempted, requeued, or scheduled.
 * Each of the four is the first entry of an index.
 */
export const OLDEST_PENDING_AT = `(
  SELECT min(p.created_at) FROM posts p WHERE p.post_key IN (
    (SELECT u.post_key FROM updates u
      WHERE u.bot_key = l.bot_key AND u.update_id >= ${FIRST_FRESH_ID} AND ${IS_FRESH}
      ORDER BY u.update_id LIMIT 1),
    (SELECT u.post_key FROM updates u WHERE u.bot_key = l.bot_key AND u.due_at = 0 ORDER BY u.update_id LIMIT 1),
    (SELECT u.post_key FROM updates u
      WHERE u.bot_key = l.bot_key AND u.due_at = ${DUE_DESPITE_SKIP} ORDER BY u.update_id LIMIT 1),
    (SELECT u.post_key FROM updates u
      WHERE u.bot_key = l.bot_key AND u.is_failing AND u.due_at IS NOT NULL ORDER BY u.update_id LIMIT 1)))`;
