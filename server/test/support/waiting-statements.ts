import type pg from "pg";

/**
 * How many sessions wait for a lock in the client's own database. Other tests use the same server at the same time, and
 * `pg_locks` shows all of it; `pg_stat_activity` does not change within a transaction.
 */
export async function waitingStatements(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query(`
    SELECT count(DISTINCT pid)::integer AS count FROM pg_locks
    WHERE NOT granted AND pid IN (SELECT pid FROM pg_locks WHERE database = ${OWN_DATABASE})`);
  return rows[0].count;
}

/** The `database` of `pg_locks` for locks of the client's own. */
export const OWN_DATABASE = "(SELECT oid FROM pg_database WHERE datname = current_database())";
