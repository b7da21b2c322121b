import pg from "pg";
import { openPostgresStore } from "#botyard/store/postgres/open.js";
import { readDefinitions } from "./reused-databases.js";

/** A database that has the tables of today. Copying it takes half of what bringing an empty one to that schema does. */
export const TEMPLATE = "botyard_template";

/**
 * @param server its URL, without the name of a database
 * @returns its definitions, by which an unchanged copy is known
 */
export async function makeTemplate(server: string): Promise<string> {
  const administrator = new pg.Client({ connectionString: `${server}/postgres` });
  await administrator.connect();
  await administrator.query(`CREATE DATABASE ${TEMPLATE}`);
  await administrator.end();
  const url = `${server}/${TEMPLATE}`;
  const store = await openPostgresStore({ url, poolSize: 1, onConnectionError() {} });
  await store.close();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const definitions = await readDefinitions(client);
  await client.end();
  return definitions;
}
