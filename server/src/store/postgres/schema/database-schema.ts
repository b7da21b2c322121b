import pg from "pg";
import { isDuplicate } from "../connection/errors.js";

/**
 * Botyard's tables are where `search_path` leads: in the schema of `DATABASE_SCHEMA`, or, without one, in whichever the role
 * or the database is set to. What belongs to a whole database, locks and the channel of hints, gets a name for each schema, so
 * that services in two schemas neither hear nor block each other. In `public` the names are those of the releases before.
 */
const SCHEMA = "coalesce(current_schema(), 'public')";

/** SQL for the channel of hints of the schema. The longest name of a channel has 63 bytes. */
export const CHANNEL = `CASE ${SCHEMA} WHEN 'public' THEN 'botyard' ELSE left('botyard.' || ${SCHEMA}, 63) END`;

/**
 * The advisory locks that have a number, each the next one. A new lock comes last: services and commands of two releases have to mean the same
 * one by its number. All other locks are found by a text of their own.
 */
const LOCKS = ["migration", "copy", "move"] as const;
/** Any numbers that no other user of the database is likely to lock. */
const FIRST_LOCK = 7_232_904_431;

/** SQL for the number of an advisory lock in the schema. */
export function lockNumber(lock: (typeof LOCKS)[number]): string {
  const number = FIRST_LOCK + LOCKS.indexOf(lock);
  return `CASE ${SCHEMA} WHEN 'public' THEN ${number} ELSE ${number} # hashtextextended(${SCHEMA}, 0) END`;
}

/** SQL that leads a session to the schema; nothing where none is named. */
export function useSchema(schema: string | undefined): string {
  return schema === undefined ? "" : `SET search_path = ${pg.escapeIdentifier(schema)};`;
}

/** What a session of a service is called, so that others can tell for which schema it is. */
export function applicationName(schema: string | undefined): string {
  return schema === undefined ? "botyard" : `botyard ${schema}`;
}

/**
 * Makes the schema if it is not there.
 *
 * @throws Error with one line that says what the administrator has to do
 */
export async function makeSchema(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query("SELECT to_regnamespace($1) IS NOT NULL AS made", [
    pg.escapeIdentifier(schema),
  ]);
  if (rows[0]?.made) return;
  try {
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${pg.escapeIdentifier(schema)}`);
  } catch (error) {
    // Another instance has made it in this moment.
    if (isDuplicate(error)) return;
    throw new Error(
      `the schema ${schema} of DATABASE_SCHEMA does not exist and cannot be made (${(error as Error).message}): CREATE SCHEMA ${schema} AUTHORIZATION <the role of DATABASE_URL>`,
      { cause: error },
    );
  }
}
