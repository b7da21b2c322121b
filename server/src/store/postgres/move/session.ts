import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { StoreUnavailable } from "../../store.js";
import { type DatabaseAddress, inTransaction } from "../connection/client.js";
import { type Database, openDatabase, PLANNING, UPKEEP_SESSION } from "../connection/connection.js";
import { isConnectionError, isLockError, reasonOf } from "../connection/errors.js";
import { openClient } from "../connection/open-client.js";
import { lockNumber, useSchema } from "../schema/database-schema.js";

/** A cell, as a move reaches it. */
export interface CellAddress extends DatabaseAddress {
  name: string;
}

/** One line for whoever asked for the move: nothing was moved. */
export class MoveRefused extends Error {}

/** A cell with two connections: one that a move has for itself, and one for steps of the upkeep. */
export interface CellSession {
  name: string;
  client: pg.Client;
  upkeep: Database;
  /** Settles when its connection breaks: with the cell, and why. */
  lost: Promise<{ name: string; fault: Error }>;
  close(): Promise<void>;
}

/** What a session is called that the triggers of a move, and the fence, leave alone. */
const EXEMPT = "SET botyard.is_moving = 'on'";
/** SQL: whether this session is one of those. */
export const IS_EXEMPT = "coalesce(current_setting('botyard.is_moving', true), '') = 'on'";

export async function openSession(cell: CellAddress): Promise<CellSession> {
  const address = { ...cell, cell: cell.name };
  const client = await openClient(address, {
    session: `${UPKEEP_SESSION}; ${PLANNING}; ${EXEMPT}; ${useSchema(cell.schema)}`,
    failure: `the cell ${cell.name} cannot be used`,
    isOwnSession: true,
  });
  const lost = new Promise<{ name: string; fault: Error }>((resolve) =>
    client.once("error", (fault) => resolve({ name: cell.name, fault })),
  );
  const upkeep = openDatabase({ ...address, poolSize: 1, onIdleError: () => {} });
  return {
    name: address.name,
    client,
    upkeep,
    lost,
    async close() {
      await Promise.allSettled([client.end(), upkeep.close()]);
    },
  };
}

/** A connection that breaks is noticed in less. */
const NOTICED_MS = 500;

/**
 * Opens both cells for `work`.
 *
 * @throws StoreUnavailable when one of them cannot be reached, or is lost meanwhile
 */
export async function withSessions<Result>(
  from: CellAddress,
  to: CellAddress,
  work: (from: CellSession, to: CellSession) => Promise<Result>,
): Promise<Result> {
  const opened: CellSession[] = [];
  try {
    for (const cell of [from, to]) opened.push(await openSession(cell));
    const [source, target] = opened as [CellSession, CellSession];
    return await work(source, target);
  } catch (error) {
    if (!isConnectionError(error)) throw error;
    // The statement fails a moment before its connection does.
    const lost = await Promise.race([...opened.map((session) => session.lost), sleep(NOTICED_MS)]);
    if (!lost) throw error;
    const message = `the cell ${lost.name} was lost: ${reasonOf(lost.fault)}; run the command again`;
    throw new StoreUnavailable(message, { cause: error });
  } finally {
    for (const session of opened) await session.close();
  }
}

/** Held by whoever moves an owner out of the cell, until its connection ends. */
const MOVER_LOCK = lockNumber("move");

/** @returns false while somebody else holds the lock; otherwise the session has it until it is closed */
export async function lockMover({ client }: CellSession): Promise<boolean> {
  const { rows } = await client.query(`SELECT pg_try_advisory_lock(${MOVER_LOCK}) AS locked`);
  return rows[0]?.locked === true;
}

/** Opens both cells for `work`, alone with the one that the owner leaves: one move at a time leaves a cell. */
export async function withCells<Result>(
  from: CellAddress,
  to: CellAddress,
  work: (from: CellSession, to: CellSession) => Promise<Result>,
): Promise<Result> {
  return await withSessions(from, to, async (source, target) => {
    if (!(await lockMover(source)))
      throw new MoveRefused(`another move out of the cell ${from.name} is under way`);
    return await work(source, target);
  });
}

/** In the last step. Shorter than the time after which PostgreSQL looks for deadlocks: this gives way to writers, never they to it. */
export const LAST_LOCK_TIMEOUT_MS = 250;

/** A statement that changes a table blocks all that come after it while it waits. */
const LOCK_TIMEOUT_MS = 200;
const LOCK_PAUSE_MS = 100;
const LOCK_ATTEMPTS = 100;

/** @throws the error of the lock when others keep the table locked for too long */
export async function changeTable(client: pg.Client, sql: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await inTransaction(client, () => client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}; ${sql}`));
      return;
    } catch (error) {
      if (!isLockError(error) || attempt === LOCK_ATTEMPTS) throw error;
      await sleep(LOCK_PAUSE_MS);
    }
  }
}
