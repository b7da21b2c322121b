import type { Slice } from "../../../domain/events/page.js";
import type { StateSlice } from "../verbs.js";

/**
 * What the lists of one batch may read together before the others wait for the next batch: about 10 ms of the thread. A
 * hundred pages of the largest posts in one batch delayed all other calls by a second.
 */
const BATCH_ROWS = 2_000;
const BATCH_BYTES = 256 * 1024;
/** A call that finds nothing still costs a look-up. */
const ROWS_PER_CALL = 1;
/** A row that is read and not returned costs a tenth of one that is. */
const LOOKED_AT_SHARE = 0.1;

/** What is left for the lists of one batch. */
export interface ReadBudget {
  readonly isSpent: boolean;
  /** Counts what a list returned. */
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
