import type { Skip } from "../../store.js";
import { integers, type Statement, type Step, type Value } from "../connection/connection.js";

/** Rows that one step skips: a few milliseconds of the database's time, in which the lane is locked. */
const ROWS_PER_STEP = 256;

/** The first update of a lane `l` that may be pending without an attempt, also one that is still to be skipped. */
export const FIRST_FRESH_ID = "least(l.next_fresh_id, l.skip_from)";

/** Whether an update `u` from {@link FIRST_FRESH_ID} on is pending without having been requeued. */
export const IS_FRESH =
  "u.delivered_at IS NULL AND NOT u.is_failing AND NOT u.is_skipped AND u.due_at IS NULL";

/**
 * `due_at` of an update that was replayed while others were still to be skipped. It is due immediately, as with 0, but
 * is not skipped with the others: it is pending, and is sent after they are skipped.
 */
export const DUE_DESPITE_SKIP = -1;

/** The columns of an update that is skipped. */
const SKIPPED = "is_skipped = true, is_failing = false, due_at = NULL, failure_count = 0";

const BOT = "(SELECT bot_key FROM bots WHERE id = $1)";

/**
 * Skips undelivered updates: they stay in the log, count as skipped, and are never sent. Those up to $3 are only marked
 * as a range on the lane; {@link SKIP_STEP} changes their rows, and until then each is pending. Those in $4 are changed
 * now. Updates that were replayed while an earlier webhook skipped are not excepted. Changes nothing when the webhook's
 * version is no longer $2.
 */
const BEGIN_SKIPPING: Statement = {
  name: "begin-skipping",
  text: `
    WITH lane AS (
      SELECT bot_key, least($3::bigint, last_update_id) + 1 AS below FROM lanes
      WHERE bot_key = ${BOT} AND webhook_version = coalesce($2::bigint, webhook_version)),
    skipped AS (
      UPDATE updates SET ${SKIPPED}
      WHERE bot_key = (SELECT bot_key FROM lane) AND update_id = ANY ($4::bigint[])
        AND delivered_at IS NULL AND NOT is_skipped AND (NOT is_failing OR due_at IS NOT NULL)
      RETURNING update_id),
    replays_ended AS (
      UPDATE updates SET due_at = 0
      WHERE bot_key = (SELECT bot_key FROM lane) AND due_at = ${DUE_DESPITE_SKIP}
        AND update_id < (SELECT below FROM lane) AND update_id <> ALL ($4::bigint[]))
    UPDATE lanes l SET
      skipped_count = l.skipped_count + (SELECT count(*) FROM skipped),
      skip_from = CASE WHEN below > 1 THEN least(l.skip_from, l.next_fresh_id) ELSE l.skip_from END,
      skip_below = CASE WHEN below > 1 THEN greatest(l.skip_below, below) ELSE l.skip_below END,
      next_fresh_id = greatest(l.next_fresh_id, below)
    FROM lane WHERE l.bot_key = lane.bot_key`,
};
/** In this order: pending updates whose rows still say scheduled; requeued ones; those never attempted. */
const SKIP_STEP: Statement = {
  name: "skip-step",
  text: `
    WITH lane AS (
      SELECT bot_key, skip_from, skip_below FROM lanes WHERE bot_key = ${BOT} AND skip_below IS NOT NULL),
    next AS (
      SELECT update_id, rank FROM (
        (SELECT u.update_id, 0 AS rank FROM lane CROSS JOIN LATERAL (
          SELECT update_id FROM updates
          WHERE bot_key = lane.bot_key AND is_failing AND due_at IS NOT NULL AND update_id < lane.skip_below
          ORDER BY update_id LIMIT ${ROWS_PER_STEP}) u)
        UNION ALL
        (SELECT u.update_id, 1 FROM lane CROSS JOIN LATERAL (
          SELECT update_id FROM updates
          WHERE bot_key = lane.bot_key AND due_at = 0 AND update_id < lane.skip_below
          ORDER BY update_id LIMIT ${ROWS_PER_STEP}) u)
        UNION ALL
        (SELECT u.update_id, 2 FROM lane CROSS JOIN LATERAL (
          SELECT update_id FROM updates
          WHERE bot_key = lane.bot_key AND update_id >= lane.skip_from AND update_id < lane.skip_below
            AND delivered_at IS NULL AND NOT is_failing AND NOT is_skipped AND due_at IS NULL
          ORDER BY update_id LIMIT ${ROWS_PER_STEP}) u)) any_of_them
      ORDER BY rank, update_id LIMIT ${ROWS_PER_STEP}),
    skipped AS (
      UPDATE updates SET ${SKIPPED}
      WHERE bot_key = (SELECT bot_key FROM lane) AND update_id IN (SELECT update_id FROM next)),
    done AS (SELECT count(*) AS rows, max(update_id) FILTER (WHERE rank = 2) AS last_fresh_id FROM next)
    UPDATE lanes l SET
      skipped_count = l.skipped_count + done.rows,
      skip_from = CASE WHEN done.rows = ${ROWS_PER_STEP} THEN greatest(l.skip_from, done.last_fresh_id + 1) END,
      skip_below = CASE WHEN done.rows = ${ROWS_PER_STEP} THEN l.skip_below END
    FROM done WHERE l.bot_key = (SELECT bot_key FROM lane)
    RETURNING l.bot_key`,
};

/** To be executed with the lane locked, before its webhook is changed. */
export function beginSkipping(bot: Value, { through, done }: Skip, version: number | undefined): Step {
  return [BEGIN_SKIPPING, [bot, version ?? null, through, integers(done)]];
}

/** To be executed with the lane locked. When nothing is left to skip it changes nothing and returns no row. */
export function skipStep(bot: Value): Step {
  return [SKIP_STEP, [bot]];
}
