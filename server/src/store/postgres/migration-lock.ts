import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { StoreUnavailable } from "../store.js";

/** Any number that nobody else who uses the same database is likely to lock. */
const MIGRATION_LOCK = 7_232_904_431;
const LOOK_AGAIN_MS = 100;

/**
 * Takes the lock of the one instance that brings the schema on; it is kept until the connection ends.
 *
 * Asked for again and again instead of waited for in one statement: `CREATE INDEX CONCURRENTLY` waits for every statement
 * that is older than itself, and would wait for the one that waits for its own lock.
 *
 * @throws StoreUnavailable with who has it, when that is still so after `timeoutMs`
 */
export async function takeMigrationLock(client: pg.Client, timeoutMs: number): Promise<void> {
  const giveUpAt = performance.now() + timeoutMs;
  for (;;) {
    const { rows } = await client.query("SELECT pg_try_advisory_lock($1) AS locked", [MIGRATION_LOCK]);
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

/** As a number: a role may have another way of writing dates. */
const millis = (moment: string) => `(extract(epoch FROM ${moment}) * 1000)::bigint`;

/** An advisory lock of one 64-bit number stands in `pg_locks` as two halves, and with 1 as its last column. */
const SELECT_HOLDER = `
  SELECT a.pid, a.application_name AS application, a.state, ${millis("a.backend_start")} AS since
  FROM pg_locks l JOIN pg_stat_activity a USING (pid)
  WHERE l.locktype = 'advisory' AND l.granted AND a.datname = current_database()
    AND l.classid::bigint = $1::bigint >> 32 AND l.objid::bigint = $1::bigint & 4294967295 AND l.objsubid = 1`;

async function holder(client: pg.Client): Promise<string> {
  const { rows } = await client.query<Session>(SELECT_HOLDER, [MIGRATION_LOCK]);
  return rows[0] ? inWords(rows[0], "connected since") : "it has just ended";
}

/** Who keeps a table from being changed is, as good as always, the oldest transaction there is. */
const SELECT_OLDEST = `
  SELECT pid, application_name AS application, state, ${millis("xact_start")} AS since
  FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
  ORDER BY xact_start LIMIT 1`;

/** The oldest transaction of others in this database, in words. */
export async function oldestTransaction(client: pg.Client): Promise<string> {
  const { rows } = await client.query<Session>(SELECT_OLDEST);
  return rows[0]
    ? `the oldest transaction is ${inWords(rows[0], "begun")}`
    : "no other transaction is open now";
}

function inWords({ pid, application, state, since }: Session, verb: string): string {
  const doing = state === null ? "" : `, ${state}`;
  return `pid ${pid}, application "${application}", ${verb} ${new Date(since).toISOString()}${doing}`;
}
