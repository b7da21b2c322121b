import type { AttemptOutcome, Store } from "../store.js";
import { type Database, type Statement, uuid } from "./connection.js";

/** In the order of their keys, as everybody does who locks several: so nobody waits in a circle. */
const LOCK_LANES: Statement = {
  name: "lock-lanes",
  text: `
    SELECT bot_key FROM lanes WHERE bot_key IN (SELECT bot_key FROM bots WHERE id = ANY ($1::uuid[]))
    ORDER BY bot_key FOR UPDATE`,
};
/**
 * A success delivers whatever is not delivered yet. A failure counts only against the round it belongs to: when the
 * number of failures has changed meanwhile, the update was replayed, and only the attempt is counted. Without a webhook
 * there is nothing to retry against, and the update is pending again.
 */
const RECORD: Statement = {
  name: "record-attempts",
  text: `
    WITH outcome AS (
      SELECT o.*, b.bot_key, b.webhook_url IS NOT NULL AS has_webhook
      FROM ROWS FROM (json_to_recordset($1) AS (
          bot_id uuid, update_id bigint, failure_count integer, attempted_at bigint, error text, next_retry_at bigint))
        WITH ORDINALITY AS o (bot_id, update_id, failure_count, attempted_at, error, next_retry_at, n)
      JOIN bots b ON b.id = o.bot_id),
    verdict AS (
      SELECT o.*, u.is_failing, u.due_at,
        u.delivered_at IS NULL AND u.update_id IS NOT NULL AND o.error IS NULL AS delivers,
        coalesce(u.delivered_at IS NULL AND o.error IS NOT NULL AND u.failure_count = o.failure_count, false) AS fails
      FROM outcome o LEFT JOIN updates u USING (bot_key, update_id)),
    changed AS (
      UPDATE updates u SET
        attempt_count = u.attempt_count + 1,
        failure_count = u.failure_count + v.fails::integer,
        last_attempted_at = v.attempted_at,
        last_error = coalesce(v.error, u.last_error),
        delivered_at = CASE WHEN v.delivers THEN v.attempted_at ELSE u.delivered_at END,
        is_failing = CASE WHEN v.delivers THEN false WHEN v.fails THEN v.has_webhook ELSE u.is_failing END,
        due_at = CASE WHEN v.delivers THEN NULL WHEN NOT v.fails THEN u.due_at
          WHEN v.has_webhook THEN v.next_retry_at ELSE 0 END
      FROM verdict v WHERE u.bot_key = v.bot_key AND u.update_id = v.update_id),
    tally AS (
      SELECT bot_key,
        count(*) FILTER (WHERE delivers) AS delivered,
        count(*) FILTER (WHERE fails AND has_webhook AND next_retry_at IS NOT NULL)
          - count(*) FILTER (WHERE (delivers OR fails) AND is_failing AND due_at IS NOT NULL) AS scheduled,
        count(*) FILTER (WHERE fails AND has_webhook AND next_retry_at IS NULL)
          - count(*) FILTER (WHERE (delivers OR fails) AND is_failing AND due_at IS NULL) AS failed,
        max(attempted_at) AS attempted_at,
        max(attempted_at) FILTER (WHERE error IS NULL) AS delivered_at,
        (array_agg(CASE WHEN has_webhook THEN coalesce(error, '') ELSE '' END ORDER BY n DESC))[1] AS last_error
      FROM verdict GROUP BY bot_key),
    mark AS (
      SELECT b.bot_key, m.next_fresh_id FROM unnest($2::uuid[], $3::bigint[]) AS m (bot_id, next_fresh_id)
      JOIN bots b ON b.id = m.bot_id)
    UPDATE lanes l SET
      scheduled_count = l.scheduled_count + t.scheduled,
      delivered_count = l.delivered_count + t.delivered,
      failed_count = l.failed_count + t.failed,
      last_attempted_at = greatest(l.last_attempted_at, t.attempted_at),
      last_delivered_at = greatest(l.last_delivered_at, t.delivered_at),
      last_error = t.last_error,
      next_fresh_id = greatest(l.next_fresh_id, mark.next_fresh_id)
    FROM tally t JOIN mark USING (bot_key) WHERE l.bot_key = t.bot_key`,
};

export function attemptVerbs(db: Database): Pick<Store, "recordAttempts"> {
  return {
    async recordAttempts(lanes) {
      const botIds = lanes.map(({ botId }) => uuid(botId));
      const outcomes = lanes.flatMap(({ attempts }, lane) =>
        attempts.map((attempt) => toRecord(botIds[lane] ?? null, attempt)),
      );
      const marks = lanes.map(({ nextFreshId }) => nextFreshId);
      await db.transaction([
        [LOCK_LANES, [botIds]],
        [RECORD, [JSON.stringify(outcomes), botIds, marks]],
      ]);
    },
  };
}

/** What is left out, the failure of a success above all, is null over there. */
function toRecord(botId: string | null, { updateId, failureCount, attemptedAt, failure }: AttemptOutcome) {
  return {
    bot_id: botId,
    update_id: updateId,
    failure_count: failureCount,
    attempted_at: attemptedAt,
    error: failure?.error,
    next_retry_at: failure?.nextRetryAt,
  };
}
