import type { LaneOutcomes } from "../../store.js";
import { integers, type Statement, type Step, uuid } from "../connection/connection.js";

/**
 * Splits the runs in which some updates lie ($1: the destinations of lanes, $2 and $3: for each update its lane, from 1, and its number),
 * so that each of these has a row of its own: a delivered one with the time of its attempt, the others of the run in what
 * is left of it before, between and behind. The first part stays in the row of the run.
 *
 * The times of a run are those of `accepted-runs.ts`: `since+duration` for each update, where only the first of a run is not
 * counted from the one before. They are taken apart here and not there, because otherwise every record of outcomes would
 * need a second round trip with its lanes locked, to find out whether there is anything to split.
 */
const SPLIT_RUNS: Statement = {
  name: "split-runs",
  text: `
    WITH lane AS (
      SELECT array_agg(dest.destination_key ORDER BY r.n) AS keys
      FROM unnest($1::uuid[]) WITH ORDINALITY AS r (id, n) LEFT JOIN destinations dest USING (id)),
    asked AS MATERIALIZED (
      SELECT DISTINCT lane.keys[a.lane] AS destination_key, a.number
      FROM lane, unnest($2::integer[], $3::bigint[]) AS a (lane, number)),
    found AS MATERIALIZED (
      SELECT a.destination_key, a.number, d.*, lag(a.number) OVER same_run AS before, lead(a.number) OVER same_run IS NULL AS is_last
      FROM asked a CROSS JOIN LATERAL (
        SELECT first_number, last_number, state, attempt_count, times FROM deliveries
        WHERE destination_key = a.destination_key AND first_number <= a.number ORDER BY first_number DESC LIMIT 1) d
      WHERE d.last_number >= a.number AND (d.last_number > d.first_number OR d.times IS NOT NULL)
      WINDOW same_run AS (PARTITION BY a.destination_key, d.first_number ORDER BY a.number)),
    part AS MATERIALIZED (
      SELECT f.destination_key, f.state, f.attempt_count, p.from_number, p.to_number,
        CASE WHEN p.is_asked THEN t.attempted_at END AS attempted_at,
        CASE WHEN p.is_asked THEN t.attempted_at + t.duration END AS delivered_at,
        CASE WHEN NOT p.is_asked THEN t.times END AS times
      FROM found f
      CROSS JOIN LATERAL (VALUES
        (coalesce(f.before + 1, f.first_number), f.number - 1, false),
        (f.number, f.number, true),
        (CASE WHEN f.is_last THEN f.number + 1 END, f.last_number, false)) AS p (from_number, to_number, is_asked)
      CROSS JOIN LATERAL (
        SELECT min(at) AS attempted_at, min(duration) AS duration, string_agg(
          CASE number WHEN p.from_number THEN at ELSE since END || '+' || duration, ' ' ORDER BY number) AS times
        FROM (
          SELECT f.first_number + x.n - 1 AS number, split_part(x.text, '+', 1)::bigint AS since,
            sum(split_part(x.text, '+', 1)::bigint) OVER (ORDER BY x.n)::bigint AS at, split_part(x.text, '+', 2)::bigint AS duration
          FROM unnest(string_to_array(f.times, ' ')) WITH ORDINALITY AS x (text, n)) one
        WHERE number BETWEEN p.from_number AND p.to_number) t
      WHERE p.from_number <= p.to_number)
    INSERT INTO deliveries (
      destination_key, first_number, last_number, state, attempt_count, failure_count, last_attempted_at, delivered_at, times)
    SELECT destination_key, from_number, to_number, state, attempt_count, 0, attempted_at, delivered_at, times
    FROM part
    ON CONFLICT (destination_key, first_number) DO UPDATE SET
      last_number = excluded.last_number, last_attempted_at = excluded.last_attempted_at, delivered_at = excluded.delivered_at,
      times = excluded.times`,
};

/** To be executed with the lanes locked, before their outcomes are recorded. */
export function splitRuns(lanes: readonly LaneOutcomes[]): Step {
  const numbers = lanes.flatMap(({ attempts }, lane) =>
    attempts.map(({ updateId }) => ({ lane: lane + 1, updateId })),
  );
  return [
    SPLIT_RUNS,
    [
      lanes.map(({ destinationId }) => uuid(destinationId)),
      integers(numbers.map(({ lane }) => lane)),
      integers(numbers.map(({ updateId }) => updateId)),
    ],
  ];
}
