import { newId } from "#botyard/domain/ids.js";
import type { Cell } from "#botyard/store/cells/cell.js";
import { changesFor } from "#botyard/store/cells/guests/guests.js";
import { RELAY } from "#botyard/store/store.js";
import { eventually } from "./eventually.js";

const HELD_MS = 60_000;

/**
 * Keeps all instances from following what one cell tells another.
 *
 * @returns the id of the log, and what ends that
 */
export async function holdChangesLog(
  from: Cell,
  to: Cell,
): Promise<{ log: string; release(): Promise<unknown> }> {
  const log = changesFor(to.number).id;
  const reader = newId();
  const hold = async (until: number) => await from.store.holdConsumer(log, RELAY, reader, until, Date.now());
  await eventually(
    "nobody else carries the log",
    async () => (await hold(Date.now() + HELD_MS)) === undefined,
  );
  return { log, release: () => hold(Date.now() - 1) };
}
