import type { SharedDatabase } from "./config.js";
import type { Cell } from "./store/cells/cell.js";
import type { CellEntry } from "./store/cells/directory.js";
import { cellOfLog, isGuest, ownerOfGuests } from "./store/cells/guests/guests.js";
import { makeGuest, makeLogs } from "./store/cells/guests/introduce.js";
import { addressOf } from "./store/postgres/directory/cell-tables.js";
import { tellOfMove } from "./store/postgres/directory/check-guests.js";
import { type Guest, type IntroduceGuests, MoveRefused } from "./store/postgres/move/move-owner.js";
import { openPostgresStore } from "./store/postgres/open.js";
import { StoreUnavailable } from "./store/store.js";

const CONNECTIONS = 2;

/** A bot that lives in the cell that is left is no guest there. */
const makerOf = (owner: string): string => (isGuest(owner) ? ownerOfGuests(owner) : owner);

/** Bots of others in the channels of an owner who moves. */
export interface GuestsOfMove {
  introduce: IntroduceGuests;
  /** Has both cells look at them once more, whether or not the owner has moved: they may be in no channel there, or be otherwise by now. Running services do it. */
  lookAgain(holder: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param findOwner the name of an owner's cell
 * @param move the names of both cells
 */
export function guestsOfMove(
  database: SharedDatabase,
  entries: readonly CellEntry[],
  findOwner: (ownerUserId: string) => Promise<string | undefined>,
  move: { from: string; to: string },
): GuestsOfMove {
  const opened = new Map<string, Promise<Cell>>();
  /** By where they live, with their owners there. */
  const introduced = new Map<CellEntry, { ownerUserId: string; botId: string }[]>();

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
    const bot = { botId, ownerUserId: makerOf(ownerUserId) };
    await makeGuest(apart, bot);
    introduced.set(entry, [...(introduced.get(entry) ?? []), bot]);
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

    async lookAgain(holder) {
      for (const [home, bots] of introduced)
        for (const { name, number } of entries)
          if (name !== home.name && (name === move.from || name === move.to))
            await tellOfMove(addressOf(database, home), number, bots, holder);
    },

    async close() {
      const cells = await Promise.allSettled(opened.values());
      for (const one of cells) if (one.status === "fulfilled") await one.value.store.close();
    },
  };
}
