import { CHANGED, type ChangeNotice } from "../../parts/guest-store.js";
import { isChangesLog } from "../../shared/guests.js";
import { type Statement, type Step, uuid } from "../connection/connection.js";
import { DATABASE_NOW, ID_OF_MOMENT, MOMENT } from "../connection/database-clock.js";
import { DATABASE_NOW_IS, numbersGiven } from "../logs/log-growth.js";

/** The setting that has what is told besides the payload, as long as the transaction lasts: a field of JSON after a comma, or nothing. */
export const TOLD = "botyard.told";

/**
 * $1: the payload, $2: the log, or null for all logs of changes.
 *
 * The ids are those that entries of the audit log have: in the order of the changes.
 *
 * A statement of its own, at the end of a transaction: so it sees a log that was made while the statements before waited, and locks lanes that
 * nothing else is locked after.
 */
export const TELL: Statement = {
  name: "tell-other-cells",
  text: `
    WITH stored AS (
      INSERT INTO events (id, event_type, payload, created_at, channel_key, is_listed, subject_key)
      SELECT ${ID_OF_MOMENT}, '${CHANGED}', left($1::text, -1) || coalesce(current_setting('${TOLD}', true), '') || '}', ${DATABASE_NOW}, 0, false, -bot_key
      FROM bots CROSS JOIN ${MOMENT}
      WHERE ${isChangesLog("owner_user_id")} AND id = coalesce($2::uuid, id)
      RETURNING event_key, -subject_key AS bot_key, created_at),
    ${DATABASE_NOW_IS},
    locked AS (SELECT s.* FROM stored s JOIN lanes l USING (bot_key) ORDER BY bot_key FOR UPDATE OF l),
    grown AS (
      UPDATE lanes l SET ${numbersGiven("1")}, last_update_at = greatest(l.last_update_at, g.created_at)
      FROM locked g CROSS JOIN incarnation_now WHERE l.bot_key = g.bot_key
      RETURNING l.bot_key, l.last_update_id, g.event_key)
    INSERT INTO entries (log_key, number, event_key) SELECT bot_key, last_update_id, event_key FROM grown`,
};

export const tellStep = ({ payload, logId }: ChangeNotice): Step => [
  TELL,
  [payload, logId === undefined ? null : uuid(logId)],
];
