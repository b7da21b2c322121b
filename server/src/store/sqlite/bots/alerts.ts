import type { Database } from "../binding.js";
import type { Verbs } from "../verbs.js";

/** A log of alerts has one destination, and no bot. */
export function alertVerbs(db: Database): Pick<Verbs, "findAlertLog" | "openAlertLog" | "removeAlertLog"> {
  const select = db.prepare(`
    SELECT dest.id, dest.destination_key AS key, dest.url FROM alert_logs a JOIN destinations dest ON dest.destination_key = a.log_key
    WHERE a.owner_user_id = ?`);
  const takeKey = db.prepare(
    "UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'bots' RETURNING seq AS key",
  );
  const beginSequence = db.prepare(`
    INSERT INTO sqlite_sequence (name, seq) SELECT 'bots', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'bots')`);
  const insertLog = db.prepare("INSERT INTO alert_logs (owner_user_id, log_key) VALUES (?, ?)");
  const insertLane = db.prepare("INSERT INTO lanes (bot_key) VALUES (?)");
  const insertDestination = db.prepare(`
    INSERT INTO destinations (destination_key, log_key, id, owner_user_id) VALUES (?1, ?1, ?2, ?3)`);
  const removals = [
    db.prepare("DELETE FROM alert_logs WHERE log_key = ?"),
    db.prepare("DELETE FROM lanes WHERE bot_key = ?"),
    db.prepare("DELETE FROM destinations WHERE destination_key = ?"),
  ];
  const rememberRemoved = db.prepare("INSERT INTO removed_bots (bot_key, owner_user_id) VALUES (?, ?)");
  const removeWaiting = db.prepare("DELETE FROM alerts WHERE owner_user_id = ?");
  const find = (ownerUserId: string) =>
    select.get(ownerUserId) as { id: string; key: number; url: string | null } | undefined;

  return {
    findAlertLog: (ownerUserId) => find(ownerUserId)?.id,

    openAlertLog(ownerUserId, id) {
      const found = find(ownerUserId);
      if (found) return found.id;
      beginSequence.run();
      const { key } = takeKey.get() as { key: number };
      insertLog.run(ownerUserId, key);
      insertLane.run(key);
      insertDestination.run(key, id, ownerUserId);
      return id;
    },

    removeAlertLog(ownerUserId) {
      const found = find(ownerUserId);
      if (found?.url !== undefined && found.url !== null) return;
      removeWaiting.run(ownerUserId);
      if (!found) return;
      for (const removal of removals) removal.run(found.key);
      rememberRemoved.run(found.key, ownerUserId);
    },
  };
}
