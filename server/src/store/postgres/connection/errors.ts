import pg from "pg";
import { OwnerElsewhere, StoreUnavailable } from "../../store.js";

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

/** The state of SQL of a write for an owner whom another cell serves: see `move/fence.ts`. */
export const OWNER_MOVED = "BY001";

/** An error of a statement as the seam has it. */
export function errorOf(error: unknown): unknown {
  if (isUnavailable(error)) return unavailable(error);
  return sqlState(error) === OWNER_MOVED ? new OwnerElsewhere((error as Error).message) : error;
}

export function isUnavailable(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined || UNAVAILABLE_CLASSES.has(state.slice(0, 2));
}

/** An error of the driver as ours. The driver's own may refer to the whole client, which must not be logged. */
export function unavailable(error: unknown): StoreUnavailable {
  return new StoreUnavailable(`the database cannot serve now: ${reasonOf(error)}`, { cause: error });
}

/** The message of a driver's error, in one line. */
export function reasonOf(error: unknown): string {
  // A name with several addresses fails with an error for each, and no message of its own.
  const isNameless = error instanceof AggregateError && error.message === "";
  const first = isNameless ? (error.errors[0] as unknown) : error;
  return first instanceof Error ? first.message.replaceAll(/\s*\n\s*/g, " ") : String(first);
}

const UNIQUE_VIOLATION = "23505";

/**
 * Whether a row was refused because another one has the same name.
 *
 * @param index the unique index that refused the row; any when left out
 */
export function isDuplicate(error: unknown, index?: string): error is pg.DatabaseError {
  const isOfIndex = index === undefined || (error as { constraint?: string }).constraint === index;
  return sqlState(error) === UNIQUE_VIOLATION && isOfIndex;
}

const LOCK_NOT_AVAILABLE = "55P03";
const DEADLOCK = "40P01";
const STATEMENT_TIMEOUT = "57014";

/** Whether others have kept a lock for too long. */
export function isLockError(error: unknown): boolean {
  const state = sqlState(error);
  return state === LOCK_NOT_AVAILABLE || state === DEADLOCK;
}

/** The same, or the statement itself has taken too long. */
export function isTimeout(error: unknown): boolean {
  return isLockError(error) || sqlState(error) === STATEMENT_TIMEOUT;
}

/** SQLSTATEs with which a server ends a session: administrator's command, crash, shutdown. */
const SESSION_ENDED = /^57P0[1-4]|^08/;
/** What the driver says of a statement whose connection is gone. */
const CONNECTION_GONE = /^(Connection terminated|Client has encountered a connection error|read E|write E)/;

/** Whether a statement has failed with its connection. */
export function isConnectionError(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return SESSION_ENDED.test(state);
  return error instanceof Error && CONNECTION_GONE.test(error.message);
}

/** The SQLSTATE of an error; undefined when it is not from the server. */
export function sqlState(error: unknown): string | undefined {
  const { code } = error as { code?: unknown };
  return error instanceof pg.DatabaseError && typeof code === "string" ? code : undefined;
}
