import type { Slice } from "../../domain/page.js";
import type { StateSlice } from "./verbs.js";

/**
 * What the lists of one batch may read together before the rest of them waits for the next one: about 10 ms of the
 * thread, whatever is asked for. A hundred pages of the largest posts in one batch held up everybody else for a second.
 */
const BATCH_ROWS = 2_000;
const BATCH_BYTES = 256 * 1024;
/** A call that finds nothing has still been looked for. */
const ROWS_PER_CALL = 1;
/** Rows that are looked at and not taken cost a tenth of those that are. */
const LOOKED_AT_SHARE = 0.1;

/** What is left for the lists of one batch. */
export interface ReadBudget {
  readonly isSpent: boolean;
  /** Counts what a list gave. */
  spend(list: unknown): void;
}

export function readBudget(): ReadBudget {
  let rows = BATCH_ROWS;
  let bytes = BATCH_BYTES;
  return {
    get isSpent() {
      return rows <= 0 || bytes <= 0;
    },
    spend(list) {
      rows -= ROWS_PER_CALL + rowsOf(list);
      bytes -= (list as Partial<Slice<unknown>> | undefined)?.bytes ?? 0;
    },
  };
}

function rowsOf(list: unknown): number {
  if (Array.isArray(list)) return list.length;
  const { items, rowsRead = 0 } = (list ?? {}) as Partial<StateSlice>;
  return (items?.length ?? 0) + rowsRead * LOOKED_AT_SHARE;
}
