import type { ListedPage, LookedThrough, Store } from "../../store.js";
import { type AskCells, fromAll } from "../ask-cells.js";
import type { Cells } from "../cell.js";
import { compareTexts, type MergedList, mergeCells, pageOf } from "./merged-list.js";

type ListVerb =
  | "listListedBots"
  | "listReviews"
  | "listOwners"
  | "listUsage"
  | "listAudit"
  | "listSealedSecrets"
  | "listUserChannels";

/**
 * Lists of what is in all cells, in the order and with the pages of one store. A page is read from all cells side by side.
 *
 * While a cell is unavailable they throw StoreUnavailable, which names it: a list without its part would look complete. Only `listUserChannels`
 * returns what the others have, since an erasure goes on with those: see `eraseUser`.
 *
 * Owners are merged by the bytes of their ids, which is how SQLite compares them, and PostgreSQL in a database with the collation `C`.
 */
export function spanningLists(cells: Cells, ask: AskCells): Pick<Store, ListVerb> {
  const plain = async <Item extends Key, Key>(
    limit: number,
    after: Key | undefined,
    compare: (a: Key, b: Key) => number,
    read: (store: Store, limit: number, after: Key | undefined) => Promise<readonly Item[]>,
  ): Promise<Item[]> => {
    const readPage: MergedList<Item, Key>["read"] = async ({ store }, size, from = after) =>
      pageOf(await read(store, size, from), size);
    const list = { keyOf: (item: Item): Key => item, compare, read: readPage };
    return [...(await mergeCells(ask, cells(), list, limit)).items];
  };

  /** By creation: ids of bots are in that order. */
  const listedBots = async <Item extends { id: string }>(
    listed: ListedPage,
    read: (store: Store, page: ListedPage) => Promise<LookedThrough<Item>>,
  ): Promise<LookedThrough<Item>> => {
    const list: MergedList<Item, string> = {
      keyOf: ({ id }) => id,
      compare: compareTexts,
      read: ({ store }, limit, after = listed.after) => read(store, { ...listed, limit, after }),
    };
    const { items, next } = await mergeCells(ask, cells(), list, listed.limit);
    return { items: [...items], next };
  };

  return {
    listListedBots: (viewer, rule, page) =>
      listedBots(page, (store, own) => store.listListedBots(viewer, rule, own)),

    listReviews: (state, page) => listedBots(page, (store, own) => store.listReviews(state, own)),

    listOwners: (limit, after) =>
      plain(
        limit,
        after === undefined ? undefined : { ownerUserId: after },
        (a, b) => compareTexts(a.ownerUserId, b.ownerUserId),
        (store, size, from) => store.listOwners(size, from?.ownerUserId),
      ),

    listUsage: (days, limit, after) =>
      plain(
        limit,
        after,
        (a, b) => a.day - b.day || compareTexts(a.ownerUserId, b.ownerUserId),
        (store, size, from) => store.listUsage(days, size, from),
      ),

    /** Of one owner too: what was changed for them in another owner's cell is listed there. */
    listAudit: (ownerUserId, filter, limit) =>
      plain(
        limit,
        filter.before === undefined ? undefined : { id: filter.before },
        (a, b) => compareTexts(b.id, a.id),
        (store, size, before) => store.listAudit(ownerUserId, { ...filter, before: before?.id }, size),
      ),

    listSealedSecrets: (after, limit) =>
      plain(
        limit,
        after === undefined ? undefined : { destinationId: after },
        (a, b) => compareTexts(a.destinationId, b.destinationId),
        (store, size, from) => store.listSealedSecrets(from?.destinationId, size),
      ),

    /** Has no pages, so each cell is asked for all of it. */
    async listUserChannels(userId, limit) {
      const { answered } = await ask(cells(), ({ store }) => store.listUserChannels(userId, limit));
      return answered
        .flatMap(({ value }) => value)
        .toSorted((a, b) => compareTexts(a.channelId, b.channelId))
        .slice(0, limit);
    },
  };
}

/** @returns what the first cell that knows it says of something that is in one cell, it is not known in which */
export async function findAnywhere<Found>(
  cells: Cells,
  ask: AskCells,
  find: (store: Store) => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const asked = await ask(cells(), ({ store }) => find(store));
  const found = asked.answered.find(({ value }) => value !== undefined);
  // It may be in the cell that is unavailable.
  return found ? found.value : fromAll(asked)[0];
}
