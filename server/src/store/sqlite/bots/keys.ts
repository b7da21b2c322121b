import type { Database } from "../binding.js";
import type { Verbs } from "../verbs.js";

/** What the database says of the keys that it has been used with. */
export function keyVerbs(db: Database): Pick<Verbs, "nextSealingKey" | "noteKeyFile" | "hasKeyFile"> {
  const selectNext = db.prepare(`
    SELECT substr(secret, 1, 8) AS id FROM destinations INDEXED BY destinations_by_sealing_key
    WHERE secret IS NOT NULL AND substr(secret, 1, 8) > ?
    ORDER BY substr(secret, 1, 8) LIMIT 1`);
  const note = db.prepare("INSERT OR IGNORE INTO key_files (name) VALUES (?)");
  const select = db.prepare("SELECT 1 FROM key_files WHERE name = ?");
  return {
    nextSealingKey: (after) => (selectNext.get(after) as { id: string } | undefined)?.id,
    noteKeyFile(name) {
      note.run(name);
    },
    hasKeyFile: (name) => select.get(name) !== undefined,
  };
}
