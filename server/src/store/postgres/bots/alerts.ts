import type { Store } from "../../store.js";
import { type Database, type Statement, uuid } from "../connection/connection.js";
import { INCARNATION } from "../connection/incarnation.js";

/** A log of alerts has one destination, and no bot. */
const SELECT_LOG: Statement = {
  name: "select-alert-log",
  text: `
    SELECT dest.id FROM alert_logs a JOIN destinations dest ON dest.destination_key = a.log_key WHERE a.owner_user_id = $1`,
};
/** $1: the owner, $2: the id. Of several calls at once the first one makes it, and the others wait. */
const MAKE_LOG: Statement = {
  name: "make-alert-log",
  text: `
    WITH made AS (
      INSERT INTO alert_logs (owner_user_id, log_key)
      VALUES ($1, nextval(pg_get_serial_sequence('bots', 'bot_key'))) ON CONFLICT (owner_user_id) DO NOTHING RETURNING log_key),
    lane AS (INSERT INTO lanes (bot_key, incarnation) SELECT log_key, ${INCARNATION} FROM made)
    INSERT INTO destinations (destination_key, log_key, id, owner_user_id) SELECT log_key, log_key, $2::uuid, $1 FROM made
    RETURNING id`,
};
/** A lane before its destination, as everywhere. */
const LOCK_LOG: Statement = {
  name: "lock-alert-log",
  text: `
    SELECT FROM lanes WHERE bot_key = (SELECT log_key FROM alert_logs WHERE owner_user_id = $1) FOR UPDATE`,
};
const REMOVE_LOG: Statement = {
  name: "remove-alert-log",
  text: `
    WITH closed AS (
      SELECT dest.destination_key FROM alert_logs a JOIN destinations dest ON dest.destination_key = a.log_key
      WHERE a.owner_user_id = $1 AND dest.url IS NULL FOR UPDATE OF dest),
    log AS (DELETE FROM alert_logs WHERE log_key = (SELECT destination_key FROM closed)),
    lane AS (DELETE FROM lanes WHERE bot_key = (SELECT destination_key FROM closed)),
    destination AS (DELETE FROM destinations WHERE destination_key = (SELECT destination_key FROM closed))
    INSERT INTO removed_bots (bot_key, owner_user_id) SELECT destination_key, $1 FROM closed`,
};
const REMOVE_WAITING: Statement = {
  name: "remove-waiting-alerts",
  text: `
    DELETE FROM alerts WHERE owner_user_id = $1 AND NOT EXISTS (SELECT FROM alert_logs WHERE owner_user_id = $1)`,
};

export function alertVerbs(db: Database): Pick<Store, "findAlertLog" | "openAlertLog" | "removeAlertLog"> {
  const find = async (ownerUserId: string): Promise<string | undefined> =>
    (await db.query<{ id: string }>(SELECT_LOG, [ownerUserId]))[0]?.id;
  return {
    findAlertLog: find,

    async openAlertLog(ownerUserId, id) {
      const [made] = await db.query<{ id: string }>(MAKE_LOG, [ownerUserId, uuid(id)]);
      return made?.id ?? (await find(ownerUserId)) ?? (await this.openAlertLog(ownerUserId, id));
    },

    async removeAlertLog(ownerUserId) {
      await db.transaction([
        [LOCK_LOG, [ownerUserId]],
        [REMOVE_LOG, [ownerUserId]],
        [REMOVE_WAITING, [ownerUserId]],
      ]);
    },
  };
}
