import type { TrackedUpdate } from "../../domain/update.js";
import { deliveredStep, type LogEnds } from "../delivered-step.js";
import type { HistoryStep } from "../store.js";
import type { Database } from "./binding.js";
import { IS_REQUEUED } from "./requeueing.js";
import { ABOVE_ALL, TRACKED, tracked } from "./updates.js";
import type { Verbs } from "./verbs.js";

/** Updates of one state, newest first. Each has an index or a range of the log of its own, but for delivered ones. */
export function historyVerbs(db: Database): Pick<Verbs, "listUpdatesInState"> {
  const prepare = (index: string, condition: string) =>
    db.prepare(`
      SELECT ${TRACKED}
      FROM bots b JOIN lanes l USING (bot_key) JOIN updates u ${index} USING (bot_key) JOIN posts p USING (post_key)
      WHERE b.id = ?1 AND u.update_id < ?2 AND ${condition} ORDER BY u.update_id DESC LIMIT +?3`);
  const selectFresh = prepare("", "u.update_id >= l.next_fresh_id AND u.state = 0 AND u.attempt_count = 0");
  /** Pending after an attempt: put back to the beginning, and so due at once. */
  const selectPutBack = prepare("INDEXED BY updates_due_again", "u.due_at = 0");
  /** The same, but for their rows. */
  const selectToPutBack = prepare("INDEXED BY updates_scheduled", `u.state = 1 AND ${IS_REQUEUED}`);
  /** What is scheduled stands above and below the range that is to be put back. */
  const selectScheduledAbove = prepare(
    "INDEXED BY updates_scheduled",
    "u.state = 1 AND u.update_id >= ifnull(l.requeue_below, 0)",
  );
  const selectScheduledBelow = prepare(
    "INDEXED BY updates_scheduled",
    "u.state = 1 AND u.update_id < l.requeue_from",
  );
  const selectFailed = prepare("INDEXED BY updates_failed", "u.state = 3");
  const selectDelivered = prepare("", "u.update_id >= ?4 AND u.state = 2");
  const selectEnds = db.prepare(`
    SELECT l.delivered_count AS delivered,
      (SELECT u.update_id FROM updates u WHERE u.bot_key = l.bot_key ORDER BY u.update_id LIMIT 1) AS firstUpdateId,
      (SELECT u.update_id FROM updates u WHERE u.bot_key = l.bot_key AND u.update_id < ?2
        ORDER BY u.update_id DESC LIMIT 1) AS lastUpdateId
    FROM bots b JOIN lanes l USING (bot_key) WHERE b.id = ?1`);

  const listPending = (botId: string, limit: number, before: number): TrackedUpdate[] =>
    [selectFresh, selectPutBack, selectToPutBack]
      .flatMap((statement) => statement.all(botId, before, limit))
      .map(tracked)
      .toSorted((a, b) => b.updateId - a.updateId)
      .slice(0, limit);

  const listScheduled = (botId: string, limit: number, before: number): TrackedUpdate[] => {
    const above = selectScheduledAbove.all(botId, before, limit);
    return [...above, ...selectScheduledBelow.all(botId, before, limit - above.length)].map(tracked);
  };

  const findDelivered = (botId: string, limit: number, before: number): HistoryStep => {
    const ends = selectEnds.get(botId, before) as LogEnds | undefined;
    const step = ends && deliveredStep(ends);
    if (!step) return { updates: [] };
    const updates = selectDelivered.all(botId, step.to, limit, step.from).map(tracked);
    return { updates, ...(step.isLast ? {} : { next: step.from }) };
  };

  return {
    listUpdatesInState(botId, state, limit, before = ABOVE_ALL) {
      switch (state) {
        case "pending":
          return { updates: listPending(botId, limit, before) };
        case "scheduled":
          return { updates: listScheduled(botId, limit, before) };
        case "failed":
          return { updates: selectFailed.all(botId, before, limit).map(tracked) };
        case "delivered":
          return findDelivered(botId, limit, before);
      }
    },
  };
}
