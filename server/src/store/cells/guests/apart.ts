import { OwnerElsewhere, type Store, StoreUnavailable } from "../../store.js";
import type { Cell } from "../cell.js";
import { isNothing } from "../is-nothing.js";
import type { Locations } from "../locations.js";
import type { Moves } from "../moves/moves.js";
import { ownerOfGuests } from "./guests.js";

/** Where a bot and a channel are that are not in one cell. */
export interface Apart {
  /** The cell of the bot. */
  home: Cell;
  /** The cell of the channel. */
  away: Cell;
}

/** Which bots are in channels of other cells. */
export interface Crossings {
  /** The cell of a bot or a channel; undefined when no cell knows it. */
  cellOf(id: string): Promise<Cell | undefined>;
  /** Undefined when they are in one cell. As far as is remembered: false when it is not. */
  knownApart(botId: string, channelId: string): Apart | undefined | false;
  /** Undefined when they are in one cell, or the bot is not in the channel. */
  findApart(botId: string, channelId: string): Promise<Apart | undefined>;
  /** The cells where the bot is in channels of other owners' cells. */
  awayOf(botId: string): Promise<{ home: Cell; away: Cell[] } | undefined>;
  /** Whose a bot or a channel is, that a cell knows. @throws StoreUnavailable when none does any more */
  ownerOf(id: string): Promise<string>;
  /** Runs something in the cell of a channel; again when nothing is found since its holder has moved to another cell. */
  inCellOf<Result>(
    apart: Apart,
    channelId: string,
    call: (store: Store) => Promise<Result>,
    isWrite?: boolean,
  ): Promise<Result>;
  /**
   * Whether a bot and a channel that were taken to be in one cell are not, since the owner of the one or of the other has moved. Asked when the bot could
   * not write there: what it may do in its own cell does not say so.
   */
  hasMoved(botId: string, channelId: string): Promise<boolean>;
  /** Whether the holder of a channel has left the cell in which it was taken to be, maybe for that of the bot. Asked by who writes. */
  hasLeft(holder: string, away: Cell): Promise<boolean>;
  /** Whether the owner of a bot has left the cell in which it was taken to be. Asked by who has not found it there. */
  hasMakerLeft(botId: string, home: Cell): Promise<boolean>;
}

/** How often a holder may be found to have moved while one call runs. */
const MOST_MOVES = 2;

export function createCrossings(locations: Locations, moves: Moves): Crossings {
  const cellOf = locations.findCellOfId;

  const knownApart: Crossings["knownApart"] = (botId, channelId) => {
    const [owner, holder] = [locations.ownerOf({ id: botId }), locations.ownerOf({ id: channelId })];
    if (owner === undefined || holder === undefined) return false;
    const [home, away] = [locations.cellOf(owner), locations.cellOf(holder)];
    if (!home || !away) return false;
    return home === away ? undefined : { home, away };
  };

  const findApart: Crossings["findApart"] = async (botId, channelId) => {
    const known = knownApart(botId, channelId);
    if (known !== false) return known;
    const home = await cellOf(botId);
    if (!home || !(await home.store.findMembership(botId, channelId))) return undefined;
    // The bot's cell knows that the channel is not there, also while the cell of the channel cannot be asked.
    const [copy] = await home.store.findCarried([{ channelId, id: channelId, authorBotId: null }]);
    if (!copy) {
      await cellOf(channelId);
      return undefined;
    }
    const holder = ownerOfGuests(copy.host);
    // A copy is in no cell of its holder: who is remembered there has moved.
    if (locations.cellOf(holder) === home) await moves.hasLeft(holder, home, false);
    const away = await locations.findCellOf(holder);
    if (!away || away === home) throw new StoreUnavailable("the channel is being deleted");
    locations.learn(channelId, holder);
    return { home, away };
  };

  const awayOf: Crossings["awayOf"] = async (botId) => {
    const home = await cellOf(botId);
    if (!home) return undefined;
    const hosts = await home.store.listHostsOf(botId);
    const away = await Promise.all(hosts.map((host) => locations.findCellOf(ownerOfGuests(host))));
    return { home, away: [...new Set(away)].filter((cell) => cell !== undefined) };
  };

  const ownerOf: Crossings["ownerOf"] = async (id) => {
    const owner = await locations.findOwnerOf({ id });
    if (owner === undefined) throw new StoreUnavailable("the bot, or the channel, is being deleted");
    return owner;
  };

  const inCellOf: Crossings["inCellOf"] = async ({ away }, channelId, call, isWrite = true) => {
    const holder = await ownerOf(channelId);
    if (isWrite) moves.refuseWhilePaused(holder);
    let cell = away;
    for (let moved = 0; moved <= MOST_MOVES; moved += 1) {
      try {
        const result = await call(cell.store);
        if (!isNothing(result) || !(await moves.hasLeft(holder, cell, isWrite))) return result;
      } catch (error) {
        if (!(error instanceof OwnerElsewhere)) throw error;
        await moves.hasLeft(holder, cell, isWrite);
      }
      const after = await locations.findCellOf(holder);
      if (!after || after === cell) break;
      cell = after;
    }
    throw new StoreUnavailable("the holder of the channel is being moved to another cell");
  };

  const hasMoved: Crossings["hasMoved"] = async (botId, channelId) => {
    const home = await cellOf(botId);
    const [maker, holder] = [locations.ownerOf({ id: botId }), locations.ownerOf({ id: channelId })];
    if (!home || maker === undefined || holder === undefined) return false;
    // The cell that was asked: another call may have found out since where the holder is.
    const hasHolderLeft = await moves.hasLeft(holder, home, true);
    if (!hasHolderLeft && locations.cellOf(holder) === home && !(await moves.hasLeft(maker, home, false)))
      return false;
    await locations.findCellOf(holder);
    return (await findApart(botId, channelId)) !== undefined;
  };

  const hasLeft: Crossings["hasLeft"] = (holder, away) => moves.hasLeft(holder, away, true);

  const hasMakerLeft: Crossings["hasMakerLeft"] = async (botId, home) => {
    const maker = locations.ownerOf({ id: botId });
    return maker !== undefined && (await moves.hasLeft(maker, home, false));
  };

  return { cellOf, knownApart, findApart, awayOf, ownerOf, inCellOf, hasMoved, hasLeft, hasMakerLeft };
}
