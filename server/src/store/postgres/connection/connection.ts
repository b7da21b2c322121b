import type { Duplex } from "node:stream";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type StoreObserver, UNOBSERVED } from "../../observer.js";
import { StoreUnavailable } from "../../store.js";
import { useSchema } from "../schema/database-schema.js";
import { CONNECT_TIMEOUT_MS, clientClass, clientOptions, type DatabaseAddress } from "./client.js";
import { errorOf, isUnavailable, unavailable } from "./errors.js";
import { freeConnections } from "./free-connections.js";

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
   * Runs statements in one transaction, sent without waiting in between: each sees what was committed before it began, and a
   * lock taken by an earlier one is held until the end.
   *
   * @returns the rows of each
   */
  transaction(steps: readonly Step[]): Promise<unknown[][]>;
  /** Finishes the statements in progress, then closes all connections. */
  close(): Promise<void>;
}

export type Step = readonly [statement: Statement, values?: readonly Value[]];

export interface DatabaseOptions extends DatabaseAddress {
  /** Connections this instance holds at most. */
  poolSize: number;
  /** Is told of idle connections that break. */
  onIdleError(error: Error): void;
  /** Called with each new connection before it is used. */
  onConnect?: (client: pg.ClientBase) => Promise<void>;
  observer?: StoreObserver;
}

/**
 * The server cancels a statement that takes longer. Our statements take milliseconds, so by then something is wrong. A
 * request runs a few statements in sequence and must still be answered well before its client gives up.
 */
const STATEMENT_TIMEOUT_MS = 4_000;
/** A connection is given up when its server does not answer, a little after it should have cancelled the statement. */
export const QUERY_TIMEOUT_MS = 5_000;
/** How long closing waits for statements in progress. */
const LAST_ANSWERS_TIMEOUT_MS = 500;
/** How long closing waits for the server to close a connection. */
export const CLOSE_TIMEOUT_MS = 2_000;

/**
 * Every statement here has an index to use; a scan would be wrong, whatever the planner's statistics of a new table
 * say. The same is true of joins: all look up few rows by their keys, while a hash, merge or materialised join reads
 * the other table from end to end. That is cheaper while the table is small, but the plan is kept when it has grown:
 * batches of 20 posts took a third more of the server's time with 1,100 bots, and more with each further bot. Where a page read
 * by its key costs more than the next one (`random_page_cost`), walking all of a table of 20 rows looks cheaper than ten look-ups. And a
 * bitmap of an index loses its order, so that the first entries are known only when all are read and sorted. Generic plans are made once for
 * each connection instead of once for each call.
 */
export const PLANNING = `SET random_page_cost = 1; SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
  SET enable_material = off; SET enable_bitmapscan = off; SET plan_cache_mode = force_generic_plan; SET jit = off`;

/**
 * What our statements rely on, whatever the default of a role, a database or a URL is: each statement sees what was committed
 * before it (after waiting for a lock, a transaction's snapshot would be out of date: with serializable as the default, 61 of
 * 640 posts were refused), a commit is on disk, `{NULL}` is an array with a null in it, no row is silently hidden, and no
 * time-out is shorter than ours. A default that protects the database is left alone: `default_transaction_read_only`, with
 * which some providers stop writes to a disk that is nearly full, and every `synchronous_commit` that waits for a disk.
 */
export const REQUIRED_SETTINGS = `SET default_transaction_isolation = 'read committed'; SET array_nulls = on;
  SET row_security = off; SET lock_timeout = 0;
  SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
  SELECT set_config(name, '0', false) FROM unnest(ARRAY['idle_session_timeout', 'transaction_timeout']) AS name
    WHERE current_setting(name, true) <> '0'`;
const SESSION = `${PLANNING}; ${REQUIRED_SETTINGS};
  SET statement_timeout = ${STATEMENT_TIMEOUT_MS}; SET idle_in_transaction_session_timeout = ${STATEMENT_TIMEOUT_MS}`;
/** For changes of the schema or of many rows that nobody waits for: a statement may take minutes. */
export const UPKEEP_SESSION = `${REQUIRED_SETTINGS}; SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0`;

/**
 * How long a connection is kept that nobody uses. A new one plans each statement anew: with the 10 s that are the pool's default, the first twenty
 * presses of a button after a quiet moment took 30 to 100 ms each.
 */
const IDLE_CONNECTION_MS = 60_000;

const BEGIN: Statement = { name: "begin", text: "BEGIN" };
const COMMIT: Statement = { name: "commit", text: "COMMIT" };

/** Opens a pool of connections. The first one is made by the first statement. */
export function openDatabase({
  url,
  schema,
  cell,
  poolSize,
  onIdleError,
  onConnect,
  observer = UNOBSERVED,
}: DatabaseOptions): Database {
  let closed = false;
  const pool = new pg.Pool({
    ...clientOptions({ url, schema, cell }),
    Client: clientClass({ url, schema }),
    max: poolSize,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    pipeline: true,
    // The pool waits for it, though its types do not say so: no connection is used without its settings.
    onConnect: (client): unknown => beginSession(client, schema).then(() => onConnect?.(client)),
  });
  pool.on("error", (error) => {
    if (!closed) onIdleError(unavailable(error));
  });
  const connections = freeConnections(pool, { most: poolSize, timeoutMs: CONNECT_TIMEOUT_MS });
  /** A counter and not a set, whose old hash tables would keep results alive (see `hints.ts`). */
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
      client = await connections.take();
    } catch (error) {
      // Whatever prevents connecting may be repaired while the service runs, also a changed password.
      throw unavailable(error);
    }
    try {
      const result = await work(client);
      client.release();
      connections.returned();
      return result;
    } catch (error) {
      // After a refused statement the connection can be used again; after anything else its state is unknown.
      client.release(isUnavailable(error));
      connections.returned();
      throw errorOf(error);
    }
  };

  /** Resolves when no statement is in progress, also none that began meanwhile. */
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
        // A single statement is a transaction by itself.
        const all: readonly Step[] = steps.length > 1 ? [[BEGIN], ...steps, [COMMIT]] : steps;
        const results = await everyResult(inOneWrite(client, () => all.map((step) => run(client, step))));
        return steps.length > 1 ? results.slice(1, -1) : results;
      }),

    async close() {
      if (closed) return;
      await Promise.race([lastTrip(), sleep(LAST_ANSWERS_TIMEOUT_MS, undefined, { ref: false })]);
      closed = true;
      await Promise.race([pool.end(), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    },
  };
}

async function beginSession(client: pg.ClientBase, schema: string | undefined): Promise<void> {
  // While a connection is in use the pool does not listen for its errors, and an error without a listener ends the
  // process. The statement in progress fails with the same error.
  client.on("error", () => {});
  await client.query(`${SESSION}; ${useSchema(schema)}`);
}

async function run(client: pg.PoolClient, [{ name, text }, values = []]: Step): Promise<unknown[]> {
  const { rows } = await client.query({ name, text, values: values as unknown[] });
  return rows;
}

/**
 * The driver writes each statement separately, and each write wakes the server's process: with both on one machine, a
 * transaction of outcomes took a fifth longer with four writes than with one.
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

/** All results, or the first error: those that follow it only say that the transaction is aborted. */
async function everyResult(results: Promise<unknown[]>[]): Promise<unknown[][]> {
  const settled = await Promise.allSettled(results);
  const failed = settled.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
  return settled.map((result) => (result as PromiseFulfilledResult<unknown[]>).value);
}

/** An array of integers as a parameter, without the driver's search for what to escape in each of them. */
export function integers(values: readonly number[]): string {
  return `{${values.join()}}`;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** An id as a parameter. One that is no UUID becomes null, which finds nothing. */
export function uuid(id: string): string | null {
  return UUID.test(id) ? id : null;
}
