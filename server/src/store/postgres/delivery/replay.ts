import { STATE_CODE } from "../../shared/delivery-states.js";
import type { Store, WebhookRef } from "../../store.js";
import {
  IS_THERE,
  LOCK_DESTINATION,
  LOCK_LANE,
  OF_OWNER,
  OWN_DESTINATION,
  webhookKey,
} from "../bots/destinations.js";
import { type Database, integers, type Statement, type Value } from "../connection/connection.js";
import type { DatabaseClock } from "../connection/database-clock.js";
import { HEALTH_RESET, restarted } from "../lanes/lane-gate.js";

/** Requeues what `failing` selects: it waits in the round before the current one. $1 to $3: the webhook, $4: now. */
const requeue = (failing: string) => `
    WITH dest AS (SELECT dest.* ${OF_OWNER} AND ${IS_THERE}),
    failing AS (${failing}),
    requeued AS (
      UPDATE deliveries SET state = ${STATE_CODE.waiting}, round = (SELECT round - 1 FROM dest), due_at = $4, failure_count = 0,
        channel_key = coalesce(channel_key, (
          SELECT p.channel_key FROM events p WHERE p.event_key = (
            SELECT e.event_key FROM entries e WHERE e.log_key = (SELECT log_key FROM dest) AND e.number = first_number)))
      WHERE destination_key = (SELECT destination_key FROM dest)
        AND first_number = ANY (ARRAY(SELECT first_number FROM failing))),
    restarted AS (
      UPDATE lanes l SET ${restarted("$4")} FROM bots b JOIN dest ON dest.log_key = b.bot_key
      WHERE l.bot_key = dest.destination_key AND l.bot_key = ${OWN_DESTINATION} AND EXISTS (SELECT FROM failing)),
    counted AS (
      UPDATE destinations dest SET ${HEALTH_RESET},
        scheduled_count = dest.scheduled_count - (SELECT count(*) FROM failing WHERE is_scheduled),
        failed_count = dest.failed_count - (SELECT count(*) FROM failing WHERE NOT is_scheduled)
      WHERE dest.destination_key = (SELECT destination_key FROM dest) AND EXISTS (SELECT FROM failing))
    SELECT (SELECT count(*) FROM failing) AS requeued FROM dest`;
/** Terminal failed ones, then scheduled ones, oldest first in each. $5: how many. */
const REPLAY: Statement = {
  name: "replay",
  text: requeue(`
      SELECT * FROM (
        (SELECT first_number, false AS is_scheduled FROM deliveries
        WHERE destination_key = (SELECT destination_key FROM dest) AND state = ${STATE_CODE.failed} ORDER BY first_number LIMIT $5)
        UNION ALL
        (SELECT first_number, true FROM deliveries
        WHERE destination_key = (SELECT destination_key FROM dest) AND state = ${STATE_CODE.waiting} AND round = (SELECT round FROM dest)
        ORDER BY first_number LIMIT $5)) either
      ORDER BY is_scheduled, first_number LIMIT $5`),
};
/** $5: their numbers. */
const REPLAY_CHOSEN: Statement = {
  name: "replay-chosen",
  text: requeue(`
      SELECT first_number, state = ${STATE_CODE.waiting} AS is_scheduled FROM deliveries
      WHERE destination_key = (SELECT destination_key FROM dest) AND first_number = ANY ($5::bigint[])
        AND (state = ${STATE_CODE.failed} OR state = ${STATE_CODE.waiting} AND round = (SELECT round FROM dest))`),
};

export function replayVerbs(
  db: Database,
  clock: DatabaseClock,
): Pick<Store, "replayFailed" | "replayUpdates"> {
  const replay = async (ref: WebhookRef, statement: Statement, now: number, which: Value) => {
    const key = webhookKey(ref);
    const [, , replayed] = await db.transaction([
      [LOCK_LANE, key],
      [LOCK_DESTINATION, key],
      [statement, [...key, clock.toDatabase(now), which]],
    ]);
    const [row] = (replayed ?? []) as { requeued: number }[];
    return row?.requeued;
  };
  return {
    replayFailed: (ref, limit, now) => replay(ref, REPLAY, now, limit),
    replayUpdates: (ref, updateIds, now) => replay(ref, REPLAY_CHOSEN, now, integers(updateIds)),
  };
}
