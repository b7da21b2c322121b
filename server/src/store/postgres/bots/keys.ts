import type { Store } from "../../store.js";
import type { Database, Statement } from "../connection/connection.js";

const SELECT_NEXT: Statement = {
  name: "next-sealing-key",
  text: `
    SELECT left(secret, 8) AS id FROM destinations WHERE secret IS NOT NULL AND left(secret, 8) > $1
    ORDER BY left(secret, 8) LIMIT 1`,
};
const NOTE: Statement = {
  name: "note-key-file",
  text: "INSERT INTO key_files (name) VALUES ($1) ON CONFLICT DO NOTHING",
};
const SELECT: Statement = { name: "has-key-file", text: "SELECT FROM key_files WHERE name = $1" };

/** What the database says of the keys that it has been used with. */
export function keyVerbs(db: Database): Pick<Store, "nextSealingKey" | "noteKeyFile" | "hasKeyFile"> {
  return {
    nextSealingKey: async (after) => (await db.query<{ id: string }>(SELECT_NEXT, [after]))[0]?.id,
    async noteKeyFile(name) {
      await db.query(NOTE, [name]);
    },
    hasKeyFile: async (name) => (await db.query(SELECT, [name])).length > 0,
  };
}
