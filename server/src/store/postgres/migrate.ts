import pg from "pg";
import { clientOptions } from "./connection.js";
import { STEPS } from "./schema.js";

/** Any number that nobody else who uses the same database is likely to lock. */
const ADVISORY_LOCK = 7_232_904_431;

/**
 * Brings the database to the newest schema, whichever instance comes first; the others wait for it.
 *
 * @throws Error with one line when the database cannot be reached or is of a newer service than this one
 */
export async function migrate(url: string): Promise<void> {
  const client = new pg.Client(clientOptions(url));
  try {
    await client.connect();
  } catch (error) {
    throw new Error(`the database of DATABASE_URL cannot be reached: ${(error as Error).message}`, {
      cause: error,
    });
  }
  try {
    await client.query("SELECT pg_advisory_lock($1)", [ADVISORY_LOCK]);
    await client.query("CREATE TABLE IF NOT EXISTS botyard_schema (step integer PRIMARY KEY)");
    const { rows } = await client.query("SELECT coalesce(max(step), 0) AS done FROM botyard_schema");
    const done = Number(rows[0]?.done);
    if (done > STEPS.length) {
      throw new Error(
        `the database has schema ${done}, this service knows up to ${STEPS.length}: start a newer Botyard on it`,
      );
    }
    for (const [step, sql] of [...STEPS.entries()].slice(done)) {
      await client.query(`BEGIN; ${sql} INSERT INTO botyard_schema VALUES (${step + 1}); COMMIT`);
    }
  } finally {
    await client.end();
  }
}
