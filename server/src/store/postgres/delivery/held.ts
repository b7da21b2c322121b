import { MAX_RELEASED_TOGETHER, MAX_RELEASED_UPDATES } from "../../../domain/limits.js";
import { STATE_CODE, UNRESOLVED } from "../../shared/delivery-states.js";
import type { AttemptOutcome, LaneOutcomes } from "../../store.js";
import { OF_OWNER } from "../bots/destinations.js";
import { integers, type Statement, type Step, uuid, type Value } from "../connection/connection.js";
import { DATABASE_NOW } from "../connection/database-clock.js";
import { INCARNATION, targetVersion } from "../connection/incarnation.js";

/** Whether the destination `dest` sends the updates of a channel one after the other. */
const HAS_CHANNEL_ORDER = "coalesce(dest.settings::jsonb ->> 'order' = 'channel', false)";

/** Whether updates of the destination `dest` may be held. */
export const MAY_HOLD = `(dest.is_releasing OR ${HAS_CHANNEL_ORDER})`;

/**
 * Parts of a statement that release, in `channels` (columns `destination_key` and `channel_key`, with their destinations locked), what is held
 * behind updates that have ended: up to {@link MAX_RELEASED_UPDATES} of each become due, fewer of many, if the first that has not ended is held. That it
 * never is afterwards makes sure that nothing is held for ever.
 *
 * A lane that nobody holds becomes due, unless its row is locked: whoever locks it then claims it, or looks for what is due. While updates are
 * still to be skipped, those released keep their round, which says whether they are among these.
 *
 * @param isEnded whether a row `u` has ended in the same statement, which still sees it as it was
 */
export const released = (channels: string, isEnded = "false") => `
    channel AS MATERIALIZED (${channels}),
    held_first AS MATERIALIZED (
      SELECT c.destination_key, c.channel_key FROM channel c CROSS JOIN LATERAL (
        SELECT u.state FROM deliveries u
        WHERE u.destination_key = c.destination_key AND u.channel_key = c.channel_key AND u.state IN (${UNRESOLVED}) AND NOT ${isEnded}
        ORDER BY u.first_number LIMIT 1) f
      WHERE f.state = ${STATE_CODE.held}),
    due_now AS MATERIALIZED (
      SELECT n.*, CASE WHEN dest.skip_through IS NULL THEN dest.round - 1 ELSE n.round END AS due_round
      FROM held_first h
      CROSS JOIN LATERAL (SELECT * FROM destinations WHERE destination_key = h.destination_key OFFSET 0) dest
      CROSS JOIN LATERAL (
        SELECT u.* FROM deliveries u
        WHERE u.destination_key = h.destination_key AND u.channel_key = h.channel_key AND u.state IN (${UNRESOLVED}) AND NOT ${isEnded}
        ORDER BY u.first_number
        LIMIT greatest(1, least(${MAX_RELEASED_UPDATES}, ${MAX_RELEASED_TOGETHER} / (SELECT greatest(count(*), 1) FROM channel)))) n
      WHERE n.state = ${STATE_CODE.held}),
    released AS (
      INSERT INTO deliveries (destination_key, first_number, last_number, state, attempt_count, failure_count, round, due_at,
        channel_key)
      SELECT destination_key, first_number, last_number, ${STATE_CODE.waiting}, attempt_count, failure_count, due_round, ${DATABASE_NOW}, channel_key
      FROM due_now
      ON CONFLICT (destination_key, first_number) DO UPDATE SET state = ${STATE_CODE.waiting}, round = excluded.round, due_at = excluded.due_at
      RETURNING destination_key),
    woken AS (
      UPDATE lanes l SET due_at = least(l.due_at, greatest(${DATABASE_NOW}, l.resting_until))
      WHERE l.bot_key = ANY (ARRAY(
        SELECT bot_key FROM lanes
        WHERE bot_key = ANY (ARRAY(SELECT destination_key FROM released)) AND is_open AND holder IS NULL
        ORDER BY bot_key FOR UPDATE SKIP LOCKED)))`;

/** Whether the destination `dest` sends its updates one after the other: its lane sleeps until the first of them is due. */
const HAS_BOT_ORDER = "coalesce(dest.settings::jsonb ->> 'order' = 'bot', false)";
/**
 * A part of a statement that wakes the lanes of destinations with the order `bot`, of which an update has ended: others may have waited for
 * it. As {@link released} does, only those that nobody holds.
 */
export const wokenInBotOrder = (destinations: string) => `
    woken_in_bot_order AS (
      UPDATE lanes l SET resting_until = dest.resting_until, due_at = greatest(${DATABASE_NOW}, dest.resting_until)
      FROM ${destinations} dest
      WHERE l.bot_key = dest.destination_key AND l.bot_key = ANY (ARRAY(
        SELECT bot_key FROM lanes
        WHERE bot_key = ANY (ARRAY(SELECT destination_key FROM ${destinations} dest WHERE ${HAS_BOT_ORDER})) AND is_open AND holder IS NULL
        ORDER BY bot_key FOR UPDATE SKIP LOCKED)))`;

/** $1: the destinations of lanes; $2 and $3: for each update its lane, from 1, and its number. */
const RELEASE_BEHIND: Statement = {
  name: "release-behind",
  text: `
    WITH lane AS MATERIALIZED (
      SELECT r.n::integer AS lane_index, dest.destination_key, dest.settings, dest.resting_until
      FROM unnest($1::uuid[]) WITH ORDINALITY AS r (id, n)
      CROSS JOIN LATERAL (SELECT * FROM destinations WHERE id = r.id OFFSET 0) dest
      WHERE ${MAY_HOLD} OR ${HAS_BOT_ORDER}),
    ${released(`
      SELECT DISTINCT l.destination_key, d.channel_key
      FROM unnest($2::integer[], $3::bigint[]) AS o (lane_index, number) JOIN lane l USING (lane_index)
      CROSS JOIN LATERAL (
        SELECT channel_key FROM deliveries WHERE destination_key = l.destination_key AND first_number = o.number OFFSET 0) d
      WHERE d.channel_key > 0`)},
    ${wokenInBotOrder("lane")}
    SELECT count(*) FROM released`,
};
/** $1 to $3: the webhook, $4: the number of its update. Also with the order `bot` others may have waited for it. */
const RELEASE_BEHIND_SKIPPED: Statement = {
  name: "release-behind-skipped",
  text: `
    WITH dest AS (SELECT dest.* ${OF_OWNER}),
    ${released(`
      SELECT dest.destination_key, d.channel_key
      FROM dest CROSS JOIN LATERAL (
        SELECT channel_key FROM deliveries WHERE destination_key = dest.destination_key AND first_number = $4 OFFSET 0) d
      WHERE d.channel_key > 0 AND ${MAY_HOLD}`)}
    UPDATE lanes l SET resting_until = dest.resting_until, due_at = greatest(${DATABASE_NOW}, dest.resting_until)
    FROM dest
    WHERE l.bot_key = dest.destination_key AND l.is_open AND dest.settings::jsonb ->> 'order' = 'bot'
      AND (SELECT count(*) FROM released) = 0`,
};

/**
 * Holds updates that were not sent because an earlier one of their channels waits, or makes them due where updates of channels are not held
 * any more. $1, $2 and $3: for each lane its destination, the version of its webhook, and the number below which all are done; $4 and
 * $5: for each update its lane, from 1, and its number.
 *
 * What was attempted and waits stays as it is unless it can be held; then its refusals count no more. What was delivered, has failed, was
 * skipped or held meanwhile stays as it is, and so does everything of an earlier webhook.
 */
const HOLD: Statement = {
  name: "hold-updates",
  text: `
    WITH lane AS MATERIALIZED (
      SELECT r.n::integer AS lane_index, dest.destination_key, dest.log_key, dest.round, r.next_fresh_number,
        ${HAS_CHANNEL_ORDER} AS has_channel_order
      FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) WITH ORDINALITY AS r (id, webhook_version, next_fresh_number, n)
      CROSS JOIN (SELECT ${INCARNATION} AS current OFFSET 0) incarnation_now
      JOIN destinations dest ON dest.id = r.id AND ${targetVersion("incarnation_now.current")} = r.webhook_version),
    asked AS MATERIALIZED (
      SELECT DISTINCT l.destination_key, l.log_key, l.round AS current_round, l.has_channel_order, u.number
      FROM unnest($4::integer[], $5::bigint[]) AS u (lane_index, number) JOIN lane l USING (lane_index)),
    found AS MATERIALIZED (
      SELECT a.*, p.channel_key, d.state, coalesce(d.round = a.current_round, false) AS was_scheduled,
        a.has_channel_order AND p.channel_key > 0 AS is_held
      FROM asked a JOIN entries e ON e.log_key = a.log_key AND e.number = a.number
      CROSS JOIN LATERAL (SELECT channel_key FROM events WHERE event_key = e.event_key OFFSET 0) p
      LEFT JOIN LATERAL (
        SELECT state, round, last_number, channel_key FROM deliveries
        WHERE destination_key = a.destination_key AND first_number <= a.number ORDER BY first_number DESC LIMIT 1) d
        ON d.last_number >= a.number
      WHERE d.state IS NULL OR d.state = ${STATE_CODE.waiting} AND a.has_channel_order AND d.channel_key > 0),
    held AS (
      INSERT INTO deliveries (destination_key, first_number, last_number, state, attempt_count, failure_count, round, due_at,
        channel_key)
      SELECT destination_key, number, number, CASE WHEN is_held THEN ${STATE_CODE.held} ELSE ${STATE_CODE.waiting} END, 0, 0, current_round - 1,
        CASE WHEN NOT is_held THEN ${DATABASE_NOW} END, channel_key
      FROM found
      ON CONFLICT (destination_key, first_number) DO UPDATE SET
        state = ${STATE_CODE.held}, failure_count = 0, round = least(deliveries.round, excluded.round), due_at = NULL),
    tally AS (
      SELECT l.destination_key, max(l.next_fresh_number) AS next_fresh_number,
        (SELECT count(*) FROM found f WHERE f.destination_key = l.destination_key AND f.was_scheduled) AS scheduled
      FROM lane l GROUP BY l.destination_key)
    UPDATE destinations dest SET
      scheduled_count = dest.scheduled_count - t.scheduled,
      next_fresh_number = greatest(dest.next_fresh_number,
        least(t.next_fresh_number, (SELECT last_update_id + 1 FROM lanes WHERE bot_key = dest.log_key)))
    FROM tally t WHERE dest.destination_key = t.destination_key`,
};

/** To be executed with the destinations locked, after what the updates wait for was recorded. */
export function hold(lanes: readonly LaneOutcomes[]): Step {
  const { laneIndexes, numbers } = updatesOf(lanes);
  return [
    HOLD,
    [
      lanes.map(({ destinationId }) => uuid(destinationId)),
      integers(lanes.map(({ webhookVersion }) => webhookVersion)),
      integers(lanes.map(({ nextFreshId }) => nextFreshId)),
      laneIndexes,
      numbers,
    ],
  ];
}

/** Releases what is held behind these updates. To be executed with the destinations locked, after they were recorded or held. */
export function releaseBehind(lanes: readonly LaneOutcomes[]): Step {
  const { laneIndexes, numbers } = updatesOf(lanes);
  return [RELEASE_BEHIND, [lanes.map(({ destinationId }) => uuid(destinationId)), laneIndexes, numbers]];
}

/** The same behind an update of a webhook that its owner has skipped, with its lane locked, too. */
export function releaseBehindSkipped(key: readonly Value[], updateId: number): Step {
  return [RELEASE_BEHIND_SKIPPED, [...key, updateId]];
}

/** The lanes with those outcomes only, as far as they have some. */
export function partOf(
  lanes: readonly LaneOutcomes[],
  isOf: (outcome: AttemptOutcome) => boolean,
): LaneOutcomes[] {
  return lanes
    .map((lane) => ({ ...lane, attempts: lane.attempts.filter(isOf) }))
    .filter(({ attempts }) => attempts.length > 0);
}

function updatesOf(lanes: readonly LaneOutcomes[]) {
  return {
    laneIndexes: integers(lanes.flatMap(({ attempts }, lane) => attempts.map(() => lane + 1))),
    numbers: integers(lanes.flatMap(({ attempts }) => attempts.map(({ updateId }) => updateId))),
  };
}
