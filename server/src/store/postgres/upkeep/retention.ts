import type { UpkeepStep, UpkeepSteps } from "../../parts/upkeep-store.js";
import { STATE_CODE, UNRESOLVED } from "../../shared/delivery-states.js";
import type { Database, Statement } from "../connection/connection.js";
import { MAY_HOLD, released, wokenInBotOrder } from "../delivery/held.js";
import { skipSteps } from "../delivery/skipping.js";
import { IS_TO_SKIP } from "../delivery/waiting.js";
import { forgetMoved } from "./moved-owners.js";

/** Lanes that one step reads. */
const LANES_PER_STEP = 200;

/** The next lanes, with whether updates are still to be skipped at their destination, and when the oldest update of the log was created. */
const SELECT_LANES: Statement = {
  name: "select-lanes-with-oldest-update",
  text: `
    SELECT l.bot_key AS "laneKey", dest.skip_through IS NOT NULL OR coalesce(dest.is_releasing, false) AS "isSkipping",
      dest.id AS "destinationId", (
      SELECT coalesce(p.created_at, 0) FROM (
        SELECT event_key FROM entries WHERE log_key = l.bot_key ORDER BY number LIMIT 1) e LEFT JOIN events p USING (event_key)) AS "oldestAt"
    FROM lanes l LEFT JOIN destinations dest ON dest.destination_key = l.bot_key WHERE l.bot_key > $1 ORDER BY l.bot_key LIMIT $2`,
};
const LOCK_LANE: Statement = {
  name: "lock-lane-by-key",
  text: "SELECT bot_key FROM lanes WHERE bot_key = $1 FOR UPDATE",
};
const LOCK_DESTINATIONS: Statement = {
  name: "lock-destinations-of-log",
  text: "SELECT destination_key FROM destinations WHERE log_key = $1 ORDER BY destination_key FOR UPDATE",
};
/** The destinations of a log; one for a log of the feed, which has none. */
const PLACES = "(SELECT greatest(count(*), 1) FROM destinations WHERE log_key = $1)";
/**
 * The updates that a step reads, with whether each is too old. Parameters: the log, the time, the limit, of rows at all destinations
 * together. Where a cell had a copy of the channel of an owner who came to it, the keys of their log do not rise, so that the sweep may be there first:
 * an event that is gone was too old.
 */
const OLDEST = `
  oldest AS (
    SELECT e.number, coalesce(p.created_at < $2, true) AS is_old
    FROM (SELECT number, event_key FROM entries WHERE log_key = $1 ORDER BY number LIMIT ($3::bigint - 1) / ${PLACES} + 1) e
    LEFT JOIN events p ON p.event_key = e.event_key),
  kept AS (SELECT coalesce(min(number), 9223372036854775807) AS first_id FROM oldest WHERE NOT is_old)`;
const EXPIRE_ATTEMPTS: Statement = {
  name: "expire-attempts",
  text: `
    WITH ${OLDEST}
    DELETE FROM failed_attempts WHERE (destination_key, number, attempt) IN (
      SELECT a.destination_key, a.number, a.attempt
      FROM destinations dest CROSS JOIN LATERAL (
        SELECT destination_key, number, attempt FROM failed_attempts
        WHERE destination_key = dest.destination_key AND number < least(
          (SELECT first_id FROM kept), (SELECT max(number) + 1 FROM oldest))
        ORDER BY number, attempt LIMIT $3) a
      WHERE dest.log_key = $1 ORDER BY a.number, a.attempt LIMIT $3)
    RETURNING number`,
};
/**
 * Removes the oldest updates, up to the first that is kept or still has failed attempts at a destination. Where they are undelivered they
 * count as failed, or as skipped when there never was a webhook for them. A run that is not old as a whole stays as it is.
 */
const EXPIRE: Statement = {
  name: "expire-updates",
  text: `
    WITH ${OLDEST},
    at AS (SELECT * FROM destinations WHERE log_key = $1),
    expired AS (
      DELETE FROM entries WHERE log_key = $1 AND number = ANY (ARRAY(
        SELECT number FROM oldest
        WHERE number < least(
          (SELECT first_id FROM kept),
          (SELECT min((SELECT min(number) FROM failed_attempts WHERE destination_key = at.destination_key)) FROM at))))
      RETURNING number),
    forgotten AS (
      DELETE FROM deliveries d USING at WHERE d.destination_key = at.destination_key
        AND first_number <= (SELECT max(number) FROM expired) AND last_number <= (SELECT max(number) FROM expired)),
    ${released(
      `
      SELECT DISTINCT dest.destination_key, d.channel_key
      FROM at dest CROSS JOIN LATERAL (
        SELECT state, channel_key FROM deliveries
        WHERE destination_key = dest.destination_key AND first_number <= (SELECT max(number) FROM expired) OFFSET 0) d
      WHERE d.state IN (${UNRESOLVED}) AND d.channel_key > 0 AND ${MAY_HOLD}`,
      "u.first_number <= (SELECT max(number) FROM expired)",
    )},
    at_expired AS (SELECT * FROM at WHERE EXISTS (SELECT FROM expired)),
    ${wokenInBotOrder("at_expired")},
    ungiven AS (
      DELETE FROM given_up WHERE bot_key = $1 AND update_id <= (SELECT max(number) FROM expired)),
    fate AS (
      SELECT l.destination_key, coalesce(d.state = ${STATE_CODE.waiting} AND d.round = l.round, false) AS was_scheduled,
        coalesce(d.state IN (${UNRESOLVED}), true) AS was_undelivered,
        ${IS_TO_SKIP} OR (d.state IS NULL AND l.url IS NULL AND x.number > l.through_number) AS was_skipped
      FROM at l CROSS JOIN expired x
      LEFT JOIN LATERAL (
        SELECT * FROM deliveries WHERE destination_key = l.destination_key AND first_number <= x.number ORDER BY first_number DESC LIMIT 1) d
        ON d.last_number >= x.number),
    tally AS (
      SELECT destination_key, count(*) FILTER (WHERE was_scheduled) AS scheduled,
        count(*) FILTER (WHERE was_undelivered AND NOT was_skipped) AS failed, count(*) FILTER (WHERE was_skipped) AS skipped
      FROM fate GROUP BY destination_key),
    counted AS (
      UPDATE destinations dest SET
        scheduled_count = dest.scheduled_count - t.scheduled, failed_count = dest.failed_count + t.failed,
        skipped_count = dest.skipped_count + t.skipped,
        next_fresh_number = greatest(dest.next_fresh_number, (SELECT max(number) + 1 FROM expired))
      FROM tally t WHERE dest.destination_key = t.destination_key)
    SELECT count(*) * ${PLACES} AS removed FROM expired`,
};

interface LookedAt {
  laneKey: number;
  /** Null for a log of the feed. */
  destinationId: string | null;
  isSkipping: boolean;
  oldestAt: number | null;
}

export function updateExpiry(db: Database): UpkeepSteps<Promise<UpkeepStep>>["expire"] {
  /** The last lane of the walk over all lanes so far. */
  let walkedThrough = 0;

  const expireLog = async (logKey: number, before: number, limit: number): Promise<number> => {
    const [, , attempts = [], expired] = await db.transaction([
      [LOCK_LANE, [logKey]],
      [LOCK_DESTINATIONS, [logKey]],
      [EXPIRE_ATTEMPTS, [logKey, before, limit]],
      [EXPIRE, [logKey, before, limit]],
    ]);
    const [row] = (expired ?? []) as { removed: number }[];
    return attempts.length + (row?.removed ?? 0);
  };

  /** @returns whether there was something left to skip or to release */
  const skip = async (destinationId: string): Promise<boolean> => {
    const [, ...steps] = await db.transaction(skipSteps(destinationId));
    return steps.some((rows) => rows.length === 1);
  };

  return async ({ before }, limit) => {
    const lanes = await db.query<LookedAt>(SELECT_LANES, [walkedThrough, LANES_PER_STEP]);
    let left = limit;
    for (const { laneKey, destinationId, isSkipping, oldestAt } of lanes) {
      // The holder of a lane does this too, but nobody holds a lane while its webhook is paused or removed.
      if (isSkipping && destinationId && (await skip(destinationId))) return { isMore: true };
      if (oldestAt !== null && oldestAt < before) left -= await expireLog(laneKey, before, left);
      if (left <= 0) return { isMore: true };
      walkedThrough = laneKey;
    }
    if (lanes.length === LANES_PER_STEP) return { isMore: true };
    walkedThrough = 0;
    return { isMore: await forgetMoved(db, limit) };
  };
}
