import type pg from "pg";
import { migrationReporter, type OnMigrationProgress } from "../../migration-progress.js";
import {
  deliveriesOf,
  newlySkipped,
  type OldUpdate,
  ROWS_PER_MOVE,
} from "../../shared/schema/moved-updates.js";
import { PLANNING } from "../connection/connection.js";

const COUNT = `
  SELECT (SELECT count(*) FROM entries) AS "doneRows", (SELECT count(*) FROM old_updates) AS "totalRows"`;

const SELECT_LAST_MOVED = `
  SELECT log_key AS "botKey", number AS "updateId" FROM entries ORDER BY log_key DESC, number DESC LIMIT 1`;

/** $1, $2: the last row that was moved. $3: how many. */
const SELECT_NEXT = `
  SELECT u.bot_key AS "botKey", u.update_id AS "updateId",
    CASE WHEN u.delivered_at IS NOT NULL THEN 2 WHEN u.is_skipped THEN 4 WHEN NOT u.is_failing THEN 0
      WHEN u.due_at IS NOT NULL THEN 1 ELSE 3 END AS state,
    u.attempt_count AS "attemptCount", u.failure_count AS "failureCount", u.due_at AS "dueAt",
    u.last_attempted_at AS "lastAttemptedAt", u.delivered_at AS "deliveredAt", u.last_failed_at AS "lastFailedAt",
    u.last_error AS "lastError", l.requeue_from AS "requeueFrom", l.requeue_below AS "requeueBelow",
    l.skip_below AS "skipBelow", l.next_fresh_number AS "nextFreshId"
  FROM old_updates u LEFT JOIN lanes l USING (bot_key)
  WHERE (u.bot_key, u.update_id) > ($1, $2) ORDER BY u.bot_key, u.update_id LIMIT $3`;

/** The same parameters. */
const INSERT_ENTRIES = `
  INSERT INTO entries (log_key, number, event_key)
  SELECT bot_key, update_id, post_key FROM old_updates
  WHERE (bot_key, update_id) > ($1, $2) ORDER BY bot_key, update_id LIMIT $3`;

/** $1: the rows, as a JSON array of objects. */
const INSERT_DELIVERIES = `
  INSERT INTO deliveries (destination_key, first_number, last_number, state, attempt_count, failure_count, round, due_at,
    last_attempted_at, delivered_at, last_failed_at, last_error, times)
  SELECT destination_key, first_number, last_number, state, attempt_count, failure_count, round, due_at,
    last_attempted_at, delivered_at, last_failed_at, last_error, times
  FROM json_populate_recordset(NULL::deliveries, $1::json)`;

/** $1: bots. $2: how many updates of each. */
const COUNT_SKIPPED = `
  UPDATE lanes l SET skipped_count = l.skipped_count + s.skipped
  FROM unnest($1::bigint[], $2::bigint[]) AS s (bot_key, skipped) WHERE l.bot_key = s.bot_key`;

/** Moves the rows of `old_updates` into `entries` and `deliveries`. Continues where an interrupted move has stopped. */
export async function moveUpdates(client: pg.Client, onProgress: OnMigrationProgress): Promise<void> {
  await client.query(PLANNING);
  const { rows } = await client.query<{ doneRows: number; totalRows: number }>(COUNT);
  const { doneRows, totalRows } = rows[0] ?? { doneRows: 0, totalRows: 0 };
  const report = migrationReporter({ doneRows, totalRows }, onProgress);
  for (let moved = ROWS_PER_MOVE; moved === ROWS_PER_MOVE; ) {
    await client.query("BEGIN");
    moved = await moveNext(client);
    await client.query("COMMIT");
    report(moved);
  }
  // Statistics of empty tables would mislead the planner until autovacuum comes.
  await client.query("ANALYZE entries; ANALYZE deliveries");
}

async function moveNext(client: pg.Client): Promise<number> {
  const { rows: last } = await client.query<Pick<OldUpdate, "botKey" | "updateId">>(SELECT_LAST_MOVED);
  const { botKey, updateId } = last[0] ?? { botKey: 0, updateId: 0 };
  const next = [botKey, updateId, ROWS_PER_MOVE];
  const { rows: updates } = await client.query<OldUpdate>(SELECT_NEXT, next);
  await client.query(INSERT_ENTRIES, next);
  await client.query(INSERT_DELIVERIES, [JSON.stringify(deliveriesOf(updates))]);
  const skipped = newlySkipped(updates);
  if (skipped.size > 0) await client.query(COUNT_SKIPPED, [[...skipped.keys()], [...skipped.values()]]);
  return updates.length;
}
