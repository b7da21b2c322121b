import { SKIPPED_BY_OWNER } from "../../../domain/events/update.js";
import type { Database } from "../binding.js";
import { IS_SCHEDULED } from "../logs/updates.js";
import type { Verbs } from "../verbs.js";
import { failedAttemptWriter } from "./failed-attempts.js";

/**
 * Skipping is kept as a failed attempt, so an update that was never sent is no fresh one any more. An attempt in flight was
 * begun with one failure less, so if it fails it does not schedule the update again.
 */
export function skipUpdateVerbs(db: Database): Pick<Verbs, "skipUpdate"> {
  const selectUpdate = db.prepare(`
    SELECT u.bot_key AS botKey, u.attempt_count AS attemptCount, u.failure_count AS failureCount, u.state IN (0, 1) AS isWaiting, ${IS_SCHEDULED} AS isScheduled
    FROM bots b JOIN lanes l USING (bot_key) JOIN updates u USING (bot_key)
    WHERE b.id = ? AND b.owner_user_id = ? AND u.update_id = ?`);
  const failUpdate = db.prepare(`
    UPDATE updates SET state = 3, due_at = NULL, attempt_count = attempt_count + 1, failure_count = failure_count + 1,
      last_failed_at = ?, last_error = ?
    WHERE bot_key = ? AND update_id = ?`);
  const countFailed = db.prepare(`
    UPDATE lanes SET failed_count = failed_count + 1, scheduled_count = scheduled_count - ? WHERE bot_key = ?`);
  const keepFailed = failedAttemptWriter(db);

  return {
    skipUpdate({ botId, ownerUserId }, updateId, now) {
      const update = selectUpdate.get(botId, ownerUserId, updateId) as
        | { botKey: number; attemptCount: number; failureCount: number; isWaiting: 0 | 1; isScheduled: 0 | 1 }
        | undefined;
      if (!update?.isWaiting) return update && false;
      failUpdate.run(now, SKIPPED_BY_OWNER, update.botKey, updateId);
      const attempt = { updateId, failureCount: update.failureCount, attemptedAt: now, durationMs: 0 };
      keepFailed(update.botKey, update.attemptCount + 1, attempt, { error: SKIPPED_BY_OWNER });
      countFailed.run(update.isScheduled, update.botKey);
      return true;
    },
  };
}
