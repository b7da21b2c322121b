import type { TrackedUpdate } from "../../../domain/events/update.js";
import { MAX_PAGE_BYTES } from "../../../domain/limits.js";
import { deliveredStep, type LogEnds } from "../../shared/delivered-step.js";
import { STATE_CODE } from "../../shared/delivery-states.js";
import type { HistoryStep, Store } from "../../store.js";
import { type Database, type Statement, uuid } from "../connection/connection.js";
import type { InTurn } from "../connection/turns.js";
import { NEVER_ATTEMPTED, WAITING_ROUNDS } from "../delivery/waiting.js";
import { ABOVE_ALL, pageOf, tracked, WITH_EVENT } from "./updates.js";

/** Updates that were never attempted, those that wait in earlier rounds, and those that are held. */
const SELECT_PENDING: Statement = {
  name: "select-pending",
  text: tracked(`
    SELECT * FROM (
      (SELECT e.number, e.event_key, NULL::smallint AS state, NULL::bigint AS round, NULL::bigint AS due_at,
        NULL::integer AS attempt_count, NULL::bigint AS last_attempted_at, NULL::bigint AS delivered_at,
        NULL AS last_error, NULL AS times, NULL::bigint AS first_number
      FROM entries e
      WHERE e.log_key = dest.log_key AND e.number >= dest.next_fresh_number AND e.number < $3 AND ${NEVER_ATTEMPTED}
      ORDER BY e.number DESC LIMIT $2)
      UNION ALL
      (SELECT e.number, e.event_key, d.state, d.round, d.due_at, d.attempt_count, d.last_attempted_at, d.delivered_at,
        d.last_error, d.times, d.first_number
      FROM (${WAITING_ROUNDS}) r
      CROSS JOIN LATERAL (
        SELECT * FROM deliveries
        WHERE destination_key = dest.destination_key AND state = ${STATE_CODE.waiting} AND round = r.round AND first_number < $3
        ORDER BY first_number DESC LIMIT $2) d ${WITH_EVENT}
      WHERE r.round < dest.round)
      UNION ALL
      (SELECT e.number, e.event_key, d.state, d.round, d.due_at, d.attempt_count, d.last_attempted_at, d.delivered_at,
        d.last_error, d.times, d.first_number
      FROM (
        SELECT * FROM deliveries
        WHERE destination_key = dest.destination_key AND state = ${STATE_CODE.held} AND first_number < $3
        ORDER BY first_number DESC LIMIT $2) d ${WITH_EVENT})) either
    ORDER BY number DESC LIMIT $2`),
};
const SELECT_SCHEDULED: Statement = {
  name: "select-scheduled",
  text: tracked(`
    SELECT e.number, e.event_key, d.* FROM (
      SELECT * FROM deliveries
      WHERE destination_key = dest.destination_key AND state = ${STATE_CODE.waiting} AND round = dest.round AND first_number < $3
      ORDER BY first_number DESC LIMIT $2) d ${WITH_EVENT}`),
};
const SELECT_FAILED: Statement = {
  name: "select-failed",
  text: tracked(`
    SELECT e.number, e.event_key, d.* FROM (
      SELECT * FROM deliveries
      WHERE destination_key = dest.destination_key AND state = ${STATE_CODE.failed} AND first_number < $3
      ORDER BY first_number DESC LIMIT $2) d ${WITH_EVENT}`),
};
/** Of each run its newest numbers, also those of a run that reaches beyond $3. */
const SELECT_SKIPPED: Statement = {
  name: "select-skipped",
  text: tracked(`
    SELECT e.number, e.event_key, d.* FROM (
      SELECT * FROM deliveries
      WHERE destination_key = dest.destination_key AND state = ${STATE_CODE.skipped} AND first_number < $3
      ORDER BY first_number DESC LIMIT $2) d
    CROSS JOIN LATERAL (
      SELECT number, event_key FROM entries
      WHERE log_key = dest.log_key AND number >= d.first_number AND number <= d.last_number AND number < $3
      ORDER BY number DESC LIMIT $2) e
    ORDER BY e.number DESC LIMIT $2`),
};
/** The step begins at $5, in the midst of a run perhaps. */
const SELECT_DELIVERED: Statement = {
  name: "select-delivered",
  text: tracked(`
    SELECT e.number, e.event_key, d.* FROM (
      SELECT * FROM deliveries
      WHERE destination_key = dest.destination_key AND state = ${STATE_CODE.delivered} AND first_number < $3 AND first_number >= coalesce((
        SELECT first_number FROM deliveries WHERE destination_key = dest.destination_key AND first_number <= $5
        ORDER BY first_number DESC LIMIT 1), $5)
      ORDER BY first_number DESC LIMIT $2) d
    CROSS JOIN LATERAL (
      SELECT number, event_key FROM entries
      WHERE log_key = dest.log_key AND number >= greatest(d.first_number, $5) AND number <= d.last_number AND number < $3
      ORDER BY number DESC LIMIT $2) e
    ORDER BY e.number DESC LIMIT $2`),
};
const SELECT_ENDS: Statement = {
  name: "select-log-ends",
  text: `
    SELECT dest.delivered_count AS delivered,
      (SELECT e.number FROM entries e WHERE e.log_key = dest.log_key ORDER BY e.number LIMIT 1) AS "firstUpdateId",
      (SELECT e.number FROM entries e WHERE e.log_key = dest.log_key AND e.number < $2
        ORDER BY e.number DESC LIMIT 1) AS "lastUpdateId"
    FROM destinations dest WHERE dest.id = $1`,
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
    destinationId,
    state,
    limit,
    before = ABOVE_ALL,
    maxBytes = MAX_PAGE_BYTES,
  ) => {
    const id = uuid(destinationId);
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
