import { StoreUnavailable } from "../store.js";
import type { Cell, Cells } from "./cell.js";
import type { Directory } from "./directory.js";
import { isGuest } from "./guests/guests.js";
import type { RoutingKey } from "./routes.js";

/** Owners, tokens and ids of which the cell or the owner is remembered, of each; at about 150 bytes each. */
const MAX_KNOWN = 100_000;

/** How long an owner whom no cell knew is not searched for again. */
const SEARCH_AGAIN_MS = 60_000;

/** Where owners and their bots, channels and destinations are. What it remembers may be out of date: a cell says whether it is. */
export interface Locations {
  /** The owner that a key names, or whose the thing is, if it is remembered. */
  ownerOf(key: RoutingKey): string | undefined;
  /** The same, asked for if it is not remembered. @returns undefined when no cell knows the id */
  findOwnerOf(key: RoutingKey, near?: string): Promise<string | undefined>;
  /** The cell of an owner, if it is remembered. */
  cellOf(ownerUserId: string): Cell | undefined;
  /** The same, asked for if it is not remembered; undefined of an owner who has none. */
  findCellOf(ownerUserId: string): Promise<Cell | undefined>;
  /** The cell of a bot, a channel or a destination; undefined when no cell knows it. */
  findCellOfId(id: string): Promise<Cell | undefined>;
  /** The cell of an owner; one who has none gets one. */
  assignOwner(ownerUserId: string): Promise<Cell>;
  /** Remembers whose something is, which never changes. */
  learn(id: string, ownerUserId: string): void;
  /** Forgets where an owner lives. */
  forget(ownerUserId: string): void;
  /** Forgets who lives in a cell. */
  forgetAllIn(cell: Cell): void;
  /** @throws StoreUnavailable when a cell could not be opened yet, which may have what no other has */
  refuseUnlessOpen(): void;
}

/**
 * @param refresh brings the list of cells up to date
 * @param takesOwners whether a new owner may live in a cell now
 * @param refuseUnlessOpen see {@link Locations.refuseUnlessOpen}
 */
export function createLocations(
  directory: Directory,
  cells: Cells,
  refresh: () => Promise<void>,
  takesOwners: (cell: Cell) => boolean,
  refuseUnlessOpen: () => void,
): Locations {
  const owners = remember<string>();
  const homes = remember<Cell>();
  /** When owners were searched for whom the directory does not know, on the monotonic clock. */
  const searched = remember<number>();

  const cellNamed = async (name: string): Promise<Cell> => {
    const find = (): Cell | undefined => cells().find((cell) => cell.name === name);
    const known = find();
    if (known) return known;
    await refresh();
    const added = find();
    if (added) return added;
    throw new StoreUnavailable(`the owner lives in the cell ${name}, which this instance does not serve`);
  };

  const homeOf = async (ownerUserId: string, name: string | undefined): Promise<Cell | undefined> => {
    if (name === undefined) return undefined;
    const cell = await cellNamed(name);
    homes.set(ownerUserId, cell);
    return cell;
  };

  /** Asks every cell; one that cannot answer may be the one. */
  const search = async (id: string): Promise<string | undefined> => {
    const found = await Promise.allSettled(cells().map(({ store }) => store.findHolders([id])));
    for (const answer of found) {
      const owner = answer.status === "fulfilled" ? answer.value.get(id) : undefined;
      if (owner !== undefined) return owner;
    }
    const failed = found.find((answer) => answer.status === "rejected");
    if (failed) throw failed.reason;
    refuseUnlessOpen();
    return undefined;
  };

  /** A directory that was restored from a backup may not know them; whoever has nothing is nowhere. A cell that cannot answer is passed. */
  const searchOwner = async (ownerUserId: string): Promise<Cell | undefined> => {
    const searchedAt = searched.get(ownerUserId);
    if (searchedAt !== undefined && performance.now() - searchedAt < SEARCH_AGAIN_MS) return undefined;
    searched.set(ownerUserId, performance.now());
    const found = await Promise.allSettled(
      cells().map(async (cell) => ((await hasAnything(cell, ownerUserId)) ? cell : undefined)),
    );
    for (const answer of found) {
      if (answer.status === "rejected" || !answer.value) continue;
      return await homeOf(ownerUserId, await directory.noteOwner(ownerUserId, answer.value.name));
    }
    return undefined;
  };

  const findCellOf = async (ownerUserId: string): Promise<Cell | undefined> =>
    homes.get(ownerUserId) ??
    (await homeOf(ownerUserId, await directory.findOwner(ownerUserId))) ??
    (await searchOwner(ownerUserId));

  const findOwnerOf: Locations["findOwnerOf"] = async (key, near) => {
    if ("owner" in key) return key.owner;
    const { id } = key;
    const known = owners.get(id);
    if (known !== undefined) return known;
    const nearby = near === undefined ? undefined : await findCellOf(near);
    const owner = (nearby && (await nearby.store.findHolders([id])).get(id)) ?? (await search(id));
    if (owner !== undefined) owners.set(id, owner);
    return owner;
  };

  return {
    ownerOf: (key) => ("owner" in key ? key.owner : owners.get(key.id)),
    findOwnerOf,
    cellOf: homes.get,
    findCellOf,
    async findCellOfId(id) {
      const owner = await findOwnerOf({ id });
      return owner === undefined ? undefined : await findCellOf(owner);
    },
    async assignOwner(ownerUserId) {
      const served = cells()
        .filter(takesOwners)
        .map(({ name }) => name);
      const known = await findCellOf(ownerUserId);
      const cell =
        known ?? (await homeOf(ownerUserId, await directory.assignOwner(ownerUserId, served, Date.now())));
      if (!cell) throw new StoreUnavailable("no cell that this instance serves takes new owners");
      return cell;
    },
    learn(id, ownerUserId) {
      // What stands here for something of another cell is not at home here.
      if (!isGuest(ownerUserId)) owners.set(id, ownerUserId);
    },
    forget: homes.delete,
    forgetAllIn(cell) {
      homes.deleteWhere((home) => home === cell);
    },
    refuseUnlessOpen,
  };
}

/** Whether an owner has bots or channels in a cell. */
export async function hasAnything({ store }: Cell, ownerUserId: string): Promise<boolean> {
  const [bot] = await store.listBots(ownerUserId, { limit: 1 });
  const [channel] = bot ? [bot] : await store.listChannels(ownerUserId, 1);
  return channel !== undefined;
}

/** A map of limited size: the older half is forgotten when it is full. */
export function remember<Value>() {
  let newer = new Map<string, Value>();
  let older = new Map<string, Value>();
  const set = (key: string, value: Value): void => {
    newer.set(key, value);
    if (newer.size < MAX_KNOWN / 2) return;
    older = newer;
    newer = new Map();
  };
  return {
    get(key: string): Value | undefined {
      const value = newer.get(key);
      if (value !== undefined) return value;
      const old = older.get(key);
      if (old !== undefined) set(key, old);
      return old;
    },
    set,
    delete(key: string): void {
      newer.delete(key);
      older.delete(key);
    },
    deleteWhere(isOut: (value: Value) => boolean): void {
      for (const map of [newer, older]) for (const [key, value] of map) if (isOut(value)) map.delete(key);
    },
  };
}
