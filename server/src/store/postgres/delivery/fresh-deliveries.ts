import { endOfAttempt, FAILING_AFTER_MS } from "../../../domain/delivery/attempt.js";
import { type AcceptedRun, runsOf } from "../../shared/accepted-runs.js";
import { STATE_CODE } from "../../shared/delivery-states.js";
import type { AttemptOutcome, LaneOutcomes } from "../../store.js";
import { KEYS_OF } from "../bots/destinations.js";
import { integers, type Statement, type Step, uuid } from "../connection/connection.js";
import { INCARNATION, targetVersion } from "../connection/incarnation.js";
import { aboutWebhook, alert, FEED_HEADS, forceExecutionOrder } from "../feed/feed-events.js";

/**
 * In the order of their keys, and after the lanes where those are locked too, so that there are no deadlocks. It is a statement of
 * its own, before those that read or write deliveries in its transaction: what another transaction has inserted while this one
 * waited for a destination is seen by the next statement only.
 */
export const LOCK_DESTINATIONS: Statement = {
  name: "lock-destinations",
  text: `
    SELECT destination_key FROM destinations
    WHERE destination_key = ANY (${KEYS_OF("$1")})
    ORDER BY destination_key FOR UPDATE`,
};
/**
 * The common case: updates that were never attempted before, all accepted. $1, $2 and $3: for each lane its destination, `nextFreshId`
 * and the version of its webhook. $4 to $9: for each run its lane, from 1, its numbers, its times, and when the last of its
 * attempts began and ended.
 *
 * It leaves out runs of an earlier webhook, and those with an update that was attempted or skipped before, or has expired:
 * expiry removes from the first number on. Then it returns the ordinals of those that were recorded; null when all were. A lane
 * is moved on when all of its runs were recorded.
 *
 * Keys are passed in an array, since no part is joined to another one (`PLANNING`).
 */
export const DELIVER_FRESH: Statement = {
  name: "deliver-fresh",
  text: `
    WITH lane AS (
      SELECT array_agg(dest.destination_key ORDER BY r.n) AS keys, array_agg(dest.log_key ORDER BY r.n) AS logs
      FROM unnest($1::uuid[]) WITH ORDINALITY AS r (id, n) LEFT JOIN destinations dest USING (id)),
    current AS (
      SELECT array_agg(dest.destination_key) AS keys,
        array_agg(dest.destination_key) FILTER (WHERE dest.told_failing) AS told_failing
      FROM lane, (SELECT ${INCARNATION} AS current OFFSET 0) incarnation_now, destinations dest
      WHERE dest.destination_key = ANY ((SELECT keys FROM lane)::bigint[])
        AND ${targetVersion("incarnation_now.current")} = ($3::bigint[])[array_position(lane.keys, dest.destination_key)]),
    run AS MATERIALIZED (
      SELECT lane.keys[r.lane] AS destination_key, r.*,
        (SELECT true FROM entries e WHERE e.log_key = lane.logs[r.lane] AND e.number = r.first_number) IS NOT NULL
        AND coalesce((
          SELECT d.last_number < r.first_number FROM deliveries d
          WHERE d.destination_key = lane.keys[r.lane] AND d.first_number <= r.last_number
          ORDER BY d.first_number DESC LIMIT 1), true) AS is_fresh
      FROM current, lane, unnest($4::integer[], $5::bigint[], $6::bigint[], $7::text[], $8::bigint[], $9::bigint[])
        WITH ORDINALITY AS r (lane, first_number, last_number, times, attempted_at, ended_at, ordinal)
      WHERE lane.keys[r.lane] = ANY (current.keys)),
    delivered AS (
      INSERT INTO deliveries (destination_key, first_number, last_number, state, attempt_count, failure_count, times)
      SELECT destination_key, first_number, last_number, ${STATE_CODE.delivered}, 1, 0, times FROM run WHERE is_fresh),
    tally AS (
      SELECT destination_key, lane, bool_and(is_fresh) AS is_whole,
        sum(last_number - first_number + 1) FILTER (WHERE is_fresh) AS delivered,
        max(attempted_at) FILTER (WHERE is_fresh) AS attempted_at, max(ended_at) FILTER (WHERE is_fresh) AS ended_at
      FROM run GROUP BY destination_key, lane HAVING bool_or(is_fresh)),
    counted AS (
      UPDATE destinations dest SET
        delivered_count = dest.delivered_count + t.delivered,
        last_attempted_at = greatest(dest.last_attempted_at, t.attempted_at),
        last_delivered_at = greatest(dest.last_delivered_at, t.ended_at),
        last_error = '',
        failing_since = NULL,
        failures_in_row = NULL,
        told_failing = CASE WHEN t.ended_at - coalesce(dest.last_failure_at, 0) < ${FAILING_AFTER_MS} THEN dest.told_failing END,
        next_fresh_number = CASE WHEN t.is_whole THEN 
        greatest(dest.next_fresh_number, least(($2::bigint[])[t.lane], (SELECT last_update_id + 1 FROM lanes WHERE bot_key = dest.log_key))) ELSE dest.next_fresh_number END
      FROM tally t WHERE dest.destination_key = t.destination_key
      RETURNING dest.destination_key, dest.log_key, dest.name, dest.told_failing),
    ${alert(
      aboutWebhook(
        "webhook.recovered",
        `counted dest JOIN bots b ON b.bot_key = dest.log_key
        WHERE dest.told_failing IS NULL AND dest.destination_key = ANY ((SELECT told_failing FROM current)::bigint[])`,
      ),
      "NULL",
      forceExecutionOrder("counted"),
    )}
    SELECT CASE WHEN count(*) < cardinality($4::integer[]) THEN coalesce(array_agg(ordinal::integer), '{}') END
      AS "recordedOrdinals", ${FEED_HEADS}
    FROM run WHERE is_fresh`,
};

/** Whether all outcomes are accepted first attempts of different updates, as far as the caller knows. */
export function isFresh({ attempts }: LaneOutcomes): boolean {
  const accepted = attempts.every(
    ({ failure, failureCount, notSent }) => !failure && !notSent && failureCount === 0,
  );
  return accepted && new Set(attempts.map(({ updateId }) => updateId)).size === attempts.length;
}

/** A run of a lane's outcomes. */
interface LaneRun extends AcceptedRun {
  /** From 1. */
  lane: number;
  attempts: readonly AttemptOutcome[];
}

/** To be executed with the destinations locked. */
export function deliverFresh(lanes: readonly LaneOutcomes[]): Step {
  const runs = lanes.flatMap(laneRunsOf);
  return [
    DELIVER_FRESH,
    [
      lanes.map(({ destinationId }) => uuid(destinationId)),
      integers(lanes.map(({ nextFreshId }) => nextFreshId)),
      integers(lanes.map(({ webhookVersion }) => webhookVersion)),
      integers(runs.map(({ lane }) => lane)),
      integers(runs.map(({ first }) => first)),
      integers(runs.map(({ last }) => last)),
      runs.map(({ times }) => times),
      integers(runs.map(({ attempts }) => Math.max(...attempts.map(({ attemptedAt }) => attemptedAt)))),
      integers(runs.map(({ attempts }) => Math.max(...attempts.map(endOfAttempt)))),
    ],
  ];
}

/**
 * @param recordedOrdinals what the statement has returned
 * @returns the outcomes still to be recorded: those of an earlier webhook, and runs with updates that were replayed,
 *   attempted by another instance, skipped or removed
 */
export function leftOf(lanes: readonly LaneOutcomes[], recordedOrdinals: number[] | null): LaneOutcomes[] {
  if (!recordedOrdinals) return [];
  const recorded = new Set(recordedOrdinals);
  const left = lanes.flatMap(laneRunsOf).filter((_, index) => !recorded.has(index + 1));
  return lanes.flatMap((lane, index) => {
    const attempts = left.flatMap((run) => (run.lane === index + 1 ? run.attempts : []));
    return attempts.length > 0 ? [{ ...lane, attempts, minutes: lane.minutes?.map(withoutCounts) }] : [];
  });
}

function laneRunsOf({ attempts }: LaneOutcomes, index: number): LaneRun[] {
  const byNumber = attempts.toSorted((a, b) => a.updateId - b.updateId);
  let from = 0;
  return runsOf(byNumber).map((run) => {
    const to = from + run.last - run.first + 1;
    const ofRun = byNumber.slice(from, to);
    from = to;
    return { ...run, lane: index + 1, attempts: ofRun };
  });
}

/** The counts were added; the backlog is still to be written, after the other outcomes. */
function withoutCounts({ startsAt }: { startsAt: number }) {
  return { startsAt, delivered: 0, retried: 0, failed: 0, answerTimes: [], oldestMs: 0 };
}
