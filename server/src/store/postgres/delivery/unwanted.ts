import { STATE_CODE } from "../../shared/delivery-states.js";
import type { LaneOutcomes } from "../../store.js";
import { integers, type Statement, type Step, uuid } from "../connection/connection.js";
import { INCARNATION, targetVersion } from "../connection/incarnation.js";
import { SKIPPED } from "./skipping.js";

/**
 * Skips updates that webhooks do not want. $1, $2 and $3: for each lane its destination, the version of its webhook, and the number
 * below which all are done, 0 where that is recorded with other outcomes; $4 and $5: for each update its lane, from 1, and its number.
 *
 * Those with consecutive numbers that were never attempted share a row. What was delivered, has failed or was skipped meanwhile stays as it
 * is, and so does everything of an earlier webhook.
 */
const SKIP_UNWANTED: Statement = {
  name: "skip-unwanted",
  text: `
    WITH lane AS MATERIALIZED (
      SELECT r.n::integer AS lane_index, dest.destination_key, dest.log_key, dest.round, r.next_fresh_number
      FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) WITH ORDINALITY AS r (id, webhook_version, next_fresh_number, n)
      CROSS JOIN (SELECT ${INCARNATION} AS current OFFSET 0) incarnation_now
      JOIN destinations dest ON dest.id = r.id AND ${targetVersion("incarnation_now.current")} = r.webhook_version),
    asked AS MATERIALIZED (
      SELECT DISTINCT l.destination_key, l.log_key, l.round AS current_round, u.number
      FROM unnest($4::integer[], $5::bigint[]) AS u (lane_index, number) JOIN lane l USING (lane_index)),
    found AS MATERIALIZED (
      SELECT a.*, d.state, coalesce(d.round = a.current_round, false) AS was_scheduled
      FROM asked a JOIN entries e ON e.log_key = a.log_key AND e.number = a.number
      LEFT JOIN LATERAL (
        SELECT state, round, last_number FROM deliveries
        WHERE destination_key = a.destination_key AND first_number <= a.number ORDER BY first_number DESC LIMIT 1) d
        ON d.last_number >= a.number
      WHERE d.state IS NULL OR d.state = ${STATE_CODE.waiting}),
    skipped AS (
      INSERT INTO deliveries (destination_key, first_number, last_number, state, attempt_count, failure_count)
      SELECT destination_key, min(number), max(number), ${STATE_CODE.skipped}, 0, 0
      FROM (
        SELECT destination_key, number, number - row_number() OVER (PARTITION BY destination_key ORDER BY number) AS run
        FROM found WHERE state IS NULL) fresh
      GROUP BY destination_key, run
      UNION ALL
      SELECT destination_key, number, number, ${STATE_CODE.skipped}, 0, 0 FROM found WHERE state = ${STATE_CODE.waiting}
      ON CONFLICT (destination_key, first_number) DO UPDATE SET ${SKIPPED}),
    tally AS (
      SELECT l.destination_key, max(l.next_fresh_number) AS next_fresh_number,
        (SELECT count(*) FROM found f WHERE f.destination_key = l.destination_key) AS skipped,
        (SELECT count(*) FROM found f WHERE f.destination_key = l.destination_key AND f.was_scheduled) AS scheduled
      FROM lane l GROUP BY l.destination_key)
    UPDATE destinations dest SET
      skipped_count = dest.skipped_count + t.skipped,
      scheduled_count = dest.scheduled_count - t.scheduled,
      next_fresh_number = greatest(dest.next_fresh_number,
        least(t.next_fresh_number, (SELECT last_update_id + 1 FROM lanes WHERE bot_key = dest.log_key)))
    FROM tally t WHERE dest.destination_key = t.destination_key`,
};

/** Lanes with what is not wanted in them, and with the rest, with which their position and counts are recorded where there is any. */
export function partUnwanted(lanes: readonly LaneOutcomes[]): {
  unwanted: LaneOutcomes[];
  others: LaneOutcomes[];
} {
  const unwanted: LaneOutcomes[] = [];
  const others: LaneOutcomes[] = [];
  for (const lane of lanes) {
    const attempts = lane.attempts.filter(({ notSent }) => notSent !== "unwanted");
    if (attempts.length === lane.attempts.length) {
      others.push(lane);
      continue;
    }
    const { destinationId, webhookVersion } = lane;
    const skipped = lane.attempts.filter(({ notSent }) => notSent === "unwanted");
    if (attempts.length === 0) unwanted.push({ ...lane, attempts: skipped });
    else {
      unwanted.push({ destinationId, webhookVersion, nextFreshId: 0, attempts: skipped });
      others.push({ ...lane, attempts });
    }
  }
  return { unwanted, others };
}

/** To be executed with the destinations locked. */
export function skipUnwanted(lanes: readonly LaneOutcomes[]): Step {
  const numbers = lanes.flatMap(({ attempts }, lane) =>
    attempts.map(({ updateId }) => ({ lane: lane + 1, updateId })),
  );
  return [
    SKIP_UNWANTED,
    [
      lanes.map(({ destinationId }) => uuid(destinationId)),
      integers(lanes.map(({ webhookVersion }) => webhookVersion)),
      integers(lanes.map(({ nextFreshId }) => nextFreshId)),
      integers(numbers.map(({ lane }) => lane)),
      integers(numbers.map(({ updateId }) => updateId)),
    ],
  ];
}
