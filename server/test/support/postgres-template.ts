import pg from "pg";
import { openPostgresStore } from "#botyard/store/postgres/open.js";

/** A database that has the tables of today. Copying it takes half of what bringing an empty one to that schema does. */
export const TEMPLATE = "botyard_template";

/** @param server its URL, without the name of a database */
export async function makeTemplate(server: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${server}/postgres` });
  await client.connect();
  await client.query(`CREATE DATABASE ${TEMPLATE}`);
  await client.end();
  const store = await openPostgresStore({
    url: `${server}/${TEMPLATE}`,
    poolSize: 1,
    onConnectionError() {},
  });
  await store.close();
}
