import {
  endOfAttempt,
  FAILING_AFTER_FAILURES,
  FAILING_AFTER_MS,
  trendOf,
} from "../../../domain/delivery/attempt.js";
import { STATE_CODE } from "../../shared/delivery-states.js";
import type { LaneOutcomes, LogHead } from "../../store.js";
import type { GrowingVerbs } from "../../verbs.js";
import { type Database, integers, type Statement, type Step, uuid } from "../connection/connection.js";
import type { DatabaseClock } from "../connection/database-clock.js";
import { INCARNATION, targetVersion } from "../connection/incarnation.js";
import { aboutWebhook, alert, FEED_HEADS, forceExecutionOrder } from "../feed/feed-events.js";
import { type HeadRows, headsOf } from "../logs/log-growth.js";
import { holdAnswered, keepFailed } from "./failed-attempts.js";
import { DELIVER_FRESH, deliverFresh, isFresh, LOCK_DESTINATIONS, leftOf } from "./fresh-deliveries.js";
import { hold, partOf, releaseBehind } from "./held.js";
import { splitRuns } from "./split-runs.js";
import { countMinutes } from "./timeline.js";
import { partUnwanted, skipUnwanted } from "./unwanted.js";
import { IS_TO_SKIP } from "./waiting.js";

const RECORDED = "recorded dest JOIN bots b ON b.bot_key = dest.log_key";
/**
 * A success makes any undelivered update delivered. A failure counts only in its own round: when the number of failures
 * has changed since, or the update is still to be skipped, only the attempt is counted. What waits in an earlier round has
 * no failures. Outcomes of an earlier webhook change nothing, except for updates that it had accepted before it was changed; those
 * from before a fail-over change nothing either.
 *
 * $1: the destinations of lanes; $3 to $8 and $12: outcomes with their lanes, from 1, each of an update that is in no run
 * (`split-runs.ts`).
 *
 * Both keys of an update are in one part, which is materialised before its row is looked up. With the destination's key from
 * one part and the number from another, the planner may look up by the destination alone and read all of its rows for each
 * outcome. It did while its statistics had short logs: 164 instead of 30 µs of the server's time for an outcome.
 */
const RECORD: Statement = {
  name: "record-attempts",
  text: `
    WITH lane AS (
      SELECT r.n::integer AS lane_index, dest.destination_key, dest.log_key, r.next_fresh_number, r.has_accepted, r.failing_since,
        ${targetVersion("incarnation_now.current")} = r.webhook_version AS is_current, dest.changed_at, dest.round, dest.skip_through, dest.skip_round,
        r.failures_in_row, r.last_failed_at,
        CASE WHEN dest.generation = r.generation THEN r.resting_until ELSE dest.resting_until END AS resting_until
      FROM unnest($1::uuid[], $2::bigint[], $9::boolean[], $10::bigint[], $11::bigint[], $14::integer[], $15::bigint[],
        $16::bigint[], $17::bigint[])
        WITH ORDINALITY AS r (
          id, next_fresh_number, has_accepted, failing_since, webhook_version, failures_in_row, last_failed_at, resting_until,
          generation, n)
      CROSS JOIN (SELECT ${INCARNATION} AS current OFFSET 0) incarnation_now
      JOIN destinations dest ON dest.id = r.id),
    outcome AS MATERIALIZED (
      SELECT o.*, l.destination_key, l.log_key, l.is_current, l.round AS lane_round, l.skip_through, l.skip_round
      FROM unnest($3::integer[], $4::bigint[], $5::integer[], $6::bigint[], $12::bigint[], $7::text[], $8::bigint[])
        WITH ORDINALITY AS o (lane_index, update_id, failure_count, attempted_at, ended_at, error, next_retry_at, n)
      JOIN lane l USING (lane_index)
      WHERE l.is_current OR (o.error IS NULL AND o.ended_at + $13::bigint < l.changed_at)),
    verdict AS MATERIALIZED (
      SELECT l.*, d.state, d.attempt_count, d.failure_count AS failures, d.round, d.due_at, d.delivered_at, d.last_failed_at,
        d.last_error, d.channel_key, e.event_key, e.number IS NOT NULL AS is_kept,
        coalesce(d.state = ${STATE_CODE.waiting} AND d.round = l.lane_round, false) AS was_scheduled,
        e.number IS NOT NULL AND d.state IS DISTINCT FROM ${STATE_CODE.delivered} AND l.error IS NULL AS delivers,
        e.number IS NOT NULL AND l.error IS NOT NULL AND NOT ${IS_TO_SKIP} AND (d.state IS NULL OR (d.state IN (${STATE_CODE.waiting}, ${STATE_CODE.failed}, ${STATE_CODE.held})
          AND l.failure_count = CASE WHEN d.round < l.lane_round THEN 0 ELSE d.failure_count END)) AS fails
      FROM outcome l
      LEFT JOIN entries e ON e.log_key = l.log_key AND e.number = l.update_id
      LEFT JOIN deliveries d ON d.destination_key = l.destination_key AND d.first_number = l.update_id),
    changed AS (
      INSERT INTO deliveries AS d (destination_key, first_number, last_number, state, attempt_count, failure_count, round, due_at,
        last_attempted_at, delivered_at, last_failed_at, last_error, channel_key)
      SELECT destination_key, update_id, update_id,
        CASE WHEN delivers THEN ${STATE_CODE.delivered} WHEN NOT fails THEN state WHEN next_retry_at IS NULL THEN ${STATE_CODE.failed} ELSE ${STATE_CODE.waiting} END,
        coalesce(attempt_count, 0) + 1,
        CASE WHEN fails THEN failure_count + 1 ELSE coalesce(failures, 0) END,
        CASE WHEN delivers THEN NULL WHEN NOT fails THEN round WHEN next_retry_at IS NOT NULL THEN lane_round END,
        CASE WHEN delivers THEN NULL WHEN fails THEN next_retry_at ELSE due_at END,
        attempted_at,
        CASE WHEN delivers THEN ended_at ELSE delivered_at END,
        CASE WHEN error IS NULL THEN last_failed_at ELSE ended_at END,
        coalesce(error, last_error),
        CASE WHEN fails THEN coalesce(channel_key, (SELECT p.channel_key FROM events p WHERE p.event_key = verdict.event_key))
          ELSE channel_key END
      FROM verdict WHERE is_kept
      ON CONFLICT (destination_key, first_number) DO UPDATE SET
        state = excluded.state, attempt_count = excluded.attempt_count, failure_count = excluded.failure_count,
        round = excluded.round, due_at = excluded.due_at, last_attempted_at = excluded.last_attempted_at,
        delivered_at = excluded.delivered_at, last_failed_at = excluded.last_failed_at, last_error = excluded.last_error,
        channel_key = excluded.channel_key),
    tally AS (
      SELECT destination_key,
        count(*) FILTER (WHERE delivers) AS delivered,
        count(*) FILTER (WHERE fails AND next_retry_at IS NOT NULL)
          - count(*) FILTER (WHERE (delivers OR fails) AND was_scheduled) AS scheduled,
        count(*) FILTER (WHERE fails AND next_retry_at IS NULL)
          - count(*) FILTER (WHERE (delivers OR fails) AND state = ${STATE_CODE.failed}) AS failed,
        count(*) FILTER (WHERE delivers AND state = ${STATE_CODE.skipped}) AS unskipped,
        max(attempted_at) AS attempted_at,
        max(ended_at) FILTER (WHERE error IS NULL) AS delivered_at,
        (array_agg(coalesce(error, '') ORDER BY n DESC))[1] AS last_error
      FROM verdict GROUP BY destination_key),
    trend AS (
      SELECT t.destination_key, coalesce(dest.told_failing, false) AS was_told_failing,
        CASE WHEN NOT is_current THEN dest.failing_since
          WHEN has_accepted THEN lane.failing_since ELSE coalesce(dest.failing_since, lane.failing_since) END AS failing_since,
        CASE WHEN NOT is_current THEN dest.failures_in_row
          WHEN has_accepted THEN lane.failures_in_row
          ELSE coalesce(dest.failures_in_row, 0) + lane.failures_in_row END AS failures_in_row,
        CASE WHEN is_current THEN greatest(dest.last_failure_at, lane.last_failed_at) ELSE dest.last_failure_at END
          AS last_failure_at,
        CASE WHEN is_current THEN greatest(dest.last_delivered_at, t.delivered_at) ELSE dest.last_delivered_at END
          AS last_delivered_at
      FROM tally t JOIN lane USING (destination_key) JOIN destinations dest USING (destination_key)),
    receiver AS (
      SELECT *, CASE WHEN was_told_failing
        THEN failing_since IS NOT NULL
          OR coalesce(last_delivered_at - coalesce(last_failure_at, 0) < ${FAILING_AFTER_MS}, true)
        ELSE coalesce(failures_in_row >= ${FAILING_AFTER_FAILURES}
          AND last_failure_at - failing_since >= ${FAILING_AFTER_MS}, false) END AS told_failing
      FROM trend),
    recorded AS (
    UPDATE destinations dest SET
      scheduled_count = dest.scheduled_count + t.scheduled,
      delivered_count = dest.delivered_count + t.delivered,
      failed_count = dest.failed_count + t.failed,
      skipped_count = dest.skipped_count - t.unskipped,
      last_attempted_at = greatest(
        dest.last_attempted_at, CASE WHEN is_current THEN t.attempted_at END),
      last_delivered_at = r.last_delivered_at,
      earlier_attempted_at = greatest(
        dest.earlier_attempted_at, CASE WHEN NOT is_current THEN t.attempted_at END),
      earlier_delivered_at = greatest(
        dest.earlier_delivered_at, CASE WHEN NOT is_current THEN t.delivered_at END),
      last_error = CASE WHEN is_current THEN t.last_error ELSE dest.last_error END,
      failing_since = r.failing_since,
      failures_in_row = r.failures_in_row,
      last_failure_at = r.last_failure_at,
      told_failing = r.told_failing,
      resting_until = CASE WHEN is_current THEN lane.resting_until ELSE dest.resting_until END,
      next_fresh_number = CASE WHEN is_current THEN 
        greatest(dest.next_fresh_number, least(lane.next_fresh_number, (SELECT last_update_id + 1 FROM lanes WHERE bot_key = lane.log_key))) ELSE dest.next_fresh_number END
    FROM tally t JOIN lane USING (destination_key) JOIN receiver r USING (destination_key)
    WHERE dest.destination_key = t.destination_key
    RETURNING dest.destination_key, dest.log_key, dest.name, dest.last_error, r.told_failing AS is_failing,
      r.was_told_failing AS was_failing),
    ${alert(
      `${aboutWebhook(
        "webhook.failing",
        `${RECORDED} WHERE dest.is_failing AND NOT dest.was_failing`,
        ", 'last_delivery_error', dest.last_error",
      )}
      UNION ALL
      ${aboutWebhook("webhook.recovered", `${RECORDED} WHERE dest.was_failing AND NOT dest.is_failing`)}`,
      "NULL",
      forceExecutionOrder("recorded"),
    )}
    SELECT ${FEED_HEADS}`,
};

/** For a lane whose outcomes were all refused: it continues after them. */
const MOVE_ON: Statement = {
  name: "move-on",
  text: `
    UPDATE destinations dest SET next_fresh_number = greatest(dest.next_fresh_number,
      least($2, (SELECT last_update_id + 1 FROM lanes WHERE bot_key = dest.log_key)))
    WHERE dest.id = $1 AND ${targetVersion(INCARNATION)} = $3`,
};

export function attemptVerbs(db: Database, clock: DatabaseClock): Pick<GrowingVerbs, "recordAttempts"> {
  return {
    async recordAttempts(allLanes) {
      const { unwanted, others: sent } = partUnwanted(allLanes);
      const lanes = sent.filter(({ attempts }) => attempts.length > 0);
      const { first: fresh, repeats } = partRepeats(
        lanes.filter(isFresh),
        ({ destinationId }) => destinationId,
      );
      const others = [...lanes.filter((lane) => !isFresh(lane)), ...repeats];
      // In one transaction: when it fails for one lane, all are recorded again, and what was kept would count twice.
      const first = await run(db, allLanes, [
        // Before the others, since those move their lanes on beyond what was not sent.
        ...(unwanted.length > 0 ? [skipUnwanted(unwanted), releaseBehind(unwanted)] : []),
        ...sent.filter(({ attempts }) => attempts.length === 0).map(moveOn),
        ...(fresh.length > 0 ? [deliverFresh(fresh)] : []),
        ...(others.length > 0 ? recordAny(others, clock) : []),
        ...countMinutes([...unwanted, ...sent]),
      ]);
      // Almost never: others changed these updates since they were read.
      const left = leftOf(fresh, first.recordedOrdinals);
      if (left.length === 0) return { result: undefined, heads: first.heads };
      const second = await run(db, left, [...recordAny(left, clock), ...countMinutes(left)]);
      return { result: undefined, heads: [...first.heads, ...second.heads] };
    },
  };
}

/** What the statements that record outcomes return. */
interface RecordedRow {
  heads?: HeadRows;
  recordedOrdinals?: number[] | null;
}

/** @returns the logs of the feed that grew, and what {@link deliverFresh} has recorded */
async function run(db: Database, lanes: readonly LaneOutcomes[], steps: readonly Step[]) {
  const destinationIds = lanes.map(({ destinationId }) => uuid(destinationId));
  const locks: Step[] = [...holdAnswered(lanes), [LOCK_DESTINATIONS, [destinationIds]]];
  const results = (await db.transaction([...locks, ...steps])).slice(locks.length);
  const heads: LogHead[] = [];
  let recordedOrdinals: number[] | null = null;
  for (const [index, [{ name }]] of steps.entries()) {
    if (name !== RECORD.name && name !== DELIVER_FRESH.name) continue;
    const [row] = results[index] as [RecordedRow];
    heads.push(...headsOf(row.heads));
    recordedOrdinals ??= row.recordedOrdinals ?? null;
  }
  return { heads, recordedOrdinals };
}

function moveOn({ destinationId, nextFreshId, webhookVersion }: LaneOutcomes): Step {
  return [MOVE_ON, [uuid(destinationId), nextFreshId, webhookVersion]];
}

function recordAny(lanes: readonly LaneOutcomes[], clock: DatabaseClock): Step[] {
  const sent = partOf(lanes, ({ notSent }) => !notSent);
  const held = partOf(lanes, ({ notSent }) => notSent === "held");
  const recordSent = withoutRepeats(sent).flatMap((group) => [recordOf(group, clock), ...keepFailed(group)]);
  return [
    ...(sent.length > 0 ? [splitRuns(sent), ...recordSent] : []),
    ...(held.length > 0 ? [hold(held)] : []),
    releaseBehind(lanes),
  ];
}

function recordOf(lanes: readonly LaneOutcomes[], clock: DatabaseClock): Step {
  const outcomes = lanes.flatMap(({ attempts }) => attempts);
  const trends = lanes.map(({ attempts }) => trendOf(attempts));
  const laneIndexes = lanes.flatMap(({ attempts }, lane) => attempts.map(() => lane + 1));
  return [
    RECORD,
    [
      lanes.map(({ destinationId }) => uuid(destinationId)),
      lanes.map(({ nextFreshId }) => nextFreshId),
      integers(laneIndexes),
      integers(outcomes.map(({ updateId }) => updateId)),
      integers(outcomes.map(({ failureCount }) => failureCount)),
      integers(outcomes.map(({ attemptedAt }) => attemptedAt)),
      outcomes.map(({ failure }) => failure?.error ?? null),
      outcomes.map(({ failure }) => (failure?.nextRetryAt ? clock.toDatabase(failure.nextRetryAt) : null)),
      trends.map(({ hasAccepted }) => hasAccepted),
      trends.map(({ failingSince }) => failingSince ?? null),
      integers(lanes.map(({ webhookVersion }) => webhookVersion)),
      integers(outcomes.map(endOfAttempt)),
      clock.aheadMs(),
      integers(trends.map(({ failuresInRow }) => failuresInRow)),
      trends.map(({ lastFailureAt }) => lastFailureAt ?? null),
      lanes.map(({ rest }) => (rest ? clock.toDatabase(rest.until) : 0)),
      lanes.map(({ rest }) => rest?.generation ?? null),
    ],
  ];
}

/**
 * Splits outcomes into groups that have each lane and each update once: a statement sees every row as it was before, and
 * would count an update that was attempted twice as delivered twice. A lane is there twice when it was claimed again while
 * attempts were under way. Repeats almost never happen; without them there is one group.
 */
function withoutRepeats(lanes: readonly LaneOutcomes[]): LaneOutcomes[][] {
  const groups: LaneOutcomes[][] = [];
  let rest = lanes;
  while (rest.length > 0) {
    const byLane = partRepeats(rest, ({ destinationId }) => destinationId);
    const parted = byLane.first.map((lane) => ({
      lane,
      ...partRepeats(lane.attempts, ({ updateId }) => updateId),
    }));
    groups.push(parted.map(({ lane, first }) => ({ ...lane, attempts: first })));
    const repeated = parted.filter(({ repeats }) => repeats.length > 0);
    rest = [...repeated.map(({ lane, repeats }) => ({ ...lane, attempts: repeats })), ...byLane.repeats];
  }
  return groups;
}

/** Those with the first appearance of each key, and the others. */
function partRepeats<T>(items: readonly T[], keyOf: (item: T) => unknown): { first: T[]; repeats: T[] } {
  const seen = new Set<unknown>();
  const first: T[] = [];
  const repeats: T[] = [];
  for (const item of items) {
    const key = keyOf(item);
    (seen.has(key) ? repeats : first).push(item);
    seen.add(key);
  }
  return { first, repeats };
}
