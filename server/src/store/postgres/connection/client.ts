import pg from "pg";
import { type DatabaseServer, type DatabaseUrl, parseDatabaseUrl } from "../../../domain/database-url.js";
import { applicationName } from "../schema/database-schema.js";

/** Where a database is. */
export interface DatabaseAddress {
  /** With one server or several. */
  url: string;
  /** The schema of the tables; the one that `search_path` leads to when left out. */
  schema?: string | undefined;
  /** For which cell the connection is, so that those who know of no cells can be told from others. */
  cell?: string | undefined;
}

/** For opening a connection, and for waiting until one of the pool is free. */
export const CONNECT_TIMEOUT_MS = 3_000;
/** For the answer of one of several servers whether it can be written to. */
const ASK_TIMEOUT_MS = 1_000;
/** PostgreSQL's own code for a write where nothing can be written. */
export const READ_ONLY = "25006";
/** With probes a second apart, a dead idle connection is given up after 20 s. */
const KEEP_ALIVE_AFTER_MS = 10_000;

/** The server of each URL with several that could be written to when it was last asked, by all connections of the process. */
const primaries = new Map<string, Promise<DatabaseServer>>();

/** A connection outside of a pool, not open yet. */
export function createClient(address: DatabaseAddress, options: pg.ClientConfig = {}): pg.Client {
  const Client = clientClass(address);
  return new Client({ ...clientOptions(address), ...options });
}

/** @returns what `work` does, when it is committed; a broken connection is rolled back by the server */
export async function inTransaction<Result>(
  client: pg.ClientBase,
  work: () => Promise<Result>,
): Promise<Result> {
  await client.query("BEGIN");
  try {
    const result = await work();
    await client.query("COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  }
}

/** Options of every connection, in the pool or not. */
export function clientOptions({ url, schema, cell }: DatabaseAddress): pg.ClientConfig {
  return {
    connectionString: parseDatabaseUrl(url)?.driverUrl ?? url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    application_name: cell === undefined ? applicationName(schema) : `botyard cell ${cell}`,
    types: { getTypeParser },
  };
}

/** The driver's class of connections, which knows one server; or one that connects to the server that can be written to. */
export function clientClass({ url }: DatabaseAddress): typeof pg.Client {
  const parsed = parseDatabaseUrl(url);
  if (!parsed?.isPrimaryWanted) return pg.Client;
  return class extends pg.Client {
    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error | null, client: pg.Client) => void): void;
    override connect(callback?: (error: Error | null, client: pg.Client) => void): unknown {
      const connected = this.#connect();
      if (!callback) return connected;
      connected.then(
        () => callback(null, this),
        (error: Error) => callback(error, this),
      );
      return undefined;
    }

    async #connect(): Promise<pg.Client> {
      try {
        let primary = primaries.get(url);
        if (!primary) {
          primary = findPrimary(parsed);
          primaries.set(url, primary);
        }
        useServer(this, await primary);
        await super.connect();
        await refuseReadOnly(this);
        return this;
      } catch (error) {
        // The next connection asks all of them.
        primaries.delete(url);
        throw error;
      }
    }
  };
}

/**
 * Asks all servers at once, so that a dead one delays by {@link ASK_TIMEOUT_MS}, and takes the first in their order.
 *
 * @throws Error with the answers when none can be written to
 */
async function findPrimary({ servers, driverUrl }: DatabaseUrl): Promise<DatabaseServer> {
  const answers = await Promise.allSettled(servers.map((server) => ask(server, driverUrl)));
  const at = answers.findIndex(({ status }) => status === "fulfilled");
  const primary = servers[at];
  if (primary) return primary;
  const errors = answers.map((answer) => (answer as PromiseRejectedResult).reason as Error);
  const reasons = errors.map(({ message }, n) => `${servers[n]?.host}: ${message || "cannot be reached"}`);
  throw new AggregateError(errors, `no server can be written to (${reasons.join("; ")})`);
}

async function ask(server: DatabaseServer, driverUrl: string): Promise<void> {
  const client = new pg.Client({
    connectionString: driverUrl,
    connectionTimeoutMillis: ASK_TIMEOUT_MS,
    query_timeout: ASK_TIMEOUT_MS,
  });
  client.on("error", () => {});
  useServer(client, server);
  try {
    await client.connect();
    await refuseReadOnly(client);
  } finally {
    void client.end().catch(() => {});
  }
}

async function refuseReadOnly(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>("SHOW transaction_read_only");
  if (rows[0]?.transaction_read_only === "on")
    throw Object.assign(new Error("this server is read-only, as a standby is"), { code: READ_ONLY });
}

/** The driver's types have no fields for what it connects to, which it reads when it does. */
function useServer(client: pg.Client, { host, port }: DatabaseServer): void {
  const to = client as unknown as { host: string; port: number };
  if (host !== undefined) to.host = host;
  if (port !== undefined) to.port = port;
}

const INT8 = 20;

/** Our 64-bit integers are counts, keys and milliseconds, all far below 2^53: read as numbers, not as the driver's strings. */
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: unknown) =>
  oid === INT8 ? Number : pg.types.getTypeParser(oid, format as "text");
