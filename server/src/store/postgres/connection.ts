import type { Duplex } from "node:stream";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type StoreObserver, UNOBSERVED } from "../observer.js";
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
  observer?: StoreObserver;
}

/** For making a connection, and for waiting for one of the pool to be free. */
const CONNECT_TIMEOUT_MS = 3_000;
/**
 * The server ends a statement that takes longer. Ours take milliseconds, so by then something is wrong, and the caller is
 * better told: a request asks a few things in a row and must still be answered well before its client gives up.
 */
const STATEMENT_TIMEOUT_MS = 4_000;
/** A server that went away without a word is noticed a little after it should have ended the statement itself. */
export const QUERY_TIMEOUT_MS = 5_000;
/** With probes a second apart, a silent connection that nobody uses is given up 20 s after its last word. */
const KEEP_ALIVE_AFTER_MS = 10_000;
/** What was asked before closing is waited for this long. */
const LAST_ANSWERS_TIMEOUT_MS = 500;
/** A server that does not answer the goodbye is left behind. */
export const GOODBYE_TIMEOUT_MS = 2_000;

/**
 * Every statement here has an index to use, and one that scans would be a mistake whatever the planner's statistics say
 * of a table that is new. It is the same with joins: all look up few rows by their keys, and joining by a hash, a merge or
 * a copy reads the other table from end to end. That is cheaper as long as the table is small, and the plan outlives that:
 * with it, batches of 20 posts took a third more of the server's time beside 1,100 bots, and would have taken more with
 * each one. Generic plans are made once for each connection instead of once for each call.
 */
export const PLANNING = `SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
  SET enable_material = off; SET plan_cache_mode = force_generic_plan; SET jit = off`;

/**
 * What our statements take for granted, whatever a role, a database or a URL has made the default: each statement sees what
 * was committed before it (a lock that is waited for says nothing under the snapshot of a transaction: with serializable
 * as the default, 61 of 640 posts were refused), a commit is on disk, `{NULL}` is an array with a null in it, no row is
 * hidden without a word, and no time-out is shorter than ours. A default that protects the database stays as it is:
 * `default_transaction_read_only`, with which some providers stop writes to a disk that is nearly full, and every
 * `synchronous_commit` that waits for a disk.
 */
export const CONTRACT = `SET default_transaction_isolation = 'read committed'; SET array_nulls = on;
  SET row_security = off; SET lock_timeout = 0;
  SELECT set_config(name, 'on', false) FROM pg_settings WHERE name = 'synchronous_commit' AND setting = 'off';
  SELECT set_config(name, '0', false) FROM pg_settings
    WHERE name IN ('idle_session_timeout', 'transaction_timeout') AND setting <> '0'`;
const SESSION = `${PLANNING}; ${CONTRACT};
  SET statement_timeout = ${STATEMENT_TIMEOUT_MS}; SET idle_in_transaction_session_timeout = ${STATEMENT_TIMEOUT_MS}`;
/** For what changes the schema or many rows while nobody waits for it: a statement may take minutes. */
export const UPKEEP_SESSION = `${CONTRACT}; SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0`;

const BEGIN: Statement = { name: "begin", text: "BEGIN" };
const COMMIT: Statement = { name: "commit", text: "COMMIT" };

/** Opens a pool of connections. The first one is made by the first statement. */
export function openDatabase({
  url,
  poolSize,
  onIdleError,
  observer = UNOBSERVED,
}: DatabaseOptions): Database {
  let closed = false;
  const pool = new pg.Pool({
    ...clientOptions(url),
    max: poolSize,
    query_timeout: QUERY_TIMEOUT_MS,
    pipeline: true,
    onConnect: beginSession,
  });
  pool.on("error", (error) => {
    if (!closed) onIdleError(unavailable(error));
  });
  /** Counted, not kept in a set, which would keep what they brought: see `hints.ts`. */
  let tripsUnderWay = 0;
  let onLastTrip = (): void => {};

  const onConnection = <Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> => {
    if (closed) return Promise.reject(new StoreUnavailable("the store is closed"));
    const result = workOnConnection(work);
    const startedAt = performance.now();
    tripsUnderWay += 1;
    const done = (error?: unknown) => {
      tripsUnderWay -= 1;
      if (tripsUnderWay === 0) onLastTrip();
      observer.tripEnded(performance.now() - startedAt);
      if (error instanceof StoreUnavailable) observer.unavailable(1);
    };
    result.then(() => done(), done);
    return result;
  };

  const workOnConnection = async <Result>(
    work: (client: pg.PoolClient) => Promise<Result>,
  ): Promise<Result> => {
    let client: pg.PoolClient;
    try {
      client = await pool.connect();
    } catch (error) {
      // Whatever keeps us from connecting, a password that was changed included, may be mended while we run.
      throw unavailable(error);
    }
    try {
      const result = await work(client);
      client.release();
      return result;
    } catch (error) {
      // A statement that was refused leaves the connection as it was; after anything else nobody knows.
      client.release(isUnavailable(error));
      throw isUnavailable(error) ? unavailable(error) : error;
    }
  };

  /** Resolves when nothing is left, counting what is added meanwhile. */
  const lastTrip = async (): Promise<void> => {
    while (tripsUnderWay > 0) {
      await new Promise<void>((resolve) => {
        onLastTrip = resolve;
      });
      await nextTurn();
    }
  };

  return {
    query: <Row>(statement: Statement, values: readonly Value[] = []) =>
      onConnection(async (client) => (await run(client, [statement, values])) as Row[]),

    transaction: (steps) =>
      onConnection(async (client) => {
        // A statement alone is a transaction by itself.
        const all: readonly Step[] = steps.length > 1 ? [[BEGIN], ...steps, [COMMIT]] : steps;
        const results = await everyResult(inOneWrite(client, () => all.map((step) => run(client, step))));
        return steps.length > 1 ? results.slice(1, -1) : results;
      }),

    async close() {
      await Promise.race([lastTrip(), sleep(LAST_ANSWERS_TIMEOUT_MS, undefined, { ref: false })]);
      closed = true;
      await Promise.race([pool.end(), sleep(GOODBYE_TIMEOUT_MS, undefined, { ref: false })]);
    },
  };
}

/** @returns what the pool waits for, though its types do not say so: a connection without its settings would promise too much */
function beginSession(client: pg.ClientBase): unknown {
  // While a connection is in use the pool does not listen, and an error that nobody hears ends the process. Whoever uses it
  // hears of the same error from the statement under way.
  client.on("error", () => {});
  return client.query(SESSION);
}

/** What a connection of our own, outside the pool, has in common with those in it. */
export function clientOptions(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    application_name: "botyard",
    types: { getTypeParser },
  };
}

async function run(client: pg.PoolClient, [{ name, text }, values = []]: Step): Promise<unknown[]> {
  const { rows } = await client.query({ name, text, values: values as unknown[] });
  return rows;
}

/**
 * The driver writes each statement by itself, and each write wakes the server's process: on a machine that both share,
 * four writes made a transaction of outcomes take a fifth longer than one.
 */
function inOneWrite<Result>(client: pg.PoolClient, send: () => Result): Result {
  const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection;
  stream.cork();
  try {
    return send();
  } finally {
    stream.uncork();
  }
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

function isUnavailable(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined || UNAVAILABLE_CLASSES.has(state.slice(0, 2));
}

/** An error of the driver in our words. Its own may carry the whole client, which is nothing for a log. */
export function unavailable(error: unknown): StoreUnavailable {
  return new StoreUnavailable(`the database cannot serve now: ${reasonOf(error)}`, { cause: error });
}

/** What an error of the driver says, in one line. */
export function reasonOf(error: unknown): string {
  // A name with several addresses fails with an error for each, and no message of its own.
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  return first instanceof Error ? first.message.replaceAll(/\s*\n\s*/g, " ") : String(first);
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

/** An array of integers as a parameter: the driver would look for what to escape in each of them. */
export function integers(values: readonly number[]): string {
  return `{${values.join()}}`;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** An id as a parameter: one that is no UUID belongs to nothing, and finds nothing. */
export function uuid(id: string): string | null {
  return UUID.test(id) ? id : null;
}
