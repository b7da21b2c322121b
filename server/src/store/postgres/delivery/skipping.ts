import { STATE_CODE, UNRESOLVED } from "../../shared/delivery-states.js";
import type { Skip, Store } from "../../store.js";
import { isReplaceable, OF_OWNER } from "../bots/destinations.js";
import {
  type Database,
  integers,
  type Statement,
  type Step,
  uuid,
  type Value,
} from "../connection/connection.js";
import { DATABASE_NOW } from "../connection/database-clock.js";
import { MAY_HOLD, released } from "./held.js";
import { NEVER_ATTEMPTED, WAITING_ROUNDS } from "./waiting.js";

/** Rows that one step changes: a few milliseconds of the database's time, in which the destination is locked. */
export const ROWS_PER_STEP = 256;

/** Releases what is held behind rows of a destination that are skipped in the same statement. */
const releasedBehind = (destination: string, skipped: string) =>
  released(
    `
      SELECT DISTINCT dest.destination_key, d.channel_key
      FROM ${destination} dest CROSS JOIN LATERAL (
        SELECT channel_key FROM deliveries
        WHERE destination_key = dest.destination_key AND first_number = ANY (ARRAY(${skipped})) OFFSET 0) d
      WHERE d.channel_key > 0 AND ${MAY_HOLD}`,
    `u.first_number = ANY (ARRAY(${skipped}))`,
  );

/** The columns of a row that is skipped. */
export const SKIPPED = `state = ${STATE_CODE.skipped}, round = NULL, due_at = NULL, failure_count = 0`;

/**
 * Skips undelivered updates of a webhook, $1 to $3, those up to $6 and those in $7: they stay in the log, count as skipped, and are never
 * sent. What was never attempted is one run, or a few around rows that exist, however many updates it has. Of the rows that
 * wait, {@link ROWS_PER_STEP} are changed; if there are more, the destination keeps up to which number, and before which round, others are
 * still to be skipped: {@link SKIP_STEP} does that. Only what is replayed from then on is not one of them.
 *
 * If updates up to a higher number are still to be skipped for an earlier webhook, the destination goes on to keep that one, and all rows
 * that wait and are none of those are changed now: what was replayed since. Changes nothing when the webhook is not replaceable: $4 is the
 * round that the edit names, $5 the id that its credentials are sealed for.
 */
const BEGIN_SKIPPING: Statement = {
  name: "begin-skipping",
  text: `
    WITH marked AS (
      SELECT dest.*, log.unused_count, least($6::bigint, log.last_update_id) AS through,
        coalesce(dest.skip_through > least($6::bigint, log.last_update_id), false) AS keeps_earlier
      FROM (
        SELECT dest.* ${OF_OWNER} AND ${isReplaceable("$4", "$5")}) dest
      JOIN lanes log ON log.bot_key = dest.log_key),
    waiting AS (
      SELECT w.first_number
      FROM marked dest CROSS JOIN LATERAL (${WAITING_ROUNDS}) r
      CROSS JOIN LATERAL (
        SELECT d.first_number FROM deliveries d
        WHERE d.destination_key = dest.destination_key AND d.state = ${STATE_CODE.waiting} AND d.round = r.round AND d.first_number <= dest.through
        ORDER BY d.first_number LIMIT CASE WHEN NOT dest.keeps_earlier THEN ${ROWS_PER_STEP} END) w
      WHERE NOT dest.keeps_earlier OR r.round >= dest.skip_round - 1
      UNION ALL
      SELECT h.first_number
      FROM marked dest CROSS JOIN LATERAL (
        SELECT d.first_number FROM deliveries d
        WHERE d.destination_key = dest.destination_key AND d.state = ${STATE_CODE.held} AND d.first_number <= dest.through
          AND (NOT dest.keeps_earlier OR d.round >= dest.skip_round - 1)
        ORDER BY d.first_number LIMIT CASE WHEN NOT dest.keeps_earlier THEN ${ROWS_PER_STEP} END) h
      LIMIT CASE WHEN NOT (SELECT keeps_earlier FROM marked) THEN ${ROWS_PER_STEP} END),
    chosen AS (
      SELECT e.number, ${NEVER_ATTEMPTED} AS is_fresh, (
        SELECT d.state IN (${UNRESOLVED}) FROM deliveries d
        WHERE d.destination_key = dest.destination_key AND d.first_number = e.number) AS is_waiting
      FROM marked dest JOIN entries e ON e.log_key = dest.log_key AND e.number = ANY ($7::bigint[]) AND e.number > dest.through),
    skipped AS (
      UPDATE deliveries SET ${SKIPPED}
      WHERE destination_key = (SELECT destination_key FROM marked)
        AND first_number = ANY (ARRAY(SELECT first_number FROM waiting UNION ALL SELECT number FROM chosen WHERE is_waiting))
      RETURNING first_number),
    ${releasedBehind("marked", "SELECT first_number FROM waiting UNION ALL SELECT number FROM chosen WHERE is_waiting")},
    boundary AS (
      SELECT d.first_number, d.last_number FROM marked dest CROSS JOIN LATERAL (
        SELECT first_number, last_number FROM deliveries
        WHERE destination_key = dest.destination_key AND first_number >= dest.next_fresh_number AND first_number <= dest.through OFFSET 0) d
      UNION ALL
      SELECT d.first_number, d.last_number FROM marked dest CROSS JOIN LATERAL (
        SELECT first_number, last_number FROM deliveries
        WHERE destination_key = dest.destination_key AND first_number < dest.next_fresh_number ORDER BY first_number DESC LIMIT 1) d
      UNION ALL
      SELECT through + 1, through + 1 FROM marked),
    gap AS (
      SELECT dest.destination_key, dest.log_key, dest.unused_count, b.first_number - 1 AS last_number,
        greatest(dest.next_fresh_number, lag(b.last_number) OVER (ORDER BY b.first_number) + 1) AS first_number
      FROM marked dest CROSS JOIN boundary b),
    run AS (
      SELECT destination_key, first_number, last_number, CASE WHEN unused_count = 0 THEN last_number - first_number + 1 ELSE (
        SELECT count(*) FROM entries e
        WHERE e.log_key = gap.log_key AND e.number >= gap.first_number AND e.number <= gap.last_number) END AS updates
      FROM gap WHERE first_number <= last_number
      UNION ALL
      SELECT dest.destination_key, c.number, c.number, 1 FROM marked dest CROSS JOIN chosen c WHERE c.is_fresh),
    added AS (
      INSERT INTO deliveries (destination_key, first_number, last_number, state, attempt_count, failure_count)
      SELECT destination_key, first_number, last_number, ${STATE_CODE.skipped}, 0, 0 FROM run WHERE updates > 0)
    UPDATE destinations dest SET
      skipped_count = dest.skipped_count + (SELECT count(*) FROM skipped) + (SELECT coalesce(sum(updates), 0) FROM run),
      next_fresh_number = greatest(dest.next_fresh_number, marked.through + 1),
      skip_through = CASE WHEN marked.keeps_earlier THEN dest.skip_through
        WHEN (SELECT count(*) FROM waiting) = ${ROWS_PER_STEP} THEN marked.through END,
      skip_round = CASE WHEN marked.keeps_earlier THEN dest.skip_round
        WHEN (SELECT count(*) FROM waiting) = ${ROWS_PER_STEP} THEN dest.round + 2 END
    FROM marked WHERE dest.destination_key = marked.destination_key`,
};
const LOCK_SKIPPING: Statement = {
  name: "lock-skipping-destination",
  text: `
    SELECT destination_key FROM destinations
    WHERE id = $1 AND (skip_through IS NOT NULL OR is_releasing) FOR UPDATE`,
};
const SKIP_STEP: Statement = {
  name: "skip-step",
  text: `
    WITH marked AS (
      SELECT destination_key, skip_through, skip_round, is_releasing, settings FROM destinations
      WHERE id = $1 AND skip_through IS NOT NULL),
    next AS (
      SELECT w.first_number
      FROM marked dest CROSS JOIN LATERAL (${WAITING_ROUNDS}) r
      CROSS JOIN LATERAL (
        SELECT d.first_number FROM deliveries d
        WHERE d.destination_key = dest.destination_key AND d.state = ${STATE_CODE.waiting} AND d.round = r.round AND d.first_number <= dest.skip_through
        ORDER BY d.first_number LIMIT ${ROWS_PER_STEP}) w
      WHERE r.round < dest.skip_round - 1
      UNION ALL
      SELECT h.first_number
      FROM marked dest CROSS JOIN LATERAL (
        SELECT d.first_number FROM deliveries d
        WHERE d.destination_key = dest.destination_key AND d.state = ${STATE_CODE.held} AND d.first_number <= dest.skip_through
          AND d.round < dest.skip_round - 1
        ORDER BY d.first_number LIMIT ${ROWS_PER_STEP}) h
      LIMIT ${ROWS_PER_STEP}),
    skipped AS (
      UPDATE deliveries SET ${SKIPPED}
      WHERE destination_key = (SELECT destination_key FROM marked) AND first_number = ANY (ARRAY(SELECT first_number FROM next))),
    ${releasedBehind("marked", "SELECT first_number FROM next")},
    done AS (SELECT count(*) AS rows FROM next)
    UPDATE destinations dest SET
      skipped_count = dest.skipped_count + done.rows,
      skip_through = CASE WHEN done.rows = ${ROWS_PER_STEP} THEN dest.skip_through END,
      skip_round = CASE WHEN done.rows = ${ROWS_PER_STEP} THEN dest.skip_round END
    FROM done WHERE dest.destination_key = (SELECT destination_key FROM marked)
    RETURNING dest.destination_key`,
};

/** Then what is held for an order that the webhook has no more is made due. */
const RELEASE_STEP: Statement = {
  name: "release-step",
  text: `
    WITH dest AS (SELECT * FROM destinations WHERE id = $1 AND is_releasing AND skip_through IS NULL),
    next AS (
      SELECT first_number FROM deliveries
      WHERE destination_key = (SELECT destination_key FROM dest) AND state = ${STATE_CODE.held} ORDER BY first_number LIMIT ${ROWS_PER_STEP}),
    released AS (
      UPDATE deliveries SET state = ${STATE_CODE.waiting}, due_at = ${DATABASE_NOW}, round = (SELECT round - 1 FROM dest)
      WHERE destination_key = (SELECT destination_key FROM dest) AND first_number = ANY (ARRAY(SELECT first_number FROM next)))
    UPDATE destinations SET is_releasing = (SELECT count(*) FROM next) = ${ROWS_PER_STEP}
    WHERE destination_key = (SELECT destination_key FROM dest) RETURNING destination_key`,
};

/**
 * To be executed with the lanes and the destination locked, before the webhook is changed.
 *
 * @param key of the webhook
 * @param replaces the round and the id that the edit names; null for any
 */
export function beginSkipping(
  key: readonly Value[],
  { through, done }: Skip,
  replaces: { round: number | null; id: string | null },
): Step {
  return [BEGIN_SKIPPING, [...key, replaces.round, replaces.id, through, integers(done)]];
}

/** When nothing is left to skip or to release they change nothing, and the last two return no row. */
export function skipSteps(destinationId: string): Step[] {
  const id = uuid(destinationId);
  return [
    [LOCK_SKIPPING, [id]],
    [SKIP_STEP, [id]],
    [RELEASE_STEP, [id]],
  ];
}

/** One step for each, one after the other, so that only one destination is locked at a time. */
export function skipVerbs(db: Database): Pick<Store, "skipRemaining"> {
  return {
    async skipRemaining(destinationIds) {
      for (const id of destinationIds) await db.transaction(skipSteps(id));
    },
  };
}
