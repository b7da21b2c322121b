import type { WebhookLogStore } from "../../parts/webhook-log-store.js";
import type { WebhookLogKind } from "../../store.js";
import { type Database, type Statement, uuid } from "../connection/connection.js";
import { INCARNATION } from "../connection/incarnation.js";

/** A log that is no bot's has one destination. */
const SELECT_LOG: Statement = {
  name: "select-webhook-log",
  text: `
    SELECT dest.id FROM webhook_logs a JOIN destinations dest ON dest.destination_key = a.log_key WHERE a.owner_user_id = $1 AND a.kind = $2`,
};
/** $1: the owner, $2: the kind, $3: the id. Of several calls at once the first one makes it, and the others wait. */
const MAKE_LOG: Statement = {
  name: "make-webhook-log",
  text: `
    WITH made AS (
      INSERT INTO webhook_logs (owner_user_id, kind, log_key)
      VALUES ($1, $2, nextval(pg_get_serial_sequence('bots', 'bot_key'))) ON CONFLICT DO NOTHING RETURNING log_key),
    lane AS (INSERT INTO lanes (bot_key, incarnation) SELECT log_key, ${INCARNATION} FROM made)
    INSERT INTO destinations (destination_key, log_key, id, owner_user_id) SELECT log_key, log_key, $3::uuid, $1 FROM made
    RETURNING id`,
};
/** A lane before its destination, as everywhere. */
const LOCK_LOG: Statement = {
  name: "lock-webhook-log",
  text: `
    SELECT FROM lanes WHERE bot_key = (SELECT log_key FROM webhook_logs WHERE owner_user_id = $1 AND kind = $2) FOR UPDATE`,
};
const REMOVE_LOG: Statement = {
  name: "remove-webhook-log",
  text: `
    WITH closed AS (
      SELECT dest.destination_key FROM webhook_logs a JOIN destinations dest ON dest.destination_key = a.log_key
      WHERE a.owner_user_id = $1 AND a.kind = $2 AND dest.url IS NULL FOR UPDATE OF dest),
    log AS (DELETE FROM webhook_logs WHERE owner_user_id = $1 AND kind = $2 AND EXISTS (SELECT FROM closed)),
    lane AS (DELETE FROM lanes WHERE bot_key = (SELECT destination_key FROM closed)),
    destination AS (DELETE FROM destinations WHERE destination_key = (SELECT destination_key FROM closed))
    INSERT INTO removed_bots (bot_key, owner_user_id) SELECT destination_key, $1 FROM closed`,
};

export function webhookLogVerbs(db: Database): WebhookLogStore {
  const find = async (kind: WebhookLogKind, ownerUserId: string): Promise<string | undefined> =>
    (await db.query<{ id: string }>(SELECT_LOG, [ownerUserId, kind]))[0]?.id;
  return {
    findWebhookLog: find,

    async openWebhookLog(kind, ownerUserId, id) {
      const [made] = await db.query<{ id: string }>(MAKE_LOG, [ownerUserId, kind, uuid(id)]);
      return (
        made?.id ?? (await find(kind, ownerUserId)) ?? (await this.openWebhookLog(kind, ownerUserId, id))
      );
    },

    async removeWebhookLog(kind, ownerUserId) {
      const log = [ownerUserId, kind];
      await db.transaction([
        [LOCK_LOG, log],
        [REMOVE_LOG, log],
      ]);
    },
  };
}
