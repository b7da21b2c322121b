import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { createClient, type DatabaseAddress } from "./client.js";

/**
 * Connections that are opened beside the first one. A pooler gives a transaction the connection that has been idle for the
 * shortest or the longest time; with three transactions open it has had to give one of them that of the first, unless it has
 * many idle ones, and then it is detected when the first asks again.
 */
const OTHERS = 3;
/** With fewer connections than these, a pooler lets some wait for ever; this ends the test. */
const TIMEOUT_MS = 2_000;

const MARK = "botyard.session";

/** The checks of this process that have not failed, by URL. */
const checks = new Map<string, Promise<void>>();

/**
 * Refuses a pooler that lends a connection for one transaction only (transaction pooling). Through one, settings and prepared
 * statements get lost or reach other sessions, session locks have no owner, and hints are never received: not at once, but
 * under load. A session of PostgreSQL has a process of its own for its whole life, so two sessions in one process, or one in
 * two, are proof.
 *
 * A URL is checked once in a process: the cells of a database have one, and the check takes half of what opening a store does.
 *
 * @param client is connected, in no transaction
 * @throws Error with one line that says what to do
 */
export function refuseTransactionPooler(client: pg.Client, address: DatabaseAddress): Promise<void> {
  const known = checks.get(address.url);
  if (known) return known;
  const checked = check(client, address);
  checks.set(address.url, checked);
  checked.catch(() => checks.delete(address.url));
  return checked;
}

async function check(client: pg.Client, address: DatabaseAddress): Promise<void> {
  const mark = randomUUID();
  const { rows } = await client.query(
    `SELECT pg_backend_pid() AS pid, set_config('${MARK}', '${mark}', false)`,
  );
  const own = Number(rows[0].pid);
  /** Process ids of the others. */
  const pids: number[] = [];
  const others = Array.from({ length: OTHERS }, () => createClient(address));
  const asking = (async () => {
    await Promise.all(others.map(async (other) => pids.push(...(await pidInTransaction(other)))));
    const again = await client.query(
      `SELECT pg_backend_pid() = $1 AND coalesce(current_setting('${MARK}', true), '') = $2 AS same`,
      [own, mark],
    );
    return again.rows[0].same as boolean;
  })();
  // Late ones are rejected when their connections end below.
  asking.catch(() => {});
  const isSame = await Promise.race([asking, sleep(TIMEOUT_MS, true, { ref: false })]);
  for (const other of others) void other.end().catch(() => {});
  if (isSame && !pids.includes(own)) return;
  throw new Error(
    "DATABASE_URL leads through a pooler that shares connections between transactions: let it pool sessions (PgBouncer: pool_mode = session), or connect to PostgreSQL directly",
  );
}

/** Leaves the transaction open. */
async function pidInTransaction(client: pg.Client): Promise<number[]> {
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("BEGIN");
    const { rows } = await client.query("SELECT pg_backend_pid() AS pid");
    return [Number(rows[0].pid)];
  } catch {
    // No connection is left: the first statement of the service will fail with the reason.
    return [];
  }
}
