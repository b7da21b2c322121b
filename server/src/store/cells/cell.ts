import type { Store } from "../store.js";

/** A schema of PostgreSQL that has all tables. Every owner lives in one cell, with all that is theirs. */
export interface Cell {
  readonly name: string;
  /** From 0; never given out twice, and a cell that is added has a higher one than all before. */
  readonly number: number;
  readonly store: Store;
}

/** The cells as they are now, by number; at least one. One may be added while the service runs. */
export type Cells = () => readonly Cell[];

/** Keys that cell n gives out begin at n times this, so that no two cells give out the same. */
export const KEYS_PER_CELL = 2 ** 46;
/** Above it keys would reach those of the feed. */
export const MAX_CELLS = 64;
