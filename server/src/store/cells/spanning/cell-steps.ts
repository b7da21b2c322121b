import { FIRST_FEED_KEY } from "../../store.js";
import { type Cell, KEYS_PER_CELL } from "../cell.js";

/** Where keys of the feed's logs are put among those of a cell's bots, of which there are never so many. */
const FEED_ZONE = KEYS_PER_CELL / 2;

/** A walk over the keys of one cell after the other, by steps: where it is, as one number. */
interface Position {
  /** The number of the cell. */
  cell: number;
  /** The key after which the next step begins; 0 begins with the cell. */
  key: number;
}

/**
 * Does the next step of a walk over all cells.
 *
 * @param from where the step before ended, 0 for the first
 * @param step does a step in one cell, after a key or from the beginning, 0
 * @returns what the step returned, with the position where the next one begins; undefined when there is no cell left
 */
export async function stepThroughCells<Step extends { next?: number | undefined }>(
  cells: readonly Cell[],
  from: number,
  step: (cell: Cell, key: number) => Promise<Step>,
): Promise<Step | undefined> {
  const position = positionOf(from);
  const index = cells.findIndex(({ number }) => number >= position.cell);
  const cell = cells[index];
  if (!cell) return undefined;
  const done = await step(cell, cell.number === position.cell ? position.key : 0);
  const following = cells[index + 1];
  const { next: key, ...rest } = done;
  const next =
    key !== undefined
      ? numberOf({ cell: cell.number, key })
      : following && numberOf({ cell: following.number, key: 0 });
  return { ...rest, ...(next !== undefined && { next }) } as Step;
}

function numberOf({ cell, key }: Position): number {
  const begin = cell * KEYS_PER_CELL;
  if (key === 0) return begin;
  if (key >= FIRST_FEED_KEY) return begin + FEED_ZONE + (key - FIRST_FEED_KEY);
  return key + 1;
}

function positionOf(number: number): Position {
  const cell = Math.floor(number / KEYS_PER_CELL);
  const rest = number % KEYS_PER_CELL;
  if (rest === 0) return { cell, key: 0 };
  return { cell, key: rest >= FEED_ZONE ? FIRST_FEED_KEY + rest - FEED_ZONE : number - 1 };
}
