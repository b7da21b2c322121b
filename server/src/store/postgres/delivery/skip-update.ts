import { SKIPPED_BY_OWNER } from "../../../domain/events/update.js";
import { MAX_KEPT_ATTEMPTS } from "../../../domain/limits.js";
import { STATE_CODE, UNRESOLVED } from "../../shared/delivery-states.js";
import type { Store } from "../../store.js";
import { LOCK_DESTINATION, LOCK_LANE, OWN_DESTINATION, webhookKey } from "../bots/destinations.js";
import type { Database, Statement } from "../connection/connection.js";
import { releaseBehindSkipped } from "./held.js";

/**
 * $1 to $3: the webhook, $4: the number, $5: when, $6: the error.
 *
 * Skipping is kept as a failed attempt, so an update that was never sent is no fresh one any more. An attempt in flight was
 * begun with one failure less, so if it fails it does not schedule the update again.
 */
const SKIP_UPDATE: Statement = {
  name: "skip-update",
  text: `
    WITH found AS (
      SELECT dest.destination_key, e.number, coalesce(d.attempt_count, 0) AS attempts,
        coalesce(d.state = ${STATE_CODE.waiting} AND d.round = dest.round, false) AS is_scheduled,
        CASE WHEN d.round = dest.round THEN d.failure_count ELSE 0 END AS failures,
        coalesce(d.state IN (${UNRESOLVED}), true) AS is_waiting
      FROM destinations dest JOIN entries e ON e.log_key = dest.log_key AND e.number = $4
      LEFT JOIN LATERAL (
        SELECT * FROM deliveries WHERE destination_key = dest.destination_key AND first_number <= $4 ORDER BY first_number DESC LIMIT 1) d
        ON d.last_number >= $4
      WHERE dest.destination_key = ${OWN_DESTINATION}),
    skipped AS (
      INSERT INTO deliveries (
        destination_key, first_number, last_number, state, attempt_count, failure_count, last_failed_at, last_error)
      SELECT destination_key, number, number, ${STATE_CODE.failed}, attempts + 1, failures + 1, $5, $6 FROM found WHERE is_waiting
      ON CONFLICT (destination_key, first_number) DO UPDATE SET
        state = ${STATE_CODE.failed}, attempt_count = excluded.attempt_count, failure_count = excluded.failure_count, round = NULL, due_at = NULL,
        last_failed_at = excluded.last_failed_at, last_error = excluded.last_error
      RETURNING destination_key, first_number AS number, attempt_count),
    dropped AS (
      DELETE FROM failed_attempts a USING skipped s
      WHERE a.destination_key = s.destination_key AND a.number = s.number AND a.attempt <= (
        SELECT attempt FROM failed_attempts WHERE destination_key = s.destination_key AND number = s.number
        ORDER BY attempt DESC LIMIT 1 OFFSET ${MAX_KEPT_ATTEMPTS - 1})),
    kept AS (
      INSERT INTO failed_attempts (destination_key, number, attempt, attempted_at, duration_ms, error, response_body)
      SELECT destination_key, number, attempt_count, $5, 0, $6, '' FROM skipped ON CONFLICT DO NOTHING),
    counted AS (
      UPDATE destinations dest SET failed_count = dest.failed_count + 1,
        scheduled_count = dest.scheduled_count - f.is_scheduled::integer
      FROM found f WHERE f.is_waiting AND dest.destination_key = f.destination_key)
    SELECT is_waiting AS "isWaiting" FROM found`,
};

export function skipUpdateVerbs(db: Database): Pick<Store, "skipUpdate"> {
  return {
    async skipUpdate(ref, updateId, now) {
      const key = webhookKey(ref);
      const [, , found] = await db.transaction([
        [LOCK_LANE, key],
        [LOCK_DESTINATION, key],
        [SKIP_UPDATE, [...key, updateId, now, SKIPPED_BY_OWNER]],
        releaseBehindSkipped(key, updateId),
      ]);
      const [update] = (found ?? []) as { isWaiting: boolean }[];
      return update?.isWaiting;
    },
  };
}
