import { migrationReporter, type OnMigrationProgress } from "../../migration-progress.js";
import {
  deliveriesOf,
  newlySkipped,
  type OldUpdate,
  ROWS_PER_MOVE,
} from "../../shared/schema/moved-updates.js";
import type { Database } from "../binding.js";

/** Moves the rows of `updates` into `entries` and `deliveries`. Continues where an interrupted move has stopped. */
export function moveUpdates(db: Database, onProgress: OnMigrationProgress): void {
  const { doneRows, totalRows } = db
    .prepare(`
      SELECT (SELECT count(*) FROM entries) AS doneRows, (SELECT count(*) FROM updates) AS totalRows`)
    .get() as { doneRows: number; totalRows: number };
  const selectLastMoved = db.prepare(`
    SELECT log_key AS botKey, number AS updateId FROM entries ORDER BY log_key DESC, number DESC LIMIT 1`);
  const selectNext = db.prepare(`
    SELECT u.bot_key AS botKey, u.update_id AS updateId, u.state, u.attempt_count AS attemptCount,
      u.failure_count AS failureCount, u.due_at AS dueAt, u.last_attempted_at AS lastAttemptedAt,
      u.delivered_at AS deliveredAt, u.last_failed_at AS lastFailedAt, u.last_error AS lastError,
      l.requeue_from AS requeueFrom, l.requeue_below AS requeueBelow, l.skip_below AS skipBelow,
      l.next_fresh_id AS nextFreshId
    FROM updates u LEFT JOIN lanes l USING (bot_key)
    WHERE (u.bot_key, u.update_id) > (?, ?) ORDER BY u.bot_key, u.update_id LIMIT +?`);
  const insertEntries = db.prepare(`
    INSERT INTO entries (log_key, number, event_key)
    SELECT bot_key, update_id, post_key FROM updates
    WHERE (bot_key, update_id) > (?, ?) ORDER BY bot_key, update_id LIMIT +?`);
  const insertDelivery = db.prepare(`
    INSERT INTO deliveries (destination_key, first_number, last_number, state, attempt_count, failure_count, round, due_at,
      last_attempted_at, delivered_at, last_failed_at, last_error, times)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const countSkipped = db.prepare("UPDATE lanes SET skipped_count = skipped_count + ? WHERE bot_key = ?");

  const moveNext = (): number => {
    const { botKey, updateId } = (selectLastMoved.get() ?? { botKey: 0, updateId: 0 }) as OldUpdate;
    const updates = selectNext.all(botKey, updateId, ROWS_PER_MOVE) as OldUpdate[];
    insertEntries.run(botKey, updateId, ROWS_PER_MOVE);
    for (const row of deliveriesOf(updates))
      insertDelivery.run(
        row.destination_key,
        row.first_number,
        row.last_number,
        row.state,
        row.attempt_count,
        row.failure_count,
        row.round,
        row.due_at,
        row.last_attempted_at,
        row.delivered_at,
        row.last_failed_at,
        row.last_error,
        row.times,
      );
    for (const [bot, count] of newlySkipped(updates)) countSkipped.run(count, bot);
    return updates.length;
  };

  const report = migrationReporter({ doneRows, totalRows }, onProgress);
  for (let moved = ROWS_PER_MOVE; moved === ROWS_PER_MOVE; ) {
    db.exec("BEGIN IMMEDIATE");
    moved = moveNext();
    db.exec("COMMIT");
    report(moved);
  }
}
