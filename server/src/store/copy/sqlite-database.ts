import { existsSync } from "node:fs";
import { join } from "node:path";
import type { OnMigrationProgress } from "../migration-progress.js";
import type { Database } from "../sqlite/binding.js";
import { openFiles } from "../sqlite/files/files.js";
import type { MigrateOptions } from "../sqlite/schema/schema.js";
import {
  type CopyDatabase,
  type CopyTarget,
  CREATE_PROGRESS,
  fromProgress,
  GENERATED_KEYS,
  type KeyCounters,
  type ProgressRow,
  toProgress,
} from "./database.js";
import type { Key, Row, Table } from "./table.js";

/**
 * The database in a data folder, locked against services for as long as it is open and brought to the newest schema.
 *
 * @throws Error with one line when there is none, or when something uses it
 */
export async function openSqliteSource(
  dataDir: string,
  onProgress?: OnMigrationProgress,
): Promise<CopyDatabase> {
  if (!existsSync(join(dataDir, "botyard.db"))) throw new Error(`there is no botyard.db in ${dataDir}`);
  return await openFolder(dataDir, { onProgress });
}

/** @param dataDir a folder that exists; the database in it is made when there is none */
export async function openSqliteTarget(dataDir: string): Promise<CopyTarget> {
  return await openFolder(dataDir, { unfinishedCopy: "expected" });
}

async function openFolder(dataDir: string, options: MigrateOptions): Promise<CopyTarget> {
  const { database: db, close } = await openFiles(dataDir, options);
  return {
    name: `sqlite:${dataDir}`,

    async count({ name }) {
      const { rows } = db.prepare(`SELECT count(*) AS rows FROM ${name}`).get() as { rows: number };
      return rows;
    },

    async read(table, after, limit) {
      const rows = db.prepare(selection(table, after)).all(...(after ?? []), limit) as object[];
      return rows.map((row) => Object.values(row) as Row);
    },

    async readKeyCounters() {
      const used = db.prepare("SELECT seq FROM sqlite_sequence WHERE name = ?");
      const highestEvent = db.prepare("SELECT ifnull(max(event_key), 0) AS seq FROM events");
      const highestAlert = db.prepare("SELECT ifnull(max(alert_key), 0) AS seq FROM alerts");
      const seq = (row: unknown) => (row as { seq: number } | undefined)?.seq ?? 0;
      return {
        bots: seq(used.get("bots")),
        channels: seq(used.get("channels")),
        events: seq(highestEvent.get()),
        alerts: seq(highestAlert.get()),
      };
    },

    async readProgress() {
      const begun = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'copy_progress'").get();
      if (!begun) return undefined;
      return (db.prepare("SELECT * FROM copy_progress").all() as ProgressRow[]).map(toProgress);
    },

    async begin(progress) {
      inTransaction(db, () => {
        db.exec(CREATE_PROGRESS);
        const insert = db.prepare(
          "INSERT INTO copy_progress (table_name, source, last_key, row_count, sum) VALUES (?, ?, ?, ?, ?)",
        );
        for (const table of progress) insert.run(table.table, ...fromProgress(table));
      });
    },

    async write(table, rows, progress) {
      const columns = Object.keys(table.columns);
      inTransaction(db, () => {
        const insert = db.prepare(
          `INSERT INTO ${table.name} (${columns.join()}) VALUES (${columns.map(() => "?").join()})`,
        );
        for (const row of rows) insert.run(...row);
        db.prepare(`
          UPDATE copy_progress SET source = ?, last_key = ?, row_count = ?, sum = ? WHERE table_name = ?`).run(
          ...fromProgress(progress),
          table.name,
        );
      });
    },

    async setKeyCounters(counters) {
      inTransaction(db, () => {
        for (const name of ["bots", "channels"] as const) setSequence(db, name, counters[name]);
      });
    },

    async end() {
      inTransaction(db, () => {
        // SQLite gives the next event the key after the highest one, even where PostgreSQL's sweep has removed higher ones.
        db.exec(
          `UPDATE sweeps SET event_key = min(event_key, (SELECT ifnull(max(event_key), 0) FROM events))`,
        );
        db.exec("DROP TABLE copy_progress");
      });
    },

    async close() {
      close();
    },
  };
}

function selection({ name, key, columns }: Table, after: Key | undefined): string {
  const above = after ? `WHERE (${key.join()}) > (${key.map(() => "?").join()})` : "";
  return `SELECT ${Object.keys(columns).join()} FROM ${name} ${above} ORDER BY ${key.join()} LIMIT +?`;
}

/** Events and alerts have no sequence: their next key is one above the highest, because SQLite's sweep never removes the newest row. */
function setSequence(db: Database, name: keyof KeyCounters, used: number): void {
  db.prepare("DELETE FROM sqlite_sequence WHERE name = ?").run(name);
  const highest = db.prepare(`SELECT ifnull(max(${GENERATED_KEYS[name]}), 0) AS key FROM ${name}`).get() as {
    key: number;
  };
  db.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)").run(name, Math.max(used, highest.key));
}

function inTransaction(db: Database, work: () => void): void {
  db.exec("BEGIN IMMEDIATE");
  try {
    work();
    db.exec("COMMIT");
  } catch (error) {
    db.exec("ROLLBACK");
    throw error;
  }
}
