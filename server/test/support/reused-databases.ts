import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { onServer } from "./server-session.js";

/**
 * Databases that tests of this process have finished with, emptied and ready for the next one. To make and drop one takes
 * PostgreSQL 80 to 400 ms of processor time, to empty one 10.
 */
const emptied = new Map<string, string[]>();

/** The server ends a session a moment after its client has left; one that is there any longer belongs to somebody. */
const LEFT_WITHIN_MS = 3_000;
const LOOK_AGAIN_MS = 20;
/**
 * Deleted rows stay in the indexes until a vacuum, and the keys begin anew, so the next test reads through them: a page of a log
 * took 0.8 s with 11,000 such deliveries, and more than a statement may on a busy machine.
 */
const MAX_BYTES = 200_000;

/** A copy of the template, as good as a new one, if there is one. */
export function takeEmptied(server: string): string | undefined {
  return emptied.get(server)?.pop();
}

/**
 * Empties a copy of the template for the next test.
 *
 * @param definitions of the template, from {@link readDefinitions}
 * @returns false when it cannot be used again: somebody is still connected, it is large, or more than rows has changed
 */
export async function giveBack(server: string, url: string, definitions: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  try {
    await client.connect();
    if (!(await isAbandoned(server, url, 1)) || (await readDefinitions(client)) !== definitions) return false;
    if (!(await removeRows(client))) return false;
  } catch {
    // Settings of the database can make any statement fail; it can be dropped all the same.
    return false;
  } finally {
    await client.end();
  }
  emptied.set(server, [...(emptied.get(server) ?? []), url]);
  return true;
}

/** Waits a moment until all who have closed their connections have left a database; who is dropped with it otherwise hears of an error. */
export async function untilAbandoned(server: string, url: string): Promise<void> {
  await isAbandoned(server, url, 0);
}

/** @param own how many sessions in it are the caller's */
async function isAbandoned(server: string, url: string, own: number): Promise<boolean> {
  const deadline = Date.now() + LEFT_WITHIN_MS;
  for (;;) {
    const sessions = await onServer(
      server,
      "SELECT FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend'",
      [new URL(url).pathname.slice(1)],
    );
    if (sessions.length <= own) return true;
    if (Date.now() > deadline) return false;
    await sleep(LOOK_AGAIN_MS);
  }
}

/** Of these, every command that changes a schema changes at least one. */
const CATALOGS = ["pg_namespace", "pg_class", "pg_attribute", "pg_index", "pg_depend"];

/** Differs when anything but the rows of tables was changed since the template was made. */
export async function readDefinitions(client: pg.Client): Promise<string> {
  const changes = CATALOGS.map((name) => `(SELECT (count(*), max(xmin::text::bigint))::text FROM ${name})`);
  const { rows } = await client.query<{ definitions: string }>(`
    SELECT concat_ws(' ', ${changes.join(", ")},
      (SELECT array_agg(step ORDER BY step) FROM botyard_schema),
      (SELECT array_agg(setconfig) FROM pg_db_role_setting JOIN pg_database ON pg_database.oid = setdatabase
        WHERE datname = current_database()),
      (SELECT datacl FROM pg_database WHERE datname = current_database())) AS definitions`);
  return rows[0]?.definitions ?? "";
}

/** @returns false when there are too many */
async function removeRows(client: pg.Client): Promise<boolean> {
  const { rows: tables } = await client.query<{ name: string; bytes: string }>(`
    SELECT oid::regclass AS name, pg_relation_size(oid) AS bytes FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname NOT IN ('botyard_schema', 'incarnation')`);
  const written = tables.filter(({ bytes }) => bytes !== "0");
  if (written.some(({ bytes }) => Number(bytes) > MAX_BYTES)) return false;
  await client.query(
    [
      // No trigger writes a row about those that are removed.
      "SET LOCAL session_replication_role = replica",
      ...written.map(({ name }) => `DELETE FROM ${name}`),
      "UPDATE incarnation SET restores = 0, has_further = false, has_away = false",
      "SELECT setval(seqrelid::regclass, seqstart, false) FROM pg_sequence",
    ].join(";"),
  );
  return true;
}
