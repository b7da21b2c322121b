import type { Store } from "../../store.js";
import { type Database, type Statement, uuid } from "../connection/connection.js";
import { skipStep } from "./skipping.js";

/** Rows that one step requeues: a few milliseconds of the database's time, in which the lane is locked. */
export const ROWS_PER_STEP = 256;

/**
 * Whether an update `u` is pending although its row says scheduled: it was scheduled when the webhook was set or
 * removed, and its row is still to be requeued. Nothing in this range is sent before that, so nothing in it can fail
 * again.
 *
 * @param lane the SQL name of what has the columns of its lane
 */
export const isRequeued = (lane: string) =>
  `coalesce(u.update_id >= ${lane}.requeue_from AND u.update_id < ${lane}.requeue_below, false)`;

export const IS_REQUEUED = isRequeued("l");

/** Whether an update `u` of a lane `l` waits for a retry. */
export const IS_SCHEDULED = `(u.is_failing AND u.due_at IS NOT NULL AND NOT ${IS_REQUEUED})`;

/** The columns of a requeued update: due immediately, with a fresh schedule. */
export const REQUEUED = "is_failing = false, due_at = 0, failure_count = 0";

const LOCK_MARKED: Statement = {
  name: "lock-marked-lane",
  text: `
    SELECT bot_key FROM lanes WHERE bot_key = (SELECT bot_key FROM bots WHERE id = $1)
      AND (requeue_from IS NOT NULL OR skip_below IS NOT NULL) FOR UPDATE`,
};
const REQUEUE_STEP: Statement = {
  name: "requeue-step",
  text: `
    WITH lane AS (
      SELECT bot_key, requeue_from, requeue_below FROM lanes
      WHERE bot_key = (SELECT bot_key FROM bots WHERE id = $1) AND requeue_from IS NOT NULL AND skip_below IS NULL),
    next AS (
      SELECT u.update_id FROM lane CROSS JOIN LATERAL (
        SELECT update_id FROM updates
        WHERE bot_key = lane.bot_key AND is_failing AND due_at IS NOT NULL
          AND update_id >= lane.requeue_from AND update_id < lane.requeue_below
        ORDER BY update_id LIMIT ${ROWS_PER_STEP}) u),
    requeued AS (
      UPDATE updates SET ${REQUEUED}
      WHERE bot_key = (SELECT bot_key FROM lane) AND update_id IN (SELECT update_id FROM next))
    UPDATE lanes l SET
      requeue_from = (SELECT max(update_id) + 1 FROM next HAVING count(*) = ${ROWS_PER_STEP}),
      requeue_below = CASE WHEN (SELECT count(*) FROM next) = ${ROWS_PER_STEP} THEN l.requeue_below END
    WHERE l.bot_key = (SELECT bot_key FROM lane)`,
};

/**
 * One step for each lane, one lane after the other, so that only one is locked at a time. Nothing is requeued before
 * everything that the webhook skips is skipped.
 */
export function requeueVerbs(db: Database): Pick<Store, "requeueScheduled"> {
  return {
    async requeueScheduled(botIds) {
      for (const botId of botIds)
        await db.transaction([
          [LOCK_MARKED, [uuid(botId)]],
          skipStep(uuid(botId)),
          [REQUEUE_STEP, [uuid(botId)]],
        ]);
    },
  };
}
