import { createClient, type DatabaseAddress, READ_ONLY } from "./client.js";
import { QUERY_TIMEOUT_MS } from "./connection.js";
import { reasonOf, sqlState } from "./errors.js";

/** Connection exceptions, and: shutting down, crashed, starting up, too many connections. Waiting ends these by itself. */
const PASSING_STATES = /^(08|57P0[123]$|53300$)/;
/** What the system says when nobody listens yet, the network is not up, or a name is not known yet; or every server is a standby. */
const PASSING_CODES = new Set([
  READ_ONLY,
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "EHOSTDOWN",
  "ENETUNREACH",
  "ENETDOWN",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENOENT",
]);
/** The driver's own errors, which have no code: no answer in time, or closed before the answer. */
const CUT_OFF = /timeout|Connection terminated/;

/**
 * Asks a database once whether it serves.
 *
 * @returns why it cannot serve yet, in one line; undefined when it serves, and when it refuses for a reason that waiting does
 *   not change, such as a wrong password
 */
export async function reasonNotServing(address: DatabaseAddress): Promise<string | undefined> {
  const client = createClient(address, { query_timeout: QUERY_TIMEOUT_MS });
  // When the connection breaks, the statement in progress fails with the same error.
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query("SELECT pg_is_in_recovery() AS standby");
    return rows[0]?.standby ? "it is a standby, which takes no writes" : undefined;
  } catch (error) {
    return isPassing(error) ? reasonOf(error) : undefined;
  } finally {
    await client.end().catch(() => {});
  }
}

function isPassing(error: unknown): boolean {
  // A name with several addresses fails with an error for each.
  if (error instanceof AggregateError) return error.errors.every(isPassing);
  const state = sqlState(error);
  if (state !== undefined) return PASSING_STATES.test(state);
  const { code, message } = error as { code?: string; message?: string };
  return code === undefined ? CUT_OFF.test(message ?? "") : PASSING_CODES.has(code);
}
