import type { FailedAttempt } from "../../../domain/delivery/attempt.js";
import { ERASED_MARK } from "../../../domain/events/post.js";
import { MAX_KEPT_ATTEMPTS } from "../../../domain/limits.js";
import { omitNulls } from "../../shared/omit-nulls.js";
import type { LaneOutcomes, Store } from "../../store.js";
import { type Database, integers, type Statement, type Step, uuid } from "../connection/connection.js";
import { INCARNATION, targetVersion } from "../connection/incarnation.js";

/** SQL of whether an event's payload is erased. */
const isErased = (payload: string) => `strpos(${payload}, '${ERASED_MARK}') > 0`;

/**
 * Runs after the outcomes, in their transaction: failed attempts get the numbers that those have just counted, and those of an
 * earlier webhook are left out. Of an update that two instances were sending, both have one number, and the first is kept. An answer to what was
 * erased meanwhile is not kept: it may have the text.
 */
const KEEP_FAILED: Statement = {
  name: "keep-failed-attempts",
  text: `
    WITH given AS MATERIALIZED (
      SELECT dest.destination_key, dest.log_key, f.*
      FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[], $5::integer[], $6::text[], $7::text[], $8::bigint[])
        AS f (id, update_id, attempted_at, duration_ms, status, error, response_body, webhook_version)
      CROSS JOIN (SELECT ${INCARNATION} AS current OFFSET 0) incarnation_now
      JOIN destinations dest ON dest.id = f.id AND ${targetVersion("incarnation_now.current")} = f.webhook_version),
    failed AS (
      SELECT destination_key, update_id, d.attempt_count AS attempt, t.attempted_at, t.duration_ms, t.status, t.error,
        CASE WHEN ev.event_key IS NULL THEN '' ELSE t.response_body END, ev.event_key
      FROM given t CROSS JOIN LATERAL (
        SELECT attempt_count FROM deliveries WHERE destination_key = t.destination_key AND first_number = t.update_id OFFSET 0) d
      LEFT JOIN LATERAL (
        SELECT e.event_key, p.payload FROM entries e JOIN events p ON p.event_key = e.event_key
        WHERE e.log_key = t.log_key AND e.number = t.update_id OFFSET 0) ev
        ON t.response_body <> '' AND NOT ${isErased("ev.payload")}),
    dropped AS (
      DELETE FROM failed_attempts a USING failed f
      WHERE a.destination_key = f.destination_key AND a.number = f.update_id AND a.attempt <= (
        SELECT attempt FROM failed_attempts
        WHERE f.attempt > ${MAX_KEPT_ATTEMPTS} AND destination_key = f.destination_key AND number = f.update_id
        ORDER BY attempt DESC LIMIT 1 OFFSET ${MAX_KEPT_ATTEMPTS - 1}))
    INSERT INTO failed_attempts (
      destination_key, number, attempt, attempted_at, duration_ms, status, error, response_body, event_key)
    SELECT * FROM failed ON CONFLICT DO NOTHING`,
};
/**
 * $1: destinations, $2: numbers. Whoever erases these events waits until their answers are kept, and then finds these; or has erased them before. It is
 * the first lock of a transaction, since erasing locks events before all else.
 */
const HOLD_ANSWERED: Statement = {
  name: "hold-answered-events",
  text: `
    SELECT FROM events WHERE event_key = ANY (ARRAY(
      SELECT e.event_key FROM unnest($1::uuid[], $2::bigint[]) AS f (id, update_id)
      JOIN destinations dest ON dest.id = f.id
      CROSS JOIN LATERAL (SELECT event_key FROM entries WHERE log_key = dest.log_key AND number = f.update_id OFFSET 0) e))
    ORDER BY event_key FOR SHARE`,
};
const SELECT_FAILED: Statement = {
  name: "select-failed-attempts",
  text: `
    SELECT a.attempt, a.attempted_at AS "attemptedAt", a.duration_ms AS "durationMs", a.status, a.error,
      CASE WHEN ${isErased("p.payload")} THEN '' ELSE a.response_body END AS "responseBody"
    FROM destinations dest JOIN entries e ON e.log_key = dest.log_key AND e.number = $2
    JOIN events p ON p.event_key = e.event_key
    LEFT JOIN failed_attempts a ON a.destination_key = dest.destination_key AND a.number = e.number
    WHERE dest.id = $1
    ORDER BY a.attempt`,
};

/** @returns the step that holds the events whose answers {@link keepFailed} keeps; none when there are none */
export function holdAnswered(lanes: readonly LaneOutcomes[]): Step[] {
  const answered = lanes.flatMap(({ destinationId, attempts }) =>
    attempts.flatMap(({ updateId, failure }) => (failure?.responseBody ? [{ destinationId, updateId }] : [])),
  );
  if (answered.length === 0) return [];
  const ids = answered.map(({ destinationId }) => uuid(destinationId));
  return [[HOLD_ANSWERED, [ids, integers(answered.map(({ updateId }) => updateId))]]];
}

/** @returns the step that keeps what failed among these outcomes; none when nothing did */
export function keepFailed(lanes: readonly LaneOutcomes[]): Step[] {
  const failed = lanes.flatMap(({ destinationId, webhookVersion, attempts }) =>
    attempts.flatMap(({ failure, ...attempt }) =>
      failure ? [{ destinationId, webhookVersion, ...attempt, ...failure }] : [],
    ),
  );
  if (failed.length === 0) return [];
  const values = [
    failed.map(({ destinationId }) => uuid(destinationId)),
    integers(failed.map(({ updateId }) => updateId)),
    integers(failed.map(({ attemptedAt }) => attemptedAt)),
    integers(failed.map(({ durationMs }) => durationMs)),
    failed.map(({ status }) => status ?? null),
    failed.map(({ error }) => error),
    failed.map(({ responseBody }) => responseBody ?? ""),
    integers(failed.map(({ webhookVersion }) => webhookVersion)),
  ];
  return [[KEEP_FAILED, values]];
}

export function failedAttemptVerbs(db: Database): Pick<Store, "listFailedAttempts"> {
  return {
    async listFailedAttempts(destinationId, updateId) {
      const rows = await db.query<{ attempt: number | null }>(SELECT_FAILED, [uuid(destinationId), updateId]);
      if (rows.length === 0) return undefined;
      return rows.filter(({ attempt }) => attempt !== null).map(omitNulls<FailedAttempt>);
    },
  };
}
