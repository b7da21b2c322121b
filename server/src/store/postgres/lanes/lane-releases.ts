import { FAILING_AFTER_MS } from "../../../domain/delivery/attempt.js";
import { STATE_CODE } from "../../shared/delivery-states.js";
import type { GrowingVerbs } from "../../verbs.js";
import { KEYS_OF } from "../bots/destinations.js";
import { type Database, type Statement, uuid } from "../connection/connection.js";
import type { DatabaseClock } from "../connection/database-clock.js";
import { holderNow } from "../connection/incarnation.js";
import { LOCK_DESTINATIONS } from "../delivery/fresh-deliveries.js";
import { countMinutes } from "../delivery/timeline.js";
import { FIRST_FRESH, FIRST_WAITING } from "../delivery/waiting.js";
import { aboutWebhook, alert, FEED_HEADS, forceExecutionOrder } from "../feed/feed-events.js";
import { type HeadRows, headsOf } from "../logs/log-growth.js";
import { pauseFailing } from "./pauses.js";

const LOCK_HELD: Statement = {
  name: "lock-held-lanes",
  text: `
    SELECT bot_key FROM lanes
    WHERE bot_key = ANY (${KEYS_OF("$2")}) AND starts_with(holder, $1)
    ORDER BY bot_key FOR UPDATE`,
};
/** Tells of receivers that were well for long enough, though nothing has been sent to them lately. */
const RECOVER: Statement = {
  name: "tell-recovered",
  text: `
    WITH recovered AS (
      UPDATE destinations dest SET told_failing = false FROM lanes l
      WHERE dest.destination_key = ANY (${KEYS_OF("$2")}) AND l.bot_key = dest.destination_key AND starts_with(l.holder, $1) AND dest.told_failing
        AND dest.failing_since IS NULL AND dest.last_failure_at <= $3::bigint - ${FAILING_AFTER_MS}
      RETURNING dest.destination_key, dest.log_key, dest.name),
    ${alert(
      aboutWebhook("webhook.recovered", "recovered dest JOIN bots b ON b.bot_key = dest.log_key"),
      "NULL",
      forceExecutionOrder("recovered"),
    )}
    SELECT ${FEED_HEADS}`,
};
/** A statement that began before a destination was made ends within this time, and its making may have waited as long. */
const WRITERS_END_WITHIN_MS = 10_000;
/**
 * When a further destination is claimed once more: an append that began before it was made does not know its lane, and
 * makes nothing due there. Null once all of these have ended.
 */
const ONCE_MORE = `CASE WHEN dest.destination_key <> dest.log_key AND dest.changed_at > $9 - ${WRITERS_END_WITHIN_MS}
        AND EXISTS (
          SELECT FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()
            AND xact_start < to_timestamp((dest.changed_at + ${WRITERS_END_WITHIN_MS / 2}) / 1000.0))
        THEN $9 + 1000 END`;
/**
 * A lane whose receiver was failing is claimed when it has been well for long enough, also with nothing to send:
 * {@link RECOVER}.
 *
 * Health that was learnt in an earlier generation, or incarnation of the database, is not stored. Whether there is a fresh update is looked up: above
 * the last attempted one there may be only numbers that were skipped.
 */
const RELEASE: Statement = {
  name: "release-lanes",
  text: `
    WITH release AS (
      SELECT dest.destination_key, dest.generation = r.generation AS is_of_now, r.* FROM unnest(
        $2::uuid[], $3::bigint[], $4::integer[], $5::integer[], $6::bigint[], $7::integer[], $8::bigint[])
        AS r (id, generation, send_window, failing_updates, last_failed_update_id, failed_probes, resting_until)
      JOIN destinations dest ON dest.id = r.id),
    known AS (
      SELECT r.destination_key, r.is_of_now AND l.holder = holder_now.holder AS is_current
      FROM release r JOIN lanes l ON l.bot_key = r.destination_key
      CROSS JOIN (SELECT ${holderNow("$1")} AS holder OFFSET 0) holder_now
      WHERE starts_with(l.holder, $1)),
    learnt AS (
      UPDATE destinations dest SET send_window = r.send_window, failing_updates = r.failing_updates,
        last_failed_update_id = r.last_failed_update_id, failed_probes = r.failed_probes, resting_until = r.resting_until
      FROM release r JOIN known k USING (destination_key) WHERE k.is_current AND dest.destination_key = r.destination_key
      RETURNING r.destination_key, r.resting_until)
    UPDATE lanes l SET
      holder = NULL, lease_until = NULL,
      resting_until = coalesce(learnt.resting_until, dest.resting_until),
      due_at = CASE WHEN l.is_open THEN least(CASE WHEN dest.told_failing AND dest.failing_since IS NULL
        THEN dest.last_failure_at + ${FAILING_AFTER_MS} END, CASE
        WHEN dest.skip_through IS NOT NULL OR dest.is_releasing
          OR (dest.next_fresh_number <= log.last_update_id AND EXISTS (${FIRST_FRESH}))
          OR (SELECT min(d.round) FROM deliveries d WHERE d.destination_key = dest.destination_key AND d.state = ${STATE_CODE.waiting}) < dest.round
          THEN greatest($9, coalesce(learnt.resting_until, dest.resting_until))
        ELSE (SELECT greatest(min(d.due_at), coalesce(learnt.resting_until, dest.resting_until)) FROM deliveries d
          WHERE d.destination_key = dest.destination_key AND d.state = ${STATE_CODE.waiting} AND d.round = dest.round
          HAVING min(d.due_at) IS NOT NULL) END, ${ONCE_MORE}) END
    FROM known k JOIN destinations dest USING (destination_key) JOIN lanes log ON log.bot_key = dest.log_key
    LEFT JOIN learnt USING (destination_key)
    WHERE l.bot_key = k.destination_key`,
};

/**
 * Makes lanes of destinations with the order `bot` due when their first update is: others wait for that one. Appends make them due no
 * earlier either. $1: the destinations, whose lanes were just released, $2: now.
 */
const SETTLE_BY_NUMBER: Statement = {
  name: "settle-lanes-by-number",
  text: `
    UPDATE lanes l SET resting_until = greatest(l.resting_until, w.due_at), due_at = greatest($2, l.resting_until, w.due_at)
    FROM destinations dest CROSS JOIN LATERAL (
      SELECT d.first_number, d.round, d.due_at FROM deliveries d
      WHERE d.destination_key = dest.destination_key AND d.first_number = (SELECT min(number) FROM (${FIRST_WAITING}) f) OFFSET 0) w
    WHERE dest.destination_key = ANY (${KEYS_OF("$1")}) AND dest.settings::jsonb ->> 'order' = 'bot'
      AND dest.skip_through IS NULL AND NOT dest.is_releasing AND w.round = dest.round
      AND w.first_number <= coalesce((SELECT number FROM (${FIRST_FRESH}) f), w.first_number)
      AND l.bot_key = dest.destination_key AND l.is_open AND l.holder IS NULL`,
};

export function releaseVerbs(db: Database, clock: DatabaseClock): Pick<GrowingVerbs, "releaseLanes"> {
  return {
    async releaseLanes(holder, lanes, now) {
      const ids = lanes.map(({ destinationId }) => uuid(destinationId));
      const byNumber = lanes
        .filter(({ order }) => order === "bot")
        .map(({ destinationId }) => uuid(destinationId));
      const paused = pauseFailing(holder, lanes, now, clock);
      const results = await db.transaction([
        [LOCK_HELD, [holder, ids]],
        [LOCK_DESTINATIONS, [ids]],
        ...paused,
        [RECOVER, [holder, ids, clock.toDatabase(now)]],
        [
          RELEASE,
          [
            holder,
            ids,
            lanes.map(({ generation }) => generation),
            lanes.map(({ health }) => health.window),
            lanes.map(({ health }) => health.failingUpdates),
            lanes.map(({ health }) => health.lastFailedUpdateId),
            lanes.map(({ health }) => health.failedProbes),
            lanes.map(({ health }) => clock.toDatabase(health.restingUntil)),
            clock.toDatabase(now),
          ],
        ],
        ...(byNumber.length > 0 ? [[SETTLE_BY_NUMBER, [byNumber, clock.toDatabase(now)]] as const] : []),
        ...countMinutes(lanes),
      ]);
      const told = results.slice(2, 3 + paused.length) as { heads: HeadRows }[][];
      return { result: undefined, heads: told.flatMap(([grown]) => headsOf(grown?.heads)) };
    },
  };
}
