import type pg from "pg";
import { StoreUnavailable } from "../../store.js";
import { createClient, type DatabaseAddress } from "./client.js";
import { reasonOf } from "./errors.js";
import { refuseTransactionPooler } from "./pooler.js";

interface ClientUse {
  /** SQL that makes the session's settings. */
  session: string;
  /** What the error says when it cannot be opened, before the reason. */
  failure: string;
  /** Whether it has to be a session of its own: see {@link refuseTransactionPooler}. */
  isOwnSession?: boolean;
  options?: pg.ClientConfig;
}

/**
 * Opens a connection outside of a pool. When something prevents that, none is left open.
 *
 * @throws StoreUnavailable when the database cannot be reached, or refuses the settings; Error with one line when it is behind a pooler that pools
 *   transactions, and may not be
 */
export async function openClient(
  address: DatabaseAddress,
  { session, failure, isOwnSession = false, options }: ClientUse,
): Promise<pg.Client> {
  const client = createClient(address, options);
  // When the connection breaks, the statement in progress or the next one fails with the same error.
  client.on("error", () => {});
  try {
    await begin(client, session, failure);
    if (isOwnSession) await refuseTransactionPooler(client, address);
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

async function begin(client: pg.Client, session: string, failure: string): Promise<void> {
  try {
    await client.connect();
    await client.query(session);
  } catch (error) {
    throw new StoreUnavailable(`${failure}: ${reasonOf(error)}`, { cause: error });
  }
}
