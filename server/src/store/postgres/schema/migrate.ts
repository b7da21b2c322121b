import type pg from "pg";
import type { OnMigrationProgress } from "../../migration-progress.js";
import { missingSteps, newestSchema, refuseNewerSchema } from "../../shared/schema/schema-steps.js";
import { refuseUnfinishedCopy, type UnfinishedCopy } from "../../shared/schema/unfinished-copy.js";
import { UPKEEP_SESSION } from "../connection/connection.js";
import { openClient } from "../connection/open-client.js";
import { makeSchema, useSchema } from "./database-schema.js";
import { takeMigrationLock } from "./migration-lock.js";
import { runStep } from "./run-step.js";
import { runningServices } from "./running-services.js";
import { SCHEMA } from "./schema.js";
import { isOffline, type OfflineStep, type SchemaStep } from "./schema-step.js";

export interface MigrateOptions {
  /** As in {@link DatabaseAddress}. */
  schema?: string | undefined;
  unfinishedCopy?: UnfinishedCopy | undefined;
  /** How long to wait for another instance that migrates. Building an index on a large log takes minutes. */
  lockTimeoutMs?: number;
  onProgress?: OnMigrationProgress | undefined;
  /** What the database is, for errors; that of DATABASE_URL when left out. */
  name?: string | undefined;
  /** Steps after the schema's: for tests of how steps are run. */
  laterSteps?: readonly (SchemaStep | OfflineStep)[];
}

/** Then this instance exits, and its supervisor starts it again: that is noticed, an endless wait is not. */
const LOCK_TIMEOUT_MS = 60_000;

/**
 * Brings the database to the newest schema. The first instance does it, the others wait; instances of the release before go
 * on serving meanwhile, unless a step is one that they cannot serve beside.
 *
 * @throws StoreUnavailable when the database cannot be reached, or somebody else keeps it locked; Error with one line when
 *   it is of a newer service than this one, of a schema too old to be brought on, half copied, behind a pooler that pools transactions, or in use by services that
 *   have to be stopped first
 */
export async function migrate(
  url: string,
  {
    schema,
    unfinishedCopy = "refused",
    lockTimeoutMs = LOCK_TIMEOUT_MS,
    onProgress = () => {},
    name = "the database of DATABASE_URL",
    laterSteps = [],
  }: MigrateOptions = {},
): Promise<void> {
  const schemaSteps = { ...SCHEMA, steps: [...SCHEMA.steps, ...laterSteps] };
  const newest = newestSchema(schemaSteps);
  // By its name it is no service: another instance may wait for the lock.
  const client = await openClient(
    { url, schema },
    {
      session: `${UPKEEP_SESSION}; ${useSchema(schema)}`,
      failure: `${name} cannot be used`,
      isOwnSession: true,
      options: { application_name: "botyard migrate" },
    },
  );
  try {
    await checkForCopy(client, unfinishedCopy);
    // Most starts find nothing to do, and must not wait for a session that hangs with the lock.
    if ((await schemaOf(client, newest)) === newest) return;
    if (schema !== undefined) await makeSchema(client, schema);
    await takeMigrationLock(client, lockTimeoutMs);
    await checkForCopy(client, unfinishedCopy);
    await client.query("CREATE TABLE IF NOT EXISTS botyard_schema (step integer PRIMARY KEY)");
    const done = await schemaOf(client, newest);
    const waiting = missingSteps(done, schemaSteps);
    // Before any step: after the first one, a service of the release before could not be started again.
    if (done > 0 && waiting.some(({ step }) => isOffline(step))) await refuseServices(client, schema);
    for (const { schema: number, step } of waiting) await runStep(client, step, number, onProgress);
  } finally {
    await client.end();
  }
}

/** They would go on writing to tables that the upgrade moves. */
async function refuseServices(client: pg.Client, schema: string | undefined): Promise<void> {
  const connections = await runningServices(client, schema);
  if (connections === 0) return;
  throw new Error(
    `this upgrade cannot run beside services of an older version, and ${connections} of their connections are open: stop all of them, then start this version, or run botyard migrate first; nothing was changed`,
  );
}

async function checkForCopy(client: pg.Client, unfinishedCopy: UnfinishedCopy): Promise<void> {
  const { rows } = await client.query("SELECT to_regclass('copy_progress') IS NOT NULL AS begun");
  refuseUnfinishedCopy(rows[0]?.begun, unfinishedCopy);
}

async function schemaOf(client: pg.Client, newest: number): Promise<number> {
  const { rows: tables } = await client.query("SELECT to_regclass('botyard_schema') IS NOT NULL AS made");
  if (!tables[0]?.made) return 0;
  const { rows } = await client.query("SELECT coalesce(max(step), 0) AS done FROM botyard_schema");
  const done = Number(rows[0]?.done);
  refuseNewerSchema(done, newest);
  return done;
}
