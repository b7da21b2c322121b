import pg from "pg";
import { StoreUnavailable } from "../store.js";

/** A statement that each connection prepares once, under its name. */
export interface Statement {
  name: string;
  text: string;
}

export type Value = string | number | boolean | null | Value[];

/** Runs statements, each in a transaction of its own. */
export interface Database {
  /** @returns the rows, with the columns named as the statement names them */
  query<Row>(statement: Statement, values?: readonly Value[]): Promise<Row[]>;
  /**
   * Runs statements in one transaction, sent in one go without waiting in between: each sees what was committed before
   * it began, and a lock taken by an earlier one is held until the end.
   *
   * @returns the rows of each
   */
  transaction(steps: readonly Step[]): Promise<unknown[][]>;
  /** Lets what was asked before finish, then closes all connections. */
  close(): Promise<void>;
}

export type Step = readonly [statement: Statement, values?: readonly Value[]];

export interface DatabaseOptions {
  url: string;
  /** Connections this instance holds at most. */
  poolSize: number;
  /** Hears of connections that break while nobody uses them. */
  onIdleError(error: Error): void;
}

const CONNECT_TIMEOUT_MS = 3_000;
/** The server ends a statement that takes longer: by then something is wrong, and the caller is better told. */
const STATEMENT_TIMEOUT_MS = 10_000;
/** A server that went away without a word is noticed a little after it should have ended the statement itself. */
const QUERY_TIMEOUT_MS = 12_000;

/**
 * Every statement here has an index to use, and one that scans would be a mistake whatever the planner's statistics
 * say of a table that is new. Generic plans are made once for each connection instead of once for each call.
 */
const SESSION = `SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan; SET jit = off;
  SET statement_timeout = ${STATEMENT_TIMEOUT_MS}; SET idle_in_transaction_session_timeout = ${STATEMENT_TIMEOUT_MS}`;

const BEGIN: Statement = { name: "begin", text: "BEGIN" };
const COMMIT: Statement = { name: "commit", text: "COMMIT" };

/** Opens a pool of connections. The first one is made by the first statement. */
export function openDatabase({ url, poolSize, onIdleError }: DatabaseOptions): Database {
  let closed = false;
  const pool = new pg.Pool({
    ...clientOptions(url),
    max: poolSize,
    query_timeout: QUERY_TIMEOUT_MS,
    pipeline: true,
  });
  pool.on("error", (error) => {
    if (!closed) onIdleError(error);
  });
  pool.on("connect", (client) => {
    client.query(SESSION).catch(onIdleError);
  });

  const underWay = new Set<Promise<unknown>>();

  const onConnection = <Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> => {
    if (closed) return Promise.reject(new StoreUnavailable("the store is closed"));
    const result = workOnConnection(work);
    underWay.add(result);
    const done = () => underWay.delete(result);
    result.then(done, done);
    return result;
  };

  const workOnConnection = async <Result>(
    work: (client: pg.PoolClient) => Promise<Result>,
  ): Promise<Result> => {
    let client: pg.PoolClient;
    try {
      client = await pool.connect();
    } catch (error) {
      throw asUnavailable(error);
    }
    try {
      const result = await work(client);
      client.release();
      return result;
    } catch (error) {
      // A statement that was refused leaves the connection as it was; after anything else nobody knows.
      client.release(sqlState(error) === undefined);
      throw asUnavailable(error);
    }
  };

  return {
    query: <Row>(statement: Statement, values: readonly Value[] = []) =>
      onConnection(async (client) => (await run(client, [statement, values])) as Row[]),

    transaction: (steps) =>
      onConnection(async (client) => {
        const [, ...results] = await everyResult(
          [[BEGIN], ...steps, [COMMIT]].map((step) => run(client, step as Step)),
        );
        return results.slice(0, -1);
      }),

    async close() {
      while (underWay.size > 0) await Promise.allSettled(underWay);
      closed = true;
      await pool.end();
    },
  };
}

/** What a connection of our own, outside the pool, has in common with those in it. */
export function clientOptions(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    application_name: "botyard",
    types: { getTypeParser },
  };
}

async function run(client: pg.PoolClient, [{ name, text }, values = []]: Step): Promise<unknown[]> {
  const { rows } = await client.query({ name, text, values: values as unknown[] });
  return rows;
}

/** All of them, or the first error in their order: those that follow it only say that the transaction is broken. */
async function everyResult(results: Promise<unknown[]>[]): Promise<unknown[][]> {
  const settled = await Promise.allSettled(results);
  const failed = settled.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
  return settled.map((result) => (result as PromiseFulfilledResult<unknown[]>).value);
}

const INT8 = 20;

/** Our 64-bit integers are counts, keys and milliseconds, all far below 2^53: plain numbers, not the driver's strings. */
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: unknown) =>
  oid === INT8 ? Number : pg.types.getTypeParser(oid, format as "text");

/** Classes of SQLSTATE after which trying again later may work; the others say that a statement is wrong. */
const UNAVAILABLE_CLASSES = new Set([
  "08", // connection exception
  "25", // read-only transaction: a standby, or a server in the middle of a failover
  "40", // serialization failure, deadlock
  "53", // out of disk, memory or connections
  "55", // lock not available
  "57", // shut down, cannot connect now, cancelled
  "58", // system error
]);

function asUnavailable(error: unknown): unknown {
  const state = sqlState(error);
  if (state !== undefined && !UNAVAILABLE_CLASSES.has(state.slice(0, 2))) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new StoreUnavailable(`the database cannot serve now: ${message}`, { cause: error });
}

const UNIQUE_VIOLATION = "23505";

/** Whether a row was refused because another one has the same name. */
export function isDuplicate(error: unknown): boolean {
  return sqlState(error) === UNIQUE_VIOLATION;
}

/** The five characters by which the server names an error; undefined when it is not from the server. */
function sqlState(error: unknown): string | undefined {
  const { code } = error as { code?: unknown };
  return error instanceof pg.DatabaseError && typeof code === "string" ? code : undefined;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** An id as a parameter: one that is no UUID belongs to nothing, and finds nothing. */
export function uuid(id: string): string | null {
  return UUID.test(id) ? id : null;
}
