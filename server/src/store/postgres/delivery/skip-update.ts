import { SKIPPED_BY_OWNER } from "../../../domain/events/update.js";
import { MAX_KEPT_ATTEMPTS } from "../../../domain/limits.js";
import type { Store } from "../../store.js";
import { LOCK_LANE, OWN_BOT } from "../bots/webhooks.js";
import { type Database, type Statement, uuid } from "../connection/connection.js";
import { IS_SCHEDULED } from "./requeueing.js";

/**
 * Skipping is kept as a failed attempt, so an update that was never sent is no fresh one any more. An attempt in flight was
 * begun with one failure less, so if it fails it does not schedule the update again.
 */
const SKIP_UPDATE: Statement = {
  name: "skip-update",
  text: `
    WITH found AS (
      SELECT u.bot_key, u.update_id, ${IS_SCHEDULED} AS is_scheduled,
        u.delivered_at IS NULL AND NOT u.is_skipped AND (NOT u.is_failing OR u.due_at IS NOT NULL) AS is_waiting
      FROM lanes l JOIN updates u USING (bot_key) WHERE l.bot_key = ${OWN_BOT} AND u.update_id = $3),
    skipped AS (
      UPDATE updates u SET is_failing = true, due_at = NULL, attempt_count = u.attempt_count + 1,
        failure_count = u.failure_count + 1, last_failed_at = $4, last_error = $5
      FROM found f WHERE u.bot_key = f.bot_key AND u.update_id = f.update_id AND f.is_waiting
      RETURNING u.bot_key, u.update_id, u.attempt_count, f.is_scheduled),
    dropped AS (
      DELETE FROM failed_attempts a USING skipped s
      WHERE a.bot_key = s.bot_key AND a.update_id = s.update_id AND a.attempt <= (
        SELECT attempt FROM failed_attempts WHERE bot_key = s.bot_key AND update_id = s.update_id
        ORDER BY attempt DESC LIMIT 1 OFFSET ${MAX_KEPT_ATTEMPTS - 1})),
    kept AS (
      INSERT INTO failed_attempts (bot_key, update_id, attempt, attempted_at, duration_ms, error, response_body)
      SELECT bot_key, update_id, attempt_count, $4, 0, $5, '' FROM skipped ON CONFLICT DO NOTHING),
    counted AS (
      UPDATE lanes l SET failed_count = l.failed_count + 1, scheduled_count = l.scheduled_count - s.is_scheduled::integer
      FROM skipped s WHERE l.bot_key = s.bot_key)
    SELECT is_waiting AS "isWaiting" FROM found`,
};

export function skipUpdateVerbs(db: Database): Pick<Store, "skipUpdate"> {
  return {
    async skipUpdate({ botId, ownerUserId }, updateId, now) {
      const bot = [uuid(botId), ownerUserId] as const;
      const [, found] = await db.transaction([
        [LOCK_LANE, bot],
        [SKIP_UPDATE, [...bot, updateId, now, SKIPPED_BY_OWNER]],
      ]);
      const [update] = (found ?? []) as { isWaiting: boolean }[];
      return update?.isWaiting;
    },
  };
}
