import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { StoreUnavailable } from "../../store.js";
import { lockNumber } from "./database-schema.js";

const MIGRATION_LOCK = lockNumber("migration");
const LOOK_AGAIN_MS = 100;

/**
 * Takes the lock of the one instance that migrates. It is held until the connection ends.
 *
 * Polled instead of waited for in one statement: `CREATE INDEX CONCURRENTLY` waits for every older statement, and would wait
 * for the one that waits for its own lock.
 *
 * @throws StoreUnavailable that names the holder, after `timeoutMs`
 */
export async function takeMigrationLock(client: pg.Client, timeoutMs: number): Promise<void> {
  const giveUpAt = performance.now() + timeoutMs;
  for (;;) {
    const { rows } = await client.query(`SELECT pg_try_advisory_lock(${MIGRATION_LOCK}) AS locked`);
    if (rows[0]?.locked) return;
    if (performance.now() > giveUpAt) break;
    await sleep(LOOK_AGAIN_MS);
  }
  throw new StoreUnavailable(
    `another session brings the database to a new schema and is not done after ${timeoutMs / 1000} s: ${await holder(client)}`,
  );
}

interface Session {
  pid: number;
  application: string;
  state: string | null;
  /** When it connected, or began its transaction. */
  since: number;
}

/** As a number: a role may have its own date style. */
const millis = (moment: string) => `(extract(epoch FROM ${moment}) * 1000)::bigint`;

/** `pg_locks` shows an advisory lock of one 64-bit number as two halves, with 1 as objsubid. */
const SELECT_HOLDER = `
  SELECT a.pid, a.application_name AS application, a.state, ${millis("a.backend_start")} AS since
  FROM pg_locks l JOIN pg_stat_activity a USING (pid)
  WHERE l.locktype = 'advisory' AND l.granted AND a.datname = current_database()
    AND l.classid::bigint = ((${MIGRATION_LOCK}) >> 32) & 4294967295
    AND l.objid::bigint = (${MIGRATION_LOCK}) & 4294967295 AND l.objsubid = 1`;

async function holder(client: pg.Client): Promise<string> {
  const { rows } = await client.query<Session>(SELECT_HOLDER);
  return rows[0] ? describe(rows[0], "connected since") : "it has just ended";
}

/** What blocks a change of a table is almost always the oldest transaction. */
const SELECT_OLDEST = `
  SELECT pid, application_name AS application, state, ${millis("xact_start")} AS since
  FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
  ORDER BY xact_start LIMIT 1`;

/** Describes the oldest transaction of others in this database. */
export async function oldestTransaction(client: pg.Client): Promise<string> {
  const { rows } = await client.query<Session>(SELECT_OLDEST);
  return rows[0]
    ? `the oldest transaction is ${describe(rows[0], "begun")}`
    : "no other transaction is open now";
}

function describe({ pid, application, state, since }: Session, verb: string): string {
  const doing = state === null ? "" : `, ${state}`;
  return `pid ${pid}, application "${application}", ${verb} ${new Date(since).toISOString()}${doing}`;
}
