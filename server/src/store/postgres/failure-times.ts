/**
 * SQL that sets the time of the last failure of updates that failed under the release before, or under an instance of it that
 * still runs: the time of the last failed attempt that is kept.
 */
export const stampFailures = (rows: number) => `
  WITH unstamped AS (
    SELECT bot_key, update_id FROM updates WHERE last_error IS NOT NULL AND last_failed_at IS NULL
    ORDER BY bot_key, update_id LIMIT ${rows} FOR UPDATE SKIP LOCKED)
  UPDATE updates u SET last_failed_at = coalesce(
    (SELECT max(a.attempted_at) FROM failed_attempts a WHERE a.bot_key = u.bot_key AND a.update_id = u.update_id),
    u.last_attempted_at, 0)
  FROM unstamped n WHERE u.bot_key = n.bot_key AND u.update_id = n.update_id`;
