import { type AskCells, fromAll, shareOf } from "../ask-cells.js";
import type { Cell } from "../cell.js";

/** A cell whose items were all used is read again, for this many times what it has given. */
const GROWTH = 4;

/** What one cell returns of a list. */
export interface CellPage<Item, Key> {
  items: readonly Item[];
  /** Up to where the cell has looked, when it may have more. */
  next?: Key | undefined;
}

/** A list that is in the same order in every cell. */
export interface MergedList<Item, Key> {
  keyOf(item: Item): Key;
  /** By which the items are in order: negative when `a` comes first. */
  compare(a: Key, b: Key): number;
  /** Reads on behind `after`; from the beginning of the page when it is undefined. */
  read(cell: Cell, limit: number, after: Key | undefined): Promise<CellPage<Item, Key>>;
}

interface Source<Item, Key> {
  cell: Cell;
  items: Item[];
  /** How many items it has given in all. */
  given: number;
  next: Key | undefined;
  /** Its last read found fewer items than it asked for, although there is more: the next page goes on there. */
  isTiring: boolean;
}

/**
 * A page of a list from all cells, as one store that has everything would return it. First an even share is read from each cell, and then more
 * from those whose items are all on the page, so that a page costs a few times its items and not that for each cell.
 *
 * @throws StoreUnavailable when a cell is unavailable: the page would lack items that the next one does not have either
 */
export async function mergeCells<Item, Key>(
  ask: AskCells,
  cells: readonly Cell[],
  { keyOf, compare, read }: MergedList<Item, Key>,
  limit: number,
): Promise<CellPage<Item, Key>> {
  const sources = cells.map(
    (cell): Source<Item, Key> => ({
      cell,
      items: [],
      given: 0,
      next: undefined,
      isTiring: false,
    }),
  );
  const readOn = async (
    some: readonly Source<Item, Key>[],
    sizeOf: (source: Source<Item, Key>) => number,
  ) => {
    const byCell = new Map(some.map((source) => [source.cell, source]));
    const call = async (cell: Cell): Promise<void> => {
      const source = byCell.get(cell) as Source<Item, Key>;
      const size = sizeOf(source);
      const { items, next } = await read(cell, size, source.next);
      source.items.push(...items);
      source.given += items.length;
      source.next = next;
      source.isTiring = next !== undefined && items.length < size;
    };
    fromAll(await ask([...byCell.keys()], call));
  };

  await readOn(sources, () => shareOf(limit, cells.length));
  const page: Item[] = [];
  while (page.length < limit) {
    const first = leastOf(sources, (source) => source.items[0] && keyOf(source.items[0]), compare);
    const horizon = leastOf(sources, ({ items, next }) => (items.length === 0 ? next : undefined), compare);
    // What follows in a cell that has to be read on may come before all others.
    const isClear = first && (!horizon || compare(first.key, horizon.key) <= 0);
    if (isClear) page.push(first.source.items.shift() as Item);
    else if (!horizon || horizon.source.isTiring) return { items: page, next: horizon?.key };
    else {
      const room = limit - page.length;
      await readOn([horizon.source], ({ given }) => Math.min(room, given * GROWTH));
    }
  }
  return { items: page, next: page.length > 0 ? keyOf(page.at(-1) as Item) : undefined };
}

/** The source with the first key; undefined when none has one. */
function leastOf<Item, Key>(
  sources: readonly Source<Item, Key>[],
  keyIn: (source: Source<Item, Key>) => Key | undefined,
  compare: (a: Key, b: Key) => number,
): { source: Source<Item, Key>; key: Key } | undefined {
  let least: { source: Source<Item, Key>; key: Key } | undefined;
  for (const source of sources) {
    const key = keyIn(source);
    if (key !== undefined && (!least || compare(key, least.key) < 0)) least = { source, key };
  }
  return least;
}

/** Of a list whose cells look at no more rows than they return: there may be more when the page is full. */
export function pageOf<Item>(items: readonly Item[], limit: number): CellPage<Item, Item> {
  return { items, next: items.length === limit ? items.at(-1) : undefined };
}

/** By bytes, as engines compare texts. */
export function compareTexts(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
