import type { Database } from "../binding.js";
import type { Verbs } from "../verbs.js";
import type { Skipping } from "./skipping.js";

/** Rows that one step requeues: about 2 ms of the thread's time. */
const ROWS_PER_STEP = 256;

/**
 * Whether an update `u` of a lane `l` is pending although its row says scheduled: it was scheduled when the webhook was
 * set or removed, and its row is still to be requeued. Nothing in this range is sent before that, so nothing in it can
 * fail again.
 */
export const IS_REQUEUED = "(u.update_id >= l.requeue_from AND u.update_id < l.requeue_below)";

/** Requeues scheduled updates: due immediately, with a fresh schedule. */
export interface Requeueing {
  /**
   * Requeues all of a bot's scheduled updates; the caller sets their counter to 0. Only a few rows are changed now, and
   * the range of the others is marked on the lane.
   */
  begin(botKey: number): void;
}

export function requeueing(
  db: Database,
  { step: skipStep }: Pick<Skipping, "step">,
): Requeueing & Pick<Verbs, "requeueScheduled"> {
  const selectNextFresh = db.prepare("SELECT next_fresh_id AS nextFreshId FROM lanes WHERE bot_key = ?");
  /** Updates that were attempted out of order: no more than a lane has in flight at once. */
  const requeueAbove = db.prepare(`
    UPDATE updates INDEXED BY updates_scheduled SET state = 0, due_at = 0, failure_count = 0
    WHERE bot_key = ? AND state = 1 AND update_id >= ?`);
  const selectScheduled = db.prepare(`
    SELECT update_id AS updateId FROM updates INDEXED BY updates_scheduled
    WHERE bot_key = ? AND state = 1 AND update_id >= ? AND update_id < ? ORDER BY update_id LIMIT +?`);
  const requeue = db.prepare(`
    UPDATE updates SET state = 0, due_at = 0, failure_count = 0 WHERE bot_key = ? AND update_id = ?`);
  const mark = db.prepare("UPDATE lanes SET requeue_from = ?, requeue_below = ? WHERE bot_key = ?");
  const selectBotKey = db.prepare("SELECT bot_key AS botKey FROM bots WHERE id = ?");
  const selectMarked = db.prepare(`
    SELECT requeue_from AS fromId, requeue_below AS belowId
    FROM lanes WHERE bot_key = ? AND requeue_from IS NOT NULL`);

  const step = (botKey: number, fromId: number, belowId: number, limit: number): number => {
    const rows = selectScheduled.all(botKey, fromId, belowId, limit) as { updateId: number }[];
    for (const { updateId } of rows) requeue.run(botKey, updateId);
    const last = rows.length === limit ? rows.at(-1) : undefined;
    if (last) mark.run(last.updateId + 1, belowId, botKey);
    else mark.run(null, null, botKey);
    return rows.length;
  };

  return {
    begin(botKey) {
      const { nextFreshId } = selectNextFresh.get(botKey) as { nextFreshId: number };
      requeueAbove.run(botKey, nextFreshId);
      step(botKey, 0, nextFreshId, ROWS_PER_STEP);
    },

    requeueScheduled(botIds) {
      let left = ROWS_PER_STEP;
      for (const botId of botIds) {
        const bot = selectBotKey.get(botId) as { botKey: number } | undefined;
        if (!bot) continue;
        // Updates that the webhook skips are not requeued.
        if (skipStep(bot.botKey)) return;
        const lane = selectMarked.get(bot.botKey) as { fromId: number; belowId: number } | undefined;
        if (lane) left -= step(bot.botKey, lane.fromId, lane.belowId, left);
        if (left === 0) return;
      }
    },
  };
}
