import { setTimeout as sleep } from "node:timers/promises";
import type { SharedDatabase } from "./config.js";
import { BOT_ATTACHED } from "./domain/events/event.js";
import { forEachAtOnce } from "./domain/for-each-at-once.js";
import { newId } from "./domain/ids.js";
import type { Cell } from "./store/cells/cell.js";
import type { CellEntry } from "./store/cells/directory.js";
import { cellOfLog, isChanges, isGuest, outboxFor, ownerOfGuests } from "./store/cells/guests/guests.js";
import {
  attachOutbox,
  makeChangesLog,
  makeGuest,
  makeLogs,
  removeLog,
  showChannel,
} from "./store/cells/guests/introduce.js";
import { createSettling } from "./store/cells/guests/settling.js";
import { addressOf } from "./store/postgres/directory/cell-tables.js";
import {
  type Guest,
  type GuestsOfMove,
  holderMoves,
  MoveRefused,
  type OthersChannel,
} from "./store/postgres/move/move-owner.js";
import { openPostgresStore } from "./store/postgres/open.js";
import { OwnerMoving, StoreUnavailable } from "./store/store.js";

const CONNECTIONS = 2;
const CHANNELS_AT_ONCE = 4;

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

  const cellNamed = (name: string): Promise<Cell> => cell(entryOf((one) => one.name === name));

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
    const apart = { home: await cell(entry), away: await cellNamed(move.to) };
    await makeLogs(apart);
    if (cellOfLog(ownerUserId) !== undefined) return;
    await makeGuest(apart, { botId, ownerUserId: makerOf(ownerUserId) });
    // Bots of the owner are guests where they come from, afterwards.
    if (entry.name === move.from) await makeChangesLog(apart.away, apart.home.number);
  };

  /** Of channels of others that bots of the owner hear. */
  const holders = new Set<Cell>();
  // Services carry it, which find out by themselves.
  const settle = createSettling(
    () => {},
    (number) => entries.some((entry) => entry.number === number),
  );

  /** @returns the cell where the channel is, unless it was deleted */
  const hearOne = async (to: Cell, { channelId, ownerUserId }: OthersChannel): Promise<Cell | undefined> => {
    const holder = makerOf(ownerUserId);
    const name = isGuest(ownerUserId) ? await findOwner(holder) : move.from;
    if (name === undefined) return undefined;
    const away = await cell(entryOf((one) => one.name === name));
    if (away === to) return away;
    const apart = { home: to, away };
    const channel = await away.store.findChannel({ ownerUserId: holder, channelId });
    if (!channel) return undefined;
    const itsMove = await away.store.readOwnerMove(holder);
    if (itsMove && itsMove.state !== "left") throw holderMoves(holder);
    if (!holders.has(away)) await makeLogs(apart);
    await showChannel(apart, channel);
    const payload = JSON.stringify({ channel_id: channelId });
    const event = { id: newId(), eventType: BOT_ATTACHED, payload, createdAt: Date.now() };
    await attachOutbox(apart, holder, channelId, event);
    return away;
  };

  /** @throws MoveRefused when a cell cannot be used */
  const orRefuse = async (what: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (cause) {
      if (!(cause instanceof StoreUnavailable || cause instanceof OwnerMoving)) throw cause;
      throw new MoveRefused(`${what}: ${cause.message}`, { cause });
    }
  };

  return {
    async introduce(guests) {
      await orRefuse("the cell of a bot in a channel of the owner cannot be used now", async () => {
        for (const guest of guests) await introduceOne(guest);
      });
    },

    async hear(channels) {
      if (channels.length === 0) return;
      await orRefuse("the cell of a channel in which a bot of the owner is cannot be used now", async () => {
        const to = await cellNamed(move.to);
        await forEachAtOnce(channels, CHANNELS_AT_ONCE, async (channel) => {
          const away = await hearOne(to, channel);
          if (away) holders.add(away);
        });
      });
    },

    async settle(which, withinMs) {
      const to = await cellNamed(move[which]);
      const log = [outboxFor(to.number).id];
      const settling = [...holders].filter((away) => away !== to).map((away) => settle(away, log));
      const hasSettled = Promise.all(settling).then(
        () => true,
        (error: unknown) => {
          if (error instanceof StoreUnavailable) return false;
          throw error;
        },
      );
      return await Promise.race([hasSettled, sleep(withinMs, false, { ref: false })]);
    },

    async comeHome() {
      const from = await cellNamed(move.from);
      const to = await cellNamed(move.to);
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
