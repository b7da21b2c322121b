import type { Database } from "../sqlite/binding.js";
import { BACKUP_MARK, MANIFEST_TABLE, type Manifest } from "./manifest.js";

/** What a database file holds. */
export interface Contents {
  schema: number;
  tables: Record<string, number>;
  sealingKeys: string[];
}

/** Copies the database as it is at this moment; other processes may write to it meanwhile. Syncs nothing. */
export function snapshot(db: Database, to: string): void {
  db.prepare("VACUUM INTO ?").run(to);
}

/** Bytes of the database without its free pages: about the size of a snapshot. */
export function usedBytes(db: Database): number {
  const value = (pragma: string) =>
    Number(Object.values(db.prepare(`PRAGMA ${pragma}`).get() as Record<string, number>)[0]);
  return (value("page_count") - value("freelist_count")) * value("page_size");
}

/**
 * Reads the whole file: checks its structure and counts its rows.
 *
 * @throws Error with one line when something is damaged
 */
export function contentsOf(db: Database): Contents {
  const found = db.prepare("PRAGMA integrity_check(1)").get() as { integrity_check: string };
  if (found.integrity_check !== "ok")
    throw new Error(`the database is damaged: ${found.integrity_check.split("\n")[0]}`);
  const names = db
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .all() as { name: string }[];
  const tables: Record<string, number> = {};
  for (const { name } of names) {
    if (name === MANIFEST_TABLE) continue;
    const { rows } = db.prepare(`SELECT count(*) AS rows FROM "${name}"`).get() as { rows: number };
    tables[name] = rows;
  }
  if (tables.bots === undefined) throw new Error("the database is not one of Botyard");
  if (tables.copy_progress !== undefined)
    throw new Error(
      "the database holds an unfinished copy: run the same botyard copy again until it is done",
    );
  const { user_version: schema } = db.prepare("PRAGMA user_version").get() as { user_version: number };
  // Before schema 24 bots had the secrets.
  const [table, secret] =
    tables.destinations === undefined ? ["bots", "webhook_secret"] : ["destinations", "secret"];
  const keys = db
    .prepare(
      `SELECT DISTINCT substr(${secret}, 1, 8) AS id FROM ${table} WHERE ${secret} IS NOT NULL ORDER BY 1`,
    )
    .all() as { id: string }[];
  return { schema, tables, sealingKeys: keys.map(({ id }) => id) };
}

/** Makes a backup of a snapshot. */
export function writeManifest(db: Database, manifest: Manifest): void {
  db.exec(
    `BEGIN; PRAGMA application_id = ${BACKUP_MARK}; CREATE TABLE ${MANIFEST_TABLE} (manifest TEXT NOT NULL) STRICT`,
  );
  db.prepare(`INSERT INTO ${MANIFEST_TABLE} (manifest) VALUES (?)`).run(JSON.stringify(manifest));
  db.exec("COMMIT");
}

/** @throws Error with one line when it is of a later format */
export function readManifest(db: Database): Manifest {
  const { manifest } = db.prepare(`SELECT manifest FROM ${MANIFEST_TABLE}`).get() as { manifest: string };
  const parsed = JSON.parse(manifest) as Manifest;
  if (parsed.format !== 1)
    throw new Error(`the backup was made by Botyard ${parsed.version}, whose format is newer: use that one`);
  return parsed;
}

/** Makes a backup a database again that a service can start on. */
export function removeManifest(db: Database): void {
  db.exec(`BEGIN; DROP TABLE ${MANIFEST_TABLE}; PRAGMA application_id = 0; COMMIT`);
}
