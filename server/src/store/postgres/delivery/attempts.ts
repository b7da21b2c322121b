import {
  endOfAttempt,
  FAILING_AFTER_FAILURES,
  FAILING_AFTER_MS,
  trendOf,
} from "../../../domain/delivery/attempt.js";
import type { AttemptOutcome, LaneOutcomes, LogHead } from "../../store.js";
import type { GrowingVerbs } from "../../verbs.js";
import { type Database, integers, type Statement, type Step, uuid } from "../connection/connection.js";
import type { DatabaseClock } from "../connection/database-clock.js";
import { afterAll, appendToFeed, FEED_HEADS } from "../feed/feed-events.js";
import { type HeadRows, headsOf } from "../logs/log-growth.js";
import { keepFailed } from "./failed-attempts.js";
import { deliverFresh, isFresh } from "./fresh-deliveries.js";
import { isRequeued } from "./requeueing.js";
import { countMinutes } from "./timeline.js";

/** In the order of their keys, like every statement that locks several lanes, so that there are no deadlocks. */
const LOCK_LANES: Statement = {
  name: "lock-lanes",
  text: `
    SELECT bot_key FROM lanes WHERE bot_key IN (SELECT bot_key FROM bots WHERE id = ANY ($1::uuid[]))
    ORDER BY bot_key FOR UPDATE`,
};
/**
 * A success makes any undelivered update delivered. A failure counts only in its own round: when the number of failures
 * has changed since, or the update is still to be requeued, only the attempt is counted. Outcomes of an earlier webhook
 * change nothing, except for updates that it had accepted before it was changed.
 *
 * Both keys of an update are in one part, which is materialised before updates are looked up. With the bot's key from
 * one part and the number from another, the planner may look up by the bot alone and read all of its log for each
 * outcome. It did while its statistics had short logs: 164 instead of 30 µs of the server's time for an outcome.
 */
const RECORD: Statement = {
  name: "record-attempts",
  text: `
    WITH lane AS (
      SELECT r.n::integer AS lane_index, b.bot_key, r.next_fresh_id, r.has_accepted, r.failing_since,
        l.webhook_version = r.webhook_version AS is_current, l.webhook_changed_at, l.requeue_from, l.requeue_below,
        l.skip_below, r.failures_in_row, r.last_failed_at,
        CASE WHEN l.generation = r.generation THEN r.resting_until ELSE l.resting_until END AS resting_until, coalesce(l.told_failing, false) AS was_told_failing
      FROM unnest($1::uuid[], $2::bigint[], $9::boolean[], $10::bigint[], $11::bigint[], $14::integer[], $15::bigint[],
        $16::bigint[], $17::bigint[])
        WITH ORDINALITY AS r (
          bot_id, next_fresh_id, has_accepted, failing_since, webhook_version, failures_in_row, last_failed_at, resting_until,
          generation, n)
      JOIN bots b ON b.id = r.bot_id
      JOIN lanes l ON l.bot_key = b.bot_key),
    outcome AS MATERIALIZED (
      SELECT o.*, lane.bot_key, lane.is_current, lane.requeue_from, lane.requeue_below, lane.skip_below
      FROM unnest($3::integer[], $4::bigint[], $5::integer[], $6::bigint[], $12::bigint[], $7::text[], $8::bigint[])
        WITH ORDINALITY AS o (lane_index, update_id, failure_count, attempted_at, ended_at, error, next_retry_at, n)
      JOIN lane USING (lane_index)
      WHERE lane.is_current OR (o.error IS NULL AND o.ended_at + $13::bigint < lane.webhook_changed_at)),
    verdict AS (
      SELECT o.*, u.is_failing, u.due_at, coalesce(u.is_skipped, false) AS was_skipped,
        u.delivered_at IS NULL AND u.update_id IS NOT NULL AND o.error IS NULL AS delivers,
        coalesce(u.delivered_at IS NULL AND o.error IS NOT NULL AND u.failure_count = o.failure_count
          AND NOT (u.is_failing AND ${isRequeued("o")})
          AND NOT u.is_skipped AND u.update_id >= coalesce(o.skip_below, 0), false) AS fails,
        coalesce(u.is_failing AND u.due_at IS NOT NULL AND NOT ${isRequeued("o")}, false) AS was_scheduled
      FROM outcome o LEFT JOIN updates u USING (bot_key, update_id)),
    changed AS (
      UPDATE updates u SET
        attempt_count = u.attempt_count + 1,
        failure_count = u.failure_count + v.fails::integer,
        last_attempted_at = v.attempted_at,
        last_error = coalesce(v.error, u.last_error),
        last_failed_at = CASE WHEN v.error IS NULL THEN u.last_failed_at ELSE v.ended_at END,
        delivered_at = CASE WHEN v.delivers THEN v.ended_at ELSE u.delivered_at END,
        is_skipped = u.is_skipped AND NOT v.delivers,
        is_failing = CASE WHEN v.delivers THEN false WHEN v.fails THEN true ELSE u.is_failing END,
        due_at = CASE WHEN v.delivers THEN NULL WHEN v.fails THEN v.next_retry_at ELSE u.due_at END
      FROM verdict v WHERE u.bot_key = v.bot_key AND u.update_id = v.update_id),
    tally AS (
      SELECT bot_key,
        count(*) FILTER (WHERE delivers) AS delivered,
        count(*) FILTER (WHERE fails AND next_retry_at IS NOT NULL)
          - count(*) FILTER (WHERE (delivers OR fails) AND was_scheduled) AS scheduled,
        count(*) FILTER (WHERE fails AND next_retry_at IS NULL)
          - count(*) FILTER (WHERE (delivers OR fails) AND is_failing AND due_at IS NULL) AS failed,
        count(*) FILTER (WHERE delivers AND was_skipped) AS unskipped,
        max(attempted_at) AS attempted_at,
        max(ended_at) FILTER (WHERE error IS NULL) AS delivered_at,
        (array_agg(coalesce(error, '') ORDER BY n DESC))[1] AS last_error
      FROM verdict GROUP BY bot_key),
    trend AS (
      SELECT bot_key, coalesce(l.told_failing, false) AS was_told_failing,
        CASE WHEN NOT is_current THEN l.failing_since
          WHEN has_accepted THEN lane.failing_since ELSE coalesce(l.failing_since, lane.failing_since) END AS failing_since,
        CASE WHEN NOT is_current THEN l.failures_in_row
          WHEN has_accepted THEN lane.failures_in_row
          ELSE coalesce(l.failures_in_row, 0) + lane.failures_in_row END AS failures_in_row,
        CASE WHEN is_current THEN greatest(l.last_failure_at, lane.last_failed_at) ELSE l.last_failure_at END
          AS last_failure_at,
        CASE WHEN is_current THEN greatest(l.last_delivered_at, t.delivered_at) ELSE l.last_delivered_at END
          AS last_delivered_at
      FROM tally t JOIN lane USING (bot_key) JOIN lanes l USING (bot_key)),
    receiver AS (
      SELECT *, CASE WHEN was_told_failing
        THEN failing_since IS NOT NULL
          OR coalesce(last_delivered_at - coalesce(last_failure_at, 0) < ${FAILING_AFTER_MS}, true)
        ELSE coalesce(failures_in_row >= ${FAILING_AFTER_FAILURES}
          AND last_failure_at - failing_since >= ${FAILING_AFTER_MS}, false) END AS told_failing
      FROM trend),
    recorded AS (
    UPDATE lanes l SET
      scheduled_count = l.scheduled_count + t.scheduled,
      delivered_count = l.delivered_count + t.delivered,
      failed_count = l.failed_count + t.failed,
      skipped_count = l.skipped_count - t.unskipped,
      last_attempted_at = greatest(
        l.last_attempted_at, CASE WHEN is_current THEN t.attempted_at END),
      last_delivered_at = r.last_delivered_at,
      earlier_attempted_at = greatest(
        l.earlier_attempted_at, CASE WHEN NOT is_current THEN t.attempted_at END),
      earlier_delivered_at = greatest(
        l.earlier_delivered_at, CASE WHEN NOT is_current THEN t.delivered_at END),
      last_error = CASE WHEN is_current THEN t.last_error ELSE l.last_error END,
      failing_since = r.failing_since,
      failures_in_row = r.failures_in_row,
      last_failure_at = r.last_failure_at,
      told_failing = r.told_failing,
      resting_until = CASE WHEN is_current THEN lane.resting_until ELSE l.resting_until END,
      next_fresh_id = CASE WHEN is_current THEN greatest(l.next_fresh_id, lane.next_fresh_id) ELSE l.next_fresh_id END
    FROM tally t JOIN lane USING (bot_key) JOIN receiver r USING (bot_key) WHERE l.bot_key = t.bot_key
    RETURNING l.bot_key, l.last_error, r.told_failing AS is_failing, r.was_told_failing AS was_failing),
    ${appendToFeed(
      `
      SELECT CASE WHEN r.is_failing THEN 'webhook.failing' ELSE 'webhook.recovered' END AS event_type, b.owner_user_id,
        json_build_object('bot_id', b.id, 'username', b.username, 'owner_user_id', b.owner_user_id,
          'last_delivery_error', CASE WHEN r.is_failing THEN r.last_error END) AS payload
      FROM recorded r JOIN bots b USING (bot_key) WHERE r.is_failing <> r.was_failing`,
      "NULL",
      afterAll("recorded"),
    )}
    SELECT ${FEED_HEADS}`,
};

/** For a lane whose outcomes were all refused: it continues after them. */
const MOVE_ON: Statement = {
  name: "move-on",
  text: `
    UPDATE lanes l SET next_fresh_id = greatest(l.next_fresh_id, $2)
    WHERE bot_key = (SELECT bot_key FROM bots WHERE id = $1) AND webhook_version = $3`,
};

export function attemptVerbs(db: Database, clock: DatabaseClock): Pick<GrowingVerbs, "recordAttempts"> {
  return {
    async recordAttempts(allLanes) {
      const lanes = allLanes.filter(({ attempts }) => attempts.length > 0);
      for (const lane of allLanes) if (lane.attempts.length === 0) await moveOn(db, lane);
      const fresh = lanes.filter(isFresh);
      const others = lanes.filter((lane) => !isFresh(lane));
      const heads: LogHead[] = [];
      if (fresh.length > 0) {
        const { left, ...delivered } = await deliverFresh(db, fresh);
        others.push(...left);
        heads.push(...delivered.heads);
      }
      if (others.length > 0) heads.push(...(await recordAny(db, others, clock)));
      return { result: undefined, heads };
    },
  };
}

async function moveOn(db: Database, lane: LaneOutcomes): Promise<void> {
  const { botId, nextFreshId, webhookVersion } = lane;
  await db.transaction([[MOVE_ON, [uuid(botId), nextFreshId, webhookVersion]], ...countMinutes([lane])]);
}

/** @returns the logs of the feed that grew */
async function recordAny(
  db: Database,
  lanes: readonly LaneOutcomes[],
  clock: DatabaseClock,
): Promise<LogHead[]> {
  const steps: Step[] = [
    [LOCK_LANES, [lanes.map(({ botId }) => uuid(botId))]],
    ...withoutRepeats(lanes).flatMap((group) => [recordOf(group, clock), ...keepFailed(group)]),
    ...countMinutes(lanes),
  ];
  const results = await db.transaction(steps);
  return steps.flatMap(([{ name }], index) => {
    const [row] = (results[index] ?? []) as { heads: HeadRows }[];
    return name === RECORD.name ? headsOf(row?.heads) : [];
  });
}

function recordOf(lanes: readonly LaneOutcomes[], clock: DatabaseClock): Step {
  const outcomes = lanes.flatMap(({ attempts }) => attempts);
  const trends = lanes.map(({ attempts }) => trendOf(attempts));
  const laneIndexes = lanes.flatMap(({ attempts }, lane) => attempts.map(() => lane + 1));
  return [
    RECORD,
    [
      lanes.map(({ botId }) => uuid(botId)),
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
      trends.map(({ lastFailedAt }) => lastFailedAt ?? null),
      lanes.map(({ rest }) => (rest ? clock.toDatabase(rest.until) : 0)),
      lanes.map(({ rest }) => rest?.generation ?? null),
    ],
  ];
}

/**
 * Splits outcomes into groups that have each update once: a statement sees every row as it was before, and would count
 * an update that was attempted twice as delivered twice. Repeats almost never happen; without them there is one group.
 */
function withoutRepeats(lanes: readonly LaneOutcomes[]): LaneOutcomes[][] {
  const groups: LaneOutcomes[][] = [];
  let rest = [...lanes];
  while (rest.length > 0) {
    const parted = rest.map(partRepeats);
    groups.push(parted.map(({ first }) => first));
    rest = parted.flatMap(({ repeats }) => (repeats ? [repeats] : []));
  }
  return groups;
}

function partRepeats(lane: LaneOutcomes): { first: LaneOutcomes; repeats?: LaneOutcomes } {
  const seen = new Set(lane.attempts.map(({ updateId }) => updateId));
  if (seen.size === lane.attempts.length) return { first: lane };
  const first: AttemptOutcome[] = [];
  const repeats: AttemptOutcome[] = [];
  for (const attempt of lane.attempts) (seen.delete(attempt.updateId) ? first : repeats).push(attempt);
  return { first: { ...lane, attempts: first }, repeats: { ...lane, attempts: repeats } };
}
