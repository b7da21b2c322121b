import type { SharedDatabase } from "./config.js";
import type { Cell } from "./store/cells/cell.js";
import type { CellEntry } from "./store/cells/directory.js";
import { cellOfLog, isChanges, isGuest, ownerOfGuests } from "./store/cells/guests/guests.js";
import {
  forgetGuest,
  guestsOf,
  makeChangesLog,
  makeGuest,
  makeLogs,
  removeLog,
} from "./store/cells/guests/introduce.js";
import { addressOf } from "./store/postgres/directory/cell-tables.js";
import { type Guest, type GuestsOfMove, MoveRefused } from "./store/postgres/move/move-owner.js";
import { openPostgresStore } from "./store/postgres/open.js";
import { StoreUnavailable } from "./store/store.js";

const CONNECTIONS = 2;

/** A bot that lives in the cell that is left is no guest there. */
const makerOf = (owner: string): string => (isGuest(owner) ? ownerOfGuests(owner) : owner);

/**
 * Opens the cells that a move has to do with besides, as it needs them.
 *
 * @param entries the cells as they were before the move
 * @param listCells those that there are now
 * @param findOwner the name of an owner's cell
 * @param move the names of both cells
 */
export function guestsOfMove(
  database: SharedDatabase,
  entries: readonly CellEntry[],
  listCells: () => Promise<readonly CellEntry[]>,
  findOwner: (ownerUserId: string) => Promise<string | undefined>,
  move: { from: string; to: string },
): GuestsOfMove & { close(): Promise<void> } {
  const opened = new Map<string, Promise<Cell>>();

  const open = async (entry: CellEntry): Promise<Cell> => {
    const { name, number } = entry;
    const address = { ...addressOf(database, entry), cell: name };
    const store = await openPostgresStore({ ...address, poolSize: CONNECTIONS, onConnectionError: () => {} });
    return { name, number, store };
  };
  const cell = async (entry: CellEntry): Promise<Cell> => {
    const known = opened.get(entry.name) ?? open(entry);
    opened.set(entry.name, known);
    return await known.catch((error: unknown) => {
      opened.delete(entry.name);
      throw error;
    });
  };
  const entryOf = (is: (entry: CellEntry) => boolean): CellEntry => {
    const found = entries.find(is);
    if (!found) throw new MoveRefused("the cell of a bot in a channel of the owner was removed");
    return found;
  };

  /** The cell of a guest, or for which a log is. */
  const homeOf = async ({ ownerUserId }: Guest): Promise<CellEntry> => {
    const number = cellOfLog(ownerUserId);
    if (number !== undefined) return entryOf((one) => one.number === number);
    const name = await findOwner(makerOf(ownerUserId));
    return entryOf((one) => one.name === name);
  };

  const introduceOne = async (guest: Guest): Promise<void> => {
    const { botId, ownerUserId } = guest;
    const entry = await homeOf(guest);
    const apart = { home: await cell(entry), away: await cell(entryOf(({ name }) => name === move.to)) };
    await makeLogs(apart);
    if (cellOfLog(ownerUserId) !== undefined) return;
    await makeGuest(apart, { botId, ownerUserId: makerOf(ownerUserId) });
  };

  return {
    async introduce(guests) {
      try {
        for (const guest of guests) await introduceOne(guest);
      } catch (cause) {
        if (!(cause instanceof StoreUnavailable)) throw cause;
        const why = `the cell of a bot in a channel of the owner cannot be used now: ${cause.message}`;
        throw new MoveRefused(why, { cause });
      }
    },

    async comeHome(ownerUserId) {
      const from = await cell(entryOf(({ name }) => name === move.from));
      const to = await cell(entryOf(({ name }) => name === move.to));
      for await (const guest of guestsOf(to.store, ownerUserId)) await forgetGuest(to.store, guest);
      const logs = await from.store.listOutboxes();
      // Read after them: a cell that is not among these was removed, and nobody hears of it there any more.
      const numbers = new Set((await listCells()).map(({ number }) => number));
      for (const { botId, ownerUserId: log } of logs) {
        const number = cellOfLog(log) as number;
        if (!numbers.has(number)) await removeLog(from.store, { botId, ownerUserId: log });
        else if (isChanges(log) && number !== to.number) await makeChangesLog(to, number);
      }
    },

    async close() {
      const cells = await Promise.allSettled(opened.values());
      for (const one of cells) if (one.status === "fulfilled") await one.value.store.close();
    },
  };
}
