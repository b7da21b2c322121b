import type { KeyStore } from "../../parts/key-store.js";
import { omitNulls } from "../../shared/omit-nulls.js";
import type { SealedSecret } from "../../store.js";
import type { Database } from "../binding.js";
import type { Verbs } from "../verbs.js";

/** What the database says of the keys that it has been used with, and what is sealed with them. */
export function keyVerbs(db: Database): Pick<Verbs, keyof KeyStore> {
  const selectNext = db.prepare(`
    SELECT substr(secret, 1, 8) AS id FROM destinations INDEXED BY destinations_by_sealing_key
    WHERE secret IS NOT NULL AND substr(secret, 1, 8) > ?
    ORDER BY substr(secret, 1, 8) LIMIT 1`);
  const note = db.prepare("INSERT OR IGNORE INTO key_files (name) VALUES (?)");
  const select = db.prepare("SELECT 1 FROM key_files WHERE name = ?");
  const selectSecrets = db.prepare(`
    SELECT dest.id AS destinationId, first.id AS botId, dest.owner_user_id AS ownerUserId, dest.name,
      dest.secret AS sealedSecret
    FROM destinations dest JOIN destinations first ON first.destination_key = dest.log_key
    WHERE dest.id > ? ORDER BY dest.id LIMIT +?`);
  const reseal = db.prepare("UPDATE destinations SET secret = ? WHERE id = ? AND secret = ?");
  return {
    nextSealingKey: (after) => (selectNext.get(after) as { id: string } | undefined)?.id,
    noteKeyFile(name) {
      note.run(name);
    },
    hasKeyFile: (name) => select.get(name) !== undefined,
    listSealedSecrets: (after = "", limit) => selectSecrets.all(after, limit).map(omitNulls<SealedSecret>),
    resealSecret: (destinationId, from, to) => reseal.run(to, destinationId, from).changes === 1,
  };
}
