import pg from "pg";

/** Of this process, by the URLs of the servers. */
const sessions = new Map<string, Promise<pg.Client>>();

/**
 * Runs a statement about a server of the tests, not about one of its databases, in a session that stays: one for each such statement took
 * PostgreSQL a process and 5 ms.
 *
 * @param server its URL, without the name of a database
 * @returns the rows
 */
export async function onServer(server: string, statement: string, values?: unknown[]): Promise<unknown[]> {
  const session = sessions.get(server) ?? connect(server);
  sessions.set(server, session);
  return (await (await session).query(statement, values)).rows;
}

async function connect(server: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: `${server}/postgres` });
  // The server is stopped when all tests are over.
  client.on("error", () => sessions.delete(server));
  await client.connect();
  (client as unknown as { unref(): void }).unref();
  return client;
}
