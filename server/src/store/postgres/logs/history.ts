import type { TrackedUpdate } from "../../../domain/events/update.js";
import { MAX_PAGE_BYTES } from "../../../domain/limits.js";
import { deliveredStep, type LogEnds } from "../../delivered-step.js";
import type { HistoryStep, Store } from "../../store.js";
import { type Database, type Statement, uuid } from "../connection/connection.js";
import type { InTurn } from "../connection/turns.js";
import { DUE_DESPITE_SKIP, FIRST_FRESH_ID, IS_FRESH } from "../delivery/skipping.js";
import { ABOVE_ALL, newest, pageOf, tracked } from "./updates.js";

const HAS_RETRY = "u.is_failing AND u.due_at IS NOT NULL";
/** Updates that were never attempted, and those that are pending after an attempt: requeued, or still to be requeued. */
const SELECT_PENDING: Statement = {
  name: "select-pending",
  text: tracked(`
    SELECT * FROM (
      (${newest(`u.update_id >= ${FIRST_FRESH_ID} AND ${IS_FRESH}`)})
      UNION ALL
      (${newest("u.due_at = 0")})
      UNION ALL
      (${newest(`u.due_at = ${DUE_DESPITE_SKIP}`)})
      UNION ALL
      (${newest(`${HAS_RETRY} AND u.update_id >= l.requeue_from AND u.update_id < l.requeue_below`)})) any_of_them
    ORDER BY update_id DESC LIMIT $2`),
};
/** Above and below the range that is to be requeued. */
const SELECT_SCHEDULED: Statement = {
  name: "select-scheduled",
  text: tracked(`
    SELECT * FROM (
      (${newest(`${HAS_RETRY} AND u.update_id >= coalesce(l.requeue_below, 0)`)})
      UNION ALL
      (${newest(`${HAS_RETRY} AND u.update_id < l.requeue_from`)})) either
    ORDER BY update_id DESC LIMIT $2`),
};
const SELECT_FAILED: Statement = {
  name: "select-failed",
  text: tracked(newest("u.is_failing AND u.due_at IS NULL")),
};
const SELECT_SKIPPED: Statement = {
  name: "select-skipped",
  text: tracked(newest("u.is_skipped")),
};
const SELECT_DELIVERED: Statement = {
  name: "select-delivered",
  text: tracked(newest("u.update_id >= $5 AND u.delivered_at IS NOT NULL")),
};
const SELECT_ENDS: Statement = {
  name: "select-log-ends",
  text: `
    SELECT l.delivered_count AS delivered,
      (SELECT u.update_id FROM updates u WHERE u.bot_key = l.bot_key ORDER BY u.update_id LIMIT 1) AS "firstUpdateId",
      (SELECT u.update_id FROM updates u WHERE u.bot_key = l.bot_key AND u.update_id < $2
        ORDER BY u.update_id DESC LIMIT 1) AS "lastUpdateId"
    FROM bots b JOIN lanes l USING (bot_key) WHERE b.id = $1`,
};
const BY_STATE = {
  pending: SELECT_PENDING,
  scheduled: SELECT_SCHEDULED,
  failed: SELECT_FAILED,
  skipped: SELECT_SKIPPED,
};

/** Updates of one state, newest first. Each state except delivered has its own index or range of the log. */
export function historyVerbs(db: Database, inTurn: InTurn): Pick<Store, "listUpdatesInState"> {
  const listUpdatesInState: Store["listUpdatesInState"] = async (
    botId,
    state,
    limit,
    before = ABOVE_ALL,
    maxBytes = MAX_PAGE_BYTES,
  ) => {
    const id = uuid(botId);
    if (state !== "delivered") {
      const { items, isCut } = pageOf(await db.query(BY_STATE[state], [id, limit, before, maxBytes]));
      return stepOf(items, isCut ? items.at(-1)?.updateId : undefined);
    }
    const [ends] = await db.query<LogEnds>(SELECT_ENDS, [id, before]);
    const step = ends && deliveredStep(ends);
    if (!step) return { updates: [] };
    const values = [id, limit, step.to, maxBytes, step.from];
    const { items, isCut } = pageOf(await db.query(SELECT_DELIVERED, values));
    if (isCut) return stepOf(items, items.at(-1)?.updateId);
    return stepOf(items, step.isLast ? undefined : step.from);
  };
  return { listUpdatesInState: (...parameters) => inTurn(() => listUpdatesInState(...parameters)) };
}

function stepOf(updates: TrackedUpdate[], next: number | undefined): HistoryStep {
  return { updates, ...(next === undefined ? {} : { next }) };
}
