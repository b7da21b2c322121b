import { StoreDamaged, StoreUnavailable } from "../store.js";
import type { Cell } from "./cell.js";

/** A cell that takes longer counts as unavailable: what spans cells is not held up by one of them. */
const ANSWER_BOUND_MS = 2_000;
/** How long a cell that did not answer in time is left alone, before one call tries it again. */
const REST_MS = 5_000;

/** Read from each cell beyond its even share, so that cells with a little more need no second read. */
const SPARE_ITEMS = 2;

export interface Asked<Value> {
  answered: { cell: Cell; value: Value }[];
  /** The cells that are unavailable. */
  away: Pick<Cell, "name" | "number">[];
  /** What the first of those said. */
  cause?: Error;
}

/** Calls several cells side by side. What is no outage of a cell is thrown. */
export type AskCells = <Value>(
  cells: readonly Cell[],
  call: (cell: Cell) => Promise<Value>,
) => Promise<Asked<Value>>;

/** @returns for one instance, which remembers the cells that hang, so that only the first calls wait for them */
export function createAskCells(boundMs = ANSWER_BOUND_MS, restMs = REST_MS): AskCells {
  /** When a cell that hangs is tried again, by number, on the monotonic clock. */
  const triedAgainAt = new Map<number, number>();

  const askOne = async <Value>(cell: Cell, call: (cell: Cell) => Promise<Value>): Promise<Value> => {
    const againAt = triedAgainAt.get(cell.number);
    if (againAt !== undefined) {
      if (performance.now() < againAt) throw new StoreUnavailable(`cell ${cell.name} does not answer`);
      triedAgainAt.set(cell.number, performance.now() + restMs);
    }
    const answer = call(cell);
    const settled = () => triedAgainAt.delete(cell.number);
    answer.then(settled, settled);
    let timer: NodeJS.Timeout | undefined;
    const bound = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        triedAgainAt.set(cell.number, performance.now() + restMs);
        reject(new StoreUnavailable(`cell ${cell.name} did not answer within ${boundMs} ms`));
      }, boundMs);
    });
    try {
      return await Promise.race([answer, bound]);
    } finally {
      clearTimeout(timer);
    }
  };

  return async (cells, call) => {
    const results = await Promise.allSettled(cells.map((cell) => askOne(cell, call)));
    const asked: Asked<Awaited<ReturnType<typeof call>>> = { answered: [], away: [] };
    for (const [index, result] of results.entries()) {
      const cell = cells[index] as Cell;
      if (result.status === "fulfilled") asked.answered.push({ cell, value: result.value });
      else if (isOutage(result.reason)) {
        asked.away.push(cell);
        asked.cause ??= result.reason;
      } else throw result.reason;
    }
    return asked;
  };
}

/**
 * For what concerns all cells: those that this process could not open yet are unavailable as well.
 *
 * @param unopened by now
 */
export function withUnopened(ask: AskCells, unopened: () => Asked<unknown>["away"]): AskCells {
  return async (cells, call) => {
    const asked = await ask(cells, call);
    return { ...asked, away: [...asked.away, ...unopened()] };
  };
}

/** How much the first read for a page asks of each of some cells. */
export function shareOf(limit: number, cells: number): number {
  return Math.min(limit, Math.ceil(limit / cells) + SPARE_ITEMS);
}

/** @throws StoreUnavailable unless every cell has answered */
export function fromAll<Value>(asked: Asked<Value>): Value[] {
  if (asked.away.length > 0) throw unavailable(asked);
  return asked.answered.map(({ value }) => value);
}

/** @throws StoreUnavailable unless some cell has answered */
export function fromSome<Value>(asked: Asked<Value>): Value[] {
  if (asked.answered.length === 0) throw unavailable(asked);
  return asked.answered.map(({ value }) => value);
}

/** The error that names the cells. */
export function unavailable({ away, cause }: Pick<Asked<unknown>, "away" | "cause">): StoreUnavailable {
  const names = away.map(({ name }) => name).join(", ");
  return new StoreUnavailable(`unavailable cells: ${names}`, { cause });
}

function isOutage(error: unknown): error is Error {
  return error instanceof StoreUnavailable || error instanceof StoreDamaged;
}
