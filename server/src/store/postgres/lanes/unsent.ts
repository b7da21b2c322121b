import { STATE_CODE } from "../../shared/delivery-states.js";
import type { Store } from "../../store.js";
import { type UnsentRow, unsentStepOf } from "../../unsent.js";
import type { Database, Statement } from "../connection/connection.js";
import type { DatabaseClock } from "../connection/database-clock.js";
import { NEVER_ATTEMPTED } from "../delivery/waiting.js";

/**
 * $1 and $2: a destination and a number in its log, $3: the most updates. The next ones there, or the first ones at the destination after
 * it.
 */
const LOOKED = `
    found AS (
      SELECT dest.destination_key, dest.log_key, dest.next_fresh_number, dest.round, log.last_update_id
      FROM (SELECT * FROM destinations WHERE destination_key >= $1 ORDER BY destination_key LIMIT 1) dest
      JOIN lanes log ON log.bot_key = dest.log_key),
    looked AS MATERIALIZED (
      SELECT e.number FROM found dest CROSS JOIN LATERAL (
        SELECT number FROM entries
        WHERE log_key = dest.log_key AND number < dest.next_fresh_number
          AND number > CASE WHEN dest.destination_key = $1::bigint THEN $2::bigint ELSE 0 END
        ORDER BY number LIMIT $3) e),
    unsent AS MATERIALIZED (SELECT e.number FROM looked e CROSS JOIN found dest WHERE ${NEVER_ATTEMPTED})`;
const FOUND = `
    SELECT dest.destination_key AS "destinationKey", (SELECT count(*) FROM looked) AS looked, (SELECT max(number) FROM looked) AS last,
      (SELECT count(*) FROM unsent) AS unsent, dest.next_fresh_number > dest.last_update_id + 1 AS "isBeyond"
    FROM found dest`;
/** What is to be repaired, for a look that changes nothing. */
export const SELECT_UNSENT = `WITH ${LOOKED} ${FOUND}`;
const LOCK_LANES: Statement = {
  name: "lock-lanes-to-repair",
  text: `
    SELECT FROM lanes WHERE bot_key = ANY (ARRAY(
      SELECT unnest(ARRAY[log_key, destination_key])
      FROM (SELECT * FROM destinations WHERE destination_key >= $1 ORDER BY destination_key LIMIT 1) dest))
    ORDER BY bot_key FOR UPDATE`,
};
const LOCK_DESTINATION: Statement = {
  name: "lock-destination-to-repair",
  text: `
    SELECT FROM destinations WHERE destination_key >= $1 ORDER BY destination_key LIMIT 1 FOR UPDATE`,
};
/** $4: now. What was not sent waits in the round before the destination's, like what is replayed: it is due at once. */
const REPAIR: Statement = {
  name: "repair-unsent-updates",
  text: `
    WITH ${LOOKED},
    waiting AS (
      INSERT INTO deliveries (destination_key, first_number, last_number, state, attempt_count, failure_count, round, due_at,
        channel_key)
      SELECT f.destination_key, u.number, u.number, ${STATE_CODE.waiting}, 1, 0, f.round - 1, $4::bigint, (
        SELECT p.channel_key FROM events p WHERE p.event_key = (
          SELECT e.event_key FROM entries e WHERE e.log_key = f.log_key AND e.number = u.number))
      FROM unsent u CROSS JOIN found f),
    moved AS (
      UPDATE destinations dest SET next_fresh_number = least(dest.next_fresh_number, f.last_update_id + 1)
      FROM found f WHERE dest.destination_key = f.destination_key),
    repaired AS (
      UPDATE lanes l SET due_at = CASE WHEN l.is_open AND l.holder IS NULL THEN least(l.due_at, $4::bigint) ELSE l.due_at END
      FROM found f
      WHERE l.bot_key = f.destination_key AND (f.next_fresh_number > f.last_update_id + 1 OR EXISTS (SELECT FROM unsent)))
    ${FOUND}`,
};

export function unsentVerbs(db: Database, clock: DatabaseClock): Pick<Store, "repairUnsent"> {
  return {
    async repairUnsent(from, limit, now) {
      const [, , repaired] = await db.transaction([
        [LOCK_LANES, [from.destinationKey]],
        [LOCK_DESTINATION, [from.destinationKey]],
        [REPAIR, [from.destinationKey, from.number, limit, clock.toDatabase(now)]],
      ]);
      return unsentStepOf((repaired as UnsentRow[])[0], from, limit);
    },
  };
}
