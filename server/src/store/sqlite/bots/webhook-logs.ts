import type { WebhookLogStore } from "../../parts/webhook-log-store.js";
import type { WebhookLogKind } from "../../store.js";
import type { Database } from "../binding.js";
import type { Verbs } from "../verbs.js";

/** A log that is no bot's has one destination. */
export function webhookLogVerbs(db: Database): Pick<Verbs, keyof WebhookLogStore> {
  const select = db.prepare(`
    SELECT dest.id, dest.destination_key AS key, dest.url FROM webhook_logs a JOIN destinations dest ON dest.destination_key = a.log_key
    WHERE a.owner_user_id = ? AND a.kind = ?`);
  const takeKey = db.prepare(
    "UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'bots' RETURNING seq AS key",
  );
  const beginSequence = db.prepare(`
    INSERT INTO sqlite_sequence (name, seq) SELECT 'bots', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'bots')`);
  const insertLog = db.prepare("INSERT INTO webhook_logs (owner_user_id, kind, log_key) VALUES (?, ?, ?)");
  const insertLane = db.prepare("INSERT INTO lanes (bot_key) VALUES (?)");
  const insertDestination = db.prepare(`
    INSERT INTO destinations (destination_key, log_key, id, owner_user_id) VALUES (?1, ?1, ?2, ?3)`);
  const removeLog = db.prepare("DELETE FROM webhook_logs WHERE owner_user_id = ? AND kind = ?");
  const removals = [
    db.prepare("DELETE FROM lanes WHERE bot_key = ?"),
    db.prepare("DELETE FROM destinations WHERE destination_key = ?"),
  ];
  const rememberRemoved = db.prepare("INSERT INTO removed_bots (bot_key, owner_user_id) VALUES (?, ?)");
  const find = (kind: WebhookLogKind, ownerUserId: string) =>
    select.get(ownerUserId, kind) as { id: string; key: number; url: string | null } | undefined;

  return {
    findWebhookLog: (kind, ownerUserId) => find(kind, ownerUserId)?.id,

    openWebhookLog(kind, ownerUserId, id) {
      const found = find(kind, ownerUserId);
      if (found) return found.id;
      beginSequence.run();
      const { key } = takeKey.get() as { key: number };
      insertLog.run(ownerUserId, kind, key);
      insertLane.run(key);
      insertDestination.run(key, id, ownerUserId);
      return id;
    },

    removeWebhookLog(kind, ownerUserId) {
      const found = find(kind, ownerUserId);
      if (!found || found.url !== null) return;
      removeLog.run(ownerUserId, kind);
      for (const removal of removals) removal.run(found.key);
      rememberRemoved.run(found.key, ownerUserId);
    },
  };
}
