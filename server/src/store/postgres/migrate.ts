import pg from "pg";
import { StoreUnavailable } from "../store.js";
import { clientOptions, reasonOf } from "./connection.js";
import { STEPS } from "./schema.js";

/** Any number that nobody else who uses the same database is likely to lock. */
const ADVISORY_LOCK = 7_232_904_431;

/** Whether a database may be opened that `botyard copy` has begun to fill: only by the copy that goes on with it. */
export type UnfinishedCopy = "refused" | "expected";

/**
 * Brings the database to the newest schema, whichever instance comes first; the others wait for it.
 *
 * @throws StoreUnavailable when the database cannot be reached; Error with one line when it is of a newer service than this
 *   one, or half copied
 */
export async function migrate(url: string, unfinishedCopy: UnfinishedCopy = "refused"): Promise<void> {
  const client = new pg.Client(clientOptions(url));
  // A connection that breaks also fails the statement under way, and that is heard.
  client.on("error", () => {});
  try {
    await client.connect();
  } catch (error) {
    throw new StoreUnavailable(`the database of DATABASE_URL cannot be used: ${reasonOf(error)}`, {
      cause: error,
    });
  }
  try {
    await client.query("SELECT pg_advisory_lock($1)", [ADVISORY_LOCK]);
    const half = await client.query("SELECT to_regclass('copy_progress') IS NOT NULL AS begun");
    if (half.rows[0]?.begun && unfinishedCopy === "refused") {
      throw new Error(
        "the database holds an unfinished copy: run the same botyard copy again until it is done",
      );
    }
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
