import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { OnMigrationProgress } from "../../migration-progress.js";
import { StoreUnavailable } from "../../store.js";
import { isLockError } from "../connection/errors.js";
import { oldestTransaction } from "./migration-lock.js";
import type {
  Backfill,
  IndexCreation,
  IndexRemoval,
  OfflineStep,
  SchemaChange,
  SchemaStep,
} from "./schema-step.js";

/**
 * A statement that waits to change a table blocks all that come after it, so it may wait no longer than the slowest posts
 * take anyway.
 */
const LOCK_TIMEOUT_MS = 200;
const LOCK_ATTEMPTS = 60;
/** Between two attempts, for the statements that the last one blocked. With the attempts, some 30 s in all. */
const LOCK_PAUSE_MS = 300;
/** Between two batches of a backfill, so that other statements get their turn. */
const BATCH_PAUSE_MS = 2;

/** @throws StoreUnavailable when a lock cannot be had */
export async function runStep(
  client: pg.Client,
  step: SchemaStep | OfflineStep,
  number: number,
  onProgress: OnMigrationProgress,
): Promise<void> {
  if (typeof step === "string") await change(client, { change: step }, number);
  else if ("change" in step) await change(client, step, number);
  else {
    if ("move" in step) await step.move(client, onProgress);
    else if ("createIndex" in step) await createIndex(client, step);
    else if ("dropIndex" in step) await dropIndex(client, step);
    else await backfill(client, step);
    await client.query(done(number));
  }
}

const done = (number: number) => `INSERT INTO botyard_schema VALUES (${number})`;

async function change(client: pg.Client, { change }: SchemaChange, number: number): Promise<void> {
  await withinLockTimeout(client, async () => {
    await client.query(`BEGIN; ${change} ${done(number)}; COMMIT`);
  });
}

/** An interrupted build leaves an invalid index, which is kept up to date and never used. */
async function createIndex(
  client: pg.Client,
  { createIndex: name, on, isUnique }: IndexCreation,
): Promise<void> {
  const { rows } = await client.query(
    "SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)",
    [name],
  );
  if (rows[0]?.valid) return;
  if (rows[0]) await dropIndex(client, { dropIndex: name });
  await client.query(`CREATE ${isUnique ? "UNIQUE " : ""}INDEX CONCURRENTLY ${name} ON ${on}`);
}

async function dropIndex(client: pg.Client, { dropIndex: name }: IndexRemoval): Promise<void> {
  await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}

/** Until a batch is not full, rather than until none is left: an instance of the release before may write faster than this. */
async function backfill(client: pg.Client, { backfill }: Backfill): Promise<void> {
  const limits = [...backfill.matchAll(/\bLIMIT (\d+)/gi)].map(([, rows]) => Number(rows));
  const full = Math.min(...limits);
  for (;;) {
    const changed = await withinLockTimeout(client, async () => {
      // A single statement is a transaction of its own.
      return (await client.query(backfill)).rowCount ?? 0;
    });
    if (changed < full) return;
    await sleep(BATCH_PAUSE_MS);
  }
}

async function withinLockTimeout<Result>(client: pg.Client, work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
      const result = await work();
      await client.query("SET lock_timeout = 0");
      return result;
    } catch (error) {
      if (!isLockError(error)) throw error;
      await client.query("ROLLBACK");
    }
    if (attempt === LOCK_ATTEMPTS) {
      throw new StoreUnavailable(
        `the schema cannot be changed, because others keep a table locked: ${await oldestTransaction(client)}`,
      );
    }
    await sleep(LOCK_PAUSE_MS);
  }
}
