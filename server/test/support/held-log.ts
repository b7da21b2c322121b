import { newId } from "#botyard/domain/ids.js";
import type { Cell } from "#botyard/store/cells/cell.js";
import { changesFor, outboxFor } from "#botyard/store/cells/guests/guests.js";
import { RELAY } from "#botyard/store/store.js";
import { eventually } from "./eventually.js";

const HELD_MS = 60_000;

export interface HeldLog {
  /** Its id. */
  log: string;
  release(): Promise<unknown>;
}

/** Keeps all instances from following what one cell tells another. */
export const holdChangesLog = async (from: Cell, to: Cell): Promise<HeldLog> =>
  await holdLog(from, changesFor(to.number).id);

/** Keeps all instances from carrying what happens in channels of one cell to bots of another. */
export const holdOutbox = async (from: Cell, to: Cell): Promise<HeldLog> =>
  await holdLog(from, outboxFor(to.number).id);

async function holdLog(from: Cell, log: string): Promise<HeldLog> {
  const reader = newId();
  const hold = async (until: number) => await from.store.holdConsumer(log, RELAY, reader, until, Date.now());
  await eventually(
    "nobody else carries the log",
    async () => (await hold(Date.now() + HELD_MS)) === undefined,
  );
  return { log, release: () => hold(Date.now() - 1) };
}
