import type { KeyStore } from "../../parts/key-store.js";
import { omitNulls } from "../../shared/omit-nulls.js";
import type { SealedSecret } from "../../store.js";
import { type Database, type Statement, uuid } from "../connection/connection.js";

/** Ids are above the lowest UUID, which stands for none. */
export const SELECT_SECRETS: Statement = {
  name: "select-secrets",
  text: `
    SELECT dest.id AS "destinationId", first.id AS "botId", dest.owner_user_id AS "ownerUserId", dest.name,
      dest.secret AS "sealedSecret"
    FROM (SELECT * FROM destinations WHERE id > $1 ORDER BY id LIMIT $2) dest
    CROSS JOIN LATERAL (SELECT id FROM destinations WHERE destination_key = dest.log_key OFFSET 0) first
    ORDER BY dest.id`,
};
export const LOWEST_UUID = "00000000-0000-0000-0000-000000000000";
/** With `=` the planner may choose the index of sealing keys, and read all of it. */
const RESEAL: Statement = {
  name: "reseal",
  text: `
    UPDATE destinations SET secret = $3 WHERE id = $1 AND secret IS NOT DISTINCT FROM $2::text RETURNING destination_key`,
};
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

/** What is sealed, and what the database says of the keys that it has been used with. */
export function keyVerbs(db: Database): KeyStore {
  return {
    listSealedSecrets: async (after = LOWEST_UUID, limit) =>
      (await db.query(SELECT_SECRETS, [uuid(after), limit])).map(omitNulls<SealedSecret>),
    nextSealingKey: async (after) => (await db.query<{ id: string }>(SELECT_NEXT, [after]))[0]?.id,
    async noteKeyFile(name) {
      await db.query(NOTE, [name]);
    },
    hasKeyFile: async (name) => (await db.query(SELECT, [name])).length > 0,
    resealSecret: async (destinationId, from, to) =>
      (await db.query(RESEAL, [uuid(destinationId), from, to])).length === 1,
  };
}
