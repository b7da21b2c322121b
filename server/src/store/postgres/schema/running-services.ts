import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";

/** The server lists a connection for a moment after it was closed, also that of a service that has just stopped. */
const JUST_STOPPED_MS = 1_000;
const LOOK_AGAIN_MS = 50;

/**
 * Connections of services in the session's schema, which is the one of DATABASE_SCHEMA if there is one. A service that was
 * given no schema may be in this one, unless it is one that nobody gets without asking.
 */
export async function runningServices(client: pg.Client, schema: string | undefined): Promise<number> {
  const giveUpAt = performance.now() + JUST_STOPPED_MS;
  for (;;) {
    const { rows } = await client.query(
      `SELECT count(*) AS connections FROM pg_stat_activity
      WHERE datname = current_database() AND (application_name = 'botyard ' || current_schema()
        OR application_name = 'botyard' AND ($1 OR current_schema() = 'public'))`,
      [schema === undefined],
    );
    const connections = Number(rows[0].connections);
    if (connections === 0 || performance.now() > giveUpAt) return connections;
    await sleep(LOOK_AGAIN_MS);
  }
}
