import { FIRST_FEED_KEY } from "../../feed-store.js";
import type { Store } from "../../store.js";
import { type UnsentRow, unsentStepOf } from "../../unsent.js";
import type { Database, Statement } from "../connection/connection.js";
import type { DatabaseClock } from "../connection/database-clock.js";
import { NEVER_ATTEMPTED } from "./waiting.js";

/** $1 and $2: a log and a number in it, $3: the most updates. The next ones of that log, or the first ones of the log after it. */
const LOOKED = `
    lane AS (
      SELECT l.bot_key, l.last_update_id, dest.next_fresh_number, dest.round
      FROM lanes l JOIN destinations dest ON dest.destination_key = l.bot_key
      WHERE l.bot_key >= $1 AND l.bot_key < ${FIRST_FEED_KEY} ORDER BY l.bot_key LIMIT 1),
    looked AS MATERIALIZED (
      SELECT e.log_key, e.number FROM lane l CROSS JOIN LATERAL (
        SELECT log_key, number FROM entries
        WHERE log_key = l.bot_key AND number < l.next_fresh_number
          AND number > CASE WHEN l.bot_key = $1::bigint THEN $2::bigint ELSE 0 END
        ORDER BY number LIMIT $3) e),
    unsent AS MATERIALIZED (SELECT * FROM looked e WHERE ${NEVER_ATTEMPTED})`;
const FOUND = `
    SELECT l.bot_key AS "logKey", (SELECT count(*) FROM looked) AS looked, (SELECT max(number) FROM looked) AS last,
      (SELECT count(*) FROM unsent) AS unsent, l.next_fresh_number > l.last_update_id + 1 AS "isBeyond"
    FROM lane l`;
/** What is to be repaired, for a look that changes nothing. */
export const SELECT_UNSENT = `WITH ${LOOKED} ${FOUND}`;
const LOCK_LANE: Statement = {
  name: "lock-lane-to-repair",
  text: `
    SELECT FROM lanes WHERE bot_key >= $1 AND bot_key < ${FIRST_FEED_KEY} ORDER BY bot_key LIMIT 1 FOR UPDATE`,
};
const LOCK_DESTINATION: Statement = {
  name: "lock-destination-to-repair",
  text: `
    SELECT FROM destinations WHERE destination_key = (
      SELECT bot_key FROM lanes WHERE bot_key >= $1 AND bot_key < ${FIRST_FEED_KEY} ORDER BY bot_key LIMIT 1)
    FOR UPDATE`,
};
/** $4: now. What was not sent waits in the round before the lane's, like what is replayed: it is due at once. */
const REPAIR: Statement = {
  name: "repair-unsent-updates",
  text: `
    WITH ${LOOKED},
    waiting AS (
      INSERT INTO deliveries (destination_key, first_number, last_number, state, attempt_count, failure_count, round, due_at)
      SELECT l.bot_key, u.number, u.number, 1, 1, 0, l.round - 1, $4::bigint FROM unsent u CROSS JOIN lane l),
    moved AS (
      UPDATE destinations dest SET next_fresh_number = least(dest.next_fresh_number, lane.last_update_id + 1)
      FROM lane WHERE dest.destination_key = lane.bot_key),
    repaired AS (
      UPDATE lanes l SET due_at = CASE WHEN l.is_open AND l.holder IS NULL THEN least(l.due_at, $4::bigint) ELSE l.due_at END
      FROM lane WHERE l.bot_key = lane.bot_key AND (lane.next_fresh_number > l.last_update_id + 1 OR EXISTS (SELECT FROM unsent)))
    ${FOUND}`,
};

export function unsentVerbs(db: Database, clock: DatabaseClock): Pick<Store, "repairUnsent"> {
  return {
    async repairUnsent(from, limit, now) {
      const [, , repaired] = await db.transaction([
        [LOCK_LANE, [from.logKey]],
        [LOCK_DESTINATION, [from.logKey]],
        [REPAIR, [from.logKey, from.number, limit, clock.toDatabase(now)]],
      ]);
      return unsentStepOf((repaired as UnsentRow[])[0], from, limit);
    },
  };
}
