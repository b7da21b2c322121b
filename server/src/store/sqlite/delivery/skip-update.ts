import { DEFAULT_WEBHOOK } from "../../../domain/delivery/webhook.js";
import { SKIPPED_BY_OWNER } from "../../../domain/events/update.js";
import { STATE_CODE } from "../../shared/delivery-states.js";
import type { Database } from "../binding.js";
import { IS_THERE } from "../bots/webhooks.js";
import type { Verbs } from "../verbs.js";
import { deliveryRows } from "./delivery-rows.js";
import { failedAttemptWriter } from "./failed-attempts.js";
import { heldUpdates, isHeld, MAY_HOLD } from "./held.js";

/**
 * Skipping is kept as a failed attempt, so an update that was never sent is no fresh one any more. An attempt in flight was
 * begun with one failure less, so if it fails it does not schedule the update again.
 */
export function skipUpdateVerbs(db: Database): Pick<Verbs, "skipUpdate"> {
  const selectEntry = db.prepare(`
    SELECT dest.destination_key AS destinationKey, dest.round, dest.settings ->> 'order' IS NOT NULL AS isOrdered, ${MAY_HOLD} AS mayHold
    FROM bots b JOIN destinations dest ON dest.log_key = b.bot_key AND dest.name = ?3 JOIN entries e ON e.log_key = b.bot_key
    WHERE b.id = ?1 AND b.owner_user_id = ?2 AND e.number = ?4 AND ${IS_THERE}`);
  /** ?1 the destination, ?2 the number, ?3 the failures so far, ?4 when, ?5 the error. */
  const failUpdate = db.prepare(`
    INSERT INTO deliveries (destination_key, first_number, last_number, state, attempt_count, failure_count, last_failed_at,
      last_error)
    VALUES (?1, ?2, ?2, ${STATE_CODE.failed}, 1, ?3 + 1, ?4, ?5)
    ON CONFLICT DO UPDATE SET state = ${STATE_CODE.failed}, round = NULL, due_at = NULL, attempt_count = attempt_count + 1,
      failure_count = ?3 + 1, last_failed_at = ?4, last_error = ?5`);
  const countFailed = db.prepare(`
    UPDATE destinations SET failed_count = failed_count + 1, scheduled_count = scheduled_count - ? WHERE destination_key = ?`);
  const keepFailed = failedAttemptWriter(db);
  const rows = deliveryRows(db);
  const held = heldUpdates(db);

  return {
    skipUpdate({ botId, ownerUserId, name = DEFAULT_WEBHOOK }, updateId, now) {
      const entry = selectEntry.get(botId, ownerUserId, name, updateId) as
        | { destinationKey: number; round: number; isOrdered: 0 | 1; mayHold: 0 | 1 }
        | undefined;
      if (!entry) return undefined;
      const { destinationKey, round, isOrdered, mayHold } = entry;
      const row = rows.find(destinationKey, updateId);
      if (row && row.state !== STATE_CODE.waiting && !isHeld(row)) return false;
      const isScheduled = row?.round === round;
      const failureCount = isScheduled ? row.failureCount : 0;
      failUpdate.run(destinationKey, updateId, failureCount, now, SKIPPED_BY_OWNER);
      const attempt = { updateId, failureCount, attemptedAt: now, durationMs: 0 };
      keepFailed(destinationKey, (row?.attemptCount ?? 0) + 1, attempt, { error: SKIPPED_BY_OWNER });
      countFailed.run(isScheduled ? 1 : 0, destinationKey);
      if (mayHold === 1) held.releaseBehind(destinationKey, [updateId], now);
      // What waited for it may be due at once.
      if (isOrdered === 1) held.wake(destinationKey, now);
      return true;
    },
  };
}
