import type { Skip } from "../../store.js";
import type { Database } from "../binding.js";
import { STATE_CODE } from "../logs/states.js";

/** Rows that one step skips: about 2 ms of the thread's time. */
const ROWS_PER_STEP = 256;

/** The first update of a lane `l` that may be pending without an attempt, also one that is still to be skipped. */
export const FIRST_FRESH_ID = "min(l.next_fresh_id, ifnull(l.skip_from, l.next_fresh_id))";

/**
 * `due_at` of an update that was replayed while others were still to be skipped. It is due immediately, as with 0, but
 * is not skipped with the others: it is pending, and is sent after they are skipped.
 */
export const DUE_DESPITE_SKIP = -1;

/** Skips undelivered updates: they stay in the log, count as skipped, and are never sent. */
export interface Skipping {
  /**
   * To be called after everything that was scheduled has been requeued. Only a few rows are changed now, and the range
   * of the others is marked on the lane. None of them is sent from now on, and each is pending until its row is
   * changed.
   */
  begin(botKey: number, skip: Skip): void;
  /** @returns whether there was something left to skip */
  step(botKey: number): boolean;
}

interface Marked {
  botKey: number;
  fromId: number;
  belowId: number;
}

export function skipping(db: Database): Skipping {
  const selectLane = db.prepare(`
    SELECT last_update_id AS lastUpdateId FROM lanes WHERE bot_key = ?`);
  const markRange = db.prepare(`
    UPDATE lanes SET skip_from = min(ifnull(skip_from, next_fresh_id), next_fresh_id),
      skip_below = max(ifnull(skip_below, 0), ?1), next_fresh_id = max(next_fresh_id, ?1)
    WHERE bot_key = ?2`);
  const selectMarked = db.prepare(`
    SELECT bot_key AS botKey, skip_from AS fromId, skip_below AS belowId FROM lanes
    WHERE bot_key = ? AND skip_below IS NOT NULL`);
  /** Pending, though their rows still say scheduled. */
  const selectScheduled = db.prepare(`
    SELECT update_id AS updateId FROM updates INDEXED BY updates_scheduled
    WHERE bot_key = ? AND state = 1 AND update_id < ? ORDER BY update_id LIMIT +?`);
  const selectRequeued = db.prepare(`
    SELECT update_id AS updateId FROM updates INDEXED BY updates_due_again
    WHERE bot_key = ? AND due_at = 0 AND update_id < ? ORDER BY update_id LIMIT +?`);
  /** Ends the exception of updates that were replayed earlier: a later webhook may skip them. */
  const endReplays = db.prepare(`
    UPDATE updates INDEXED BY updates_due_again SET due_at = 0
    WHERE bot_key = ? AND due_at = ${DUE_DESPITE_SKIP} AND update_id <= ?`);
  const selectFresh = db.prepare(`
    SELECT update_id AS updateId FROM updates
    WHERE bot_key = ? AND update_id >= ? AND update_id < ? AND state = 0 ORDER BY update_id LIMIT +?`);
  const selectPending = db.prepare(`
    SELECT update_id AS updateId FROM updates WHERE bot_key = ? AND update_id = ? AND state IN (0, 1)`);
  const skip = db.prepare(`
    UPDATE updates SET state = ${STATE_CODE.skipped}, due_at = NULL, failure_count = 0
    WHERE bot_key = ? AND update_id = ?`);
  const count = db.prepare("UPDATE lanes SET skipped_count = skipped_count + ? WHERE bot_key = ?");
  const moveRange = db.prepare("UPDATE lanes SET skip_from = ?, skip_below = ? WHERE bot_key = ?");

  const skipAll = (botKey: number, rows: readonly { updateId: number }[]): void => {
    for (const { updateId } of rows) skip.run(botKey, updateId);
    if (rows.length > 0) count.run(rows.length, botKey);
  };

  const stepOf = ({ botKey, fromId, belowId }: Marked): void => {
    let left = ROWS_PER_STEP;
    const take = (rows: unknown[]): { updateId: number }[] => {
      left -= rows.length;
      return rows as { updateId: number }[];
    };
    skipAll(botKey, take(selectScheduled.all(botKey, belowId, left)));
    skipAll(botKey, take(selectRequeued.all(botKey, belowId, left)));
    const fresh = take(selectFresh.all(botKey, fromId, belowId, left));
    skipAll(botKey, fresh);
    if (left > 0) moveRange.run(null, null, botKey);
    else moveRange.run((fresh.at(-1)?.updateId ?? fromId - 1) + 1, belowId, botKey);
  };

  const markedLane = (botKey: number) => selectMarked.get(botKey) as Marked | undefined;

  return {
    begin(botKey, { through, done }) {
      const { lastUpdateId } = selectLane.get(botKey) as { lastUpdateId: number };
      const last = Math.min(through, lastUpdateId);
      if (last > 0) {
        endReplays.run(botKey, last);
        markRange.run(last + 1, botKey);
      }
      for (const updateId of done)
        skipAll(botKey, selectPending.all(botKey, updateId) as { updateId: number }[]);
      const marked = markedLane(botKey);
      if (marked) stepOf(marked);
    },
    step(botKey) {
      const marked = markedLane(botKey);
      if (marked) stepOf(marked);
      return marked !== undefined;
    },
  };
}
