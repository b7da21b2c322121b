import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Inspection } from "../inspection.js";
import { omitNulls } from "../shared/omit-nulls.js";
import type { SealedSecret } from "../store.js";
import { unsentStepOf } from "../unsent.js";
import { type Database, openDatabase } from "./binding.js";
import { damageIn, tablesOf } from "./files/damage.js";
import { unsentFinder } from "./lanes/unsent.js";
import { schemaOf, schemaStatus } from "./schema/schema.js";

/** In which destinations have a table. Before it bots had the secrets. */
const DESTINATIONS_SCHEMA = 24;
/** In which destinations have ids. Before it each bot had one, named 'default'. */
const IDS_SCHEMA = 29;
const SELECT_SECRETS = `
  SELECT dest.id AS destinationId, first.id AS botId, dest.owner_user_id AS ownerUserId, dest.name, dest.secret AS sealedSecret
  FROM destinations dest JOIN destinations first ON first.destination_key = dest.log_key
  WHERE dest.id > ? ORDER BY dest.id LIMIT ?`;
const SELECT_SECRETS_WITHOUT_IDS = `
  SELECT b.id AS destinationId, b.id AS botId, b.owner_user_id AS ownerUserId, dest.name, dest.secret AS sealedSecret
  FROM bots b JOIN destinations dest ON dest.destination_key = b.bot_key WHERE b.id > ? ORDER BY b.id LIMIT ?`;
const SELECT_SECRETS_OF_BOTS = `
  SELECT id AS destinationId, id AS botId, owner_user_id AS ownerUserId, 'default' AS name, webhook_secret AS sealedSecret
  FROM bots WHERE id > ? ORDER BY id LIMIT ?`;

/** A service writes for milliseconds at a time. */
const LOCK_TIMEOUT_MS = 2_000;

/**
 * Looks at the database in a data folder, whether or not a service uses it.
 *
 * @returns undefined when there is none
 * @throws Error with one line when it cannot be read
 */
export async function inspectSqlite(dataDir: string): Promise<Inspection | undefined> {
  const file = join(dataDir, "botyard.db");
  if (!existsSync(file)) return undefined;
  let db: Database;
  try {
    db = await openDatabase(file, LOCK_TIMEOUT_MS);
    db.prepare("SELECT count(*) FROM sqlite_master").get();
  } catch (error) {
    throw new Error(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  return {
    engine: "sqlite",
    name: `SQLite, ${file}`,
    schema: async () => schemaStatus(db),

    async listSealedSecrets(after = "", limit) {
      const schema = schemaOf(db);
      if (schema === 0) return [];
      const older = schema < DESTINATIONS_SCHEMA ? SELECT_SECRETS_OF_BOTS : SELECT_SECRETS_WITHOUT_IDS;
      const select = schema < IDS_SCHEMA ? older : SELECT_SECRETS;
      return db
        .prepare(select)
        .all(after, limit)
        .map(omitNulls<SealedSecret>);
    },

    async hasKeyFile(name) {
      const table = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'key_files'").get();
      if (table === undefined) return false;
      return db.prepare("SELECT 1 FROM key_files WHERE name = ?").get(name) !== undefined;
    },

    async areDeliveriesOff() {
      const table = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'deliveries_off'").get();
      return table !== undefined && db.prepare("SELECT 1 FROM deliveries_off").get() !== undefined;
    },

    async whyReadOnly() {
      try {
        // Takes the lock of writers for a moment, and writes nothing.
        db.exec("BEGIN IMMEDIATE; ROLLBACK");
        return undefined;
      } catch (error) {
        return (error as Error).message;
      }
    },

    async damage() {
      for (const table of tablesOf(db)) {
        const damage = damageIn(db, table);
        if (damage !== undefined) return damage;
      }
      return undefined;
    },

    async version() {
      return (db.prepare("SELECT sqlite_version() AS version").get() as { version: string }).version;
    },

    async auditEnds() {
      if (db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'audit'").get() === undefined)
        return undefined;
      const { oldest, newest } = db
        .prepare("SELECT (SELECT min(id) FROM audit) AS oldest, (SELECT max(id) FROM audit) AS newest")
        .get() as { oldest: string | null; newest: string | null };
      return oldest !== null && newest !== null ? [oldest, newest] : undefined;
    },
    findUnsent: async (from, limit) => unsentStepOf(unsentFinder(db)(from, limit), from, limit),
    clock: async () => undefined,
    connections: async () => undefined,
    upkeepHolder: async () => undefined,
    cells: async () => ({}),
    collation: async () => undefined,
    findUncarried: async () => [],
    close: async () => db.close(),
  };
}
