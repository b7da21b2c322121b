import type pg from "pg";
import type { OnMigrationProgress } from "../migration-progress.js";
import { type DatabaseAddress, inTransaction } from "../postgres/connection/client.js";
import { UPKEEP_SESSION } from "../postgres/connection/connection.js";
import { openClient } from "../postgres/connection/open-client.js";
import { cellTablesOf } from "../postgres/directory/cell-tables.js";
import { lockNumber, useSchema } from "../postgres/schema/database-schema.js";
import { type MigrateOptions, migrate } from "../postgres/schema/migrate.js";
import { runningServices } from "../postgres/schema/running-services.js";
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
import { insertion, selection } from "./postgres-rows.js";
import type { Row } from "./table.js";
import { TABLES } from "./tables.js";

/** Held while a copy runs. */
const COPY_LOCK = lockNumber("copy");

/**
 * Everything is read in one snapshot, taken when this was opened.
 *
 * @throws StoreUnavailable when the database cannot be reached; Error with one line when a service uses it
 */
export async function openPostgresSource(
  address: DatabaseAddress,
  onProgress?: OnMigrationProgress,
): Promise<CopyDatabase> {
  const database = await openAt(address, { onProgress });
  await database.client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  return database;
}

/** @throws as {@link openPostgresSource} does, and when another copy into the same database is in progress */
export async function openPostgresTarget(address: DatabaseAddress): Promise<CopyTarget> {
  const database = await openAt(address, { unfinishedCopy: "expected" });
  const { rows } = await database.client.query(`SELECT pg_try_advisory_lock(${COPY_LOCK}) AS locked`);
  if (rows[0]?.locked) return database;
  await database.close();
  throw new Error(`another copy into ${database.name} is under way`);
}

/** A part of the owners is no whole, and keys of one cell must not get into another. */
async function refuseCells(client: pg.Client): Promise<void> {
  const { cell, list } = await cellTablesOf(client);
  if (cell || list)
    throw new Error("that database is divided into cells, or is one of them: copying is for whole databases");
}

async function openAt(
  address: DatabaseAddress,
  options: Pick<MigrateOptions, "unfinishedCopy" | "onProgress">,
): Promise<CopyTarget & { client: pg.Client }> {
  const { url, schema } = address;
  const name = withoutUser(url) + (schema === undefined ? "" : `, schema ${schema}`);
  const client = await openClient(address, {
    session: `${UPKEEP_SESSION}; ${useSchema(schema)}`,
    failure: `${name} cannot be reached`,
    // Counting and checking a large table takes minutes.
    options: { application_name: "botyard copy", query_timeout: 0 },
  });
  try {
    await refuseServices(client, name, schema);
    await refuseCells(client);
    await migrate(url, { schema, ...options });
  } catch (error) {
    await client.end();
    throw error;
  }
  return {
    name,
    client,

    async count(table) {
      const { rows } = await client.query(`SELECT count(*) AS rows FROM ${table.name}`);
      return rows[0].rows;
    },

    async read(table, after, limit) {
      const values = [...(after ?? []), limit];
      const { rows } = await client.query({
        text: selection(table, after !== undefined),
        values,
        rowMode: "array",
      });
      return rows as Row[];
    },

    async readKeyCounters() {
      const counters: KeyCounters = { bots: 0, channels: 0, events: 0, alerts: 0 };
      for (const [table, key] of Object.entries(GENERATED_KEYS)) {
        const sequence = await client.query("SELECT pg_get_serial_sequence($1, $2) AS name", [table, key]);
        const { rows } = await client.query(
          `SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS used FROM ${sequence.rows[0].name}`,
        );
        counters[table as keyof KeyCounters] = rows[0].used;
      }
      return counters;
    },

    async readProgress() {
      const { rows } = await client.query("SELECT to_regclass('copy_progress') IS NOT NULL AS begun");
      if (!rows[0].begun) return undefined;
      const progress = await client.query<ProgressRow>("SELECT * FROM copy_progress");
      return progress.rows.map(toProgress);
    },

    begin: (progress) =>
      inTransaction(client, async () => {
        await client.query(CREATE_PROGRESS);
        for (const table of progress) {
          await client.query(
            "INSERT INTO copy_progress (table_name, source, last_key, row_count, sum) VALUES ($1, $2, $3, $4, $5)",
            [table.table, ...fromProgress(table)],
          );
        }
      }),

    write: (table, rows, progress) =>
      inTransaction(client, async () => {
        const names = Object.keys(table.columns);
        await client.query(
          insertion(table),
          names.map((_, column) => rows.map((row) => row[column])),
        );
        await client.query(
          "UPDATE copy_progress SET source = $2, last_key = $3, row_count = $4, sum = $5 WHERE table_name = $1",
          [table.name, ...fromProgress(progress)],
        );
      }),

    setKeyCounters: (counters) =>
      inTransaction(client, async () => {
        for (const [table, key] of Object.entries(GENERATED_KEYS)) {
          await client.query(
            `SELECT setval(pg_get_serial_sequence($1, $2), greatest(used, 1), used > 0)
             FROM (SELECT greatest($3, max(${key})) AS used FROM ${table}) AS highest`,
            [table, key, counters[table as keyof KeyCounters]],
          );
        }
      }),

    async end() {
      await client.query(`ANALYZE ${TABLES.map(({ name }) => name).join()}`);
      await client.query("DROP TABLE copy_progress");
    },

    close: () => client.end(),
  };
}

/** Changes during the copy would be missing from it, and a service on the target would see half of the data. */
async function refuseServices(client: pg.Client, name: string, schema?: string): Promise<void> {
  const connections = await runningServices(client, schema);
  if (connections > 0)
    throw new Error(`running services use ${name} (${connections} connections): stop all of them first`);
}

/** Nor the parameters, among which a password may be. */
function withoutUser(url: string): string {
  return url.replace(/\/\/[^/?#]*@/, "//").replace(/\?.*$/, "");
}
