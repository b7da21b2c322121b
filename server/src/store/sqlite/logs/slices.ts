import type { Slice } from "../../../domain/events/page.js";
import type { Database, Statement, Value } from "../binding.js";

/** A list of rows with payloads `p.payload`, read as far as they fit. */
export interface SliceReader {
  /** The parameters of the statement, the last of which is the most rows that are wanted. */
  (maxBytes: number, ...parameters: [...Value[], limit: number]): Slice<unknown>;
}

/**
 * Reads the lengths first, for which SQLite need not read the payloads, and then only the rows that fit. Converting
 * text to a string costs most (0.1 ms for a large post), and to find the end of a slice one more row would have to be
 * read.
 *
 * @param columns what is selected
 * @param rows what follows it, down to `LIMIT +?`
 * @param payload the payload
 */
export function sliceReader(db: Database, columns: string, rows: string, payload = "p.payload"): SliceReader {
  const selectSizes = db.prepare(`SELECT octet_length(${payload}) AS size ${rows}`);
  const selectRows = db.prepare(`SELECT ${columns} ${rows}`);
  return (maxBytes, ...parameters) => readFitting(selectSizes, selectRows, maxBytes, parameters);
}

function readFitting(
  selectSizes: Statement,
  selectRows: Statement,
  maxBytes: number,
  parameters: Value[],
): Slice<unknown> {
  const sizes = selectSizes.all(...parameters) as { size: number }[];
  let bytes = 0;
  let count = 0;
  for (const { size } of sizes) {
    if (count > 0 && bytes + size > maxBytes) break;
    bytes += size;
    count += 1;
  }
  if (count === 0) return { items: [], bytes, isCut: false };
  const items = selectRows.all(...parameters.slice(0, -1), count);
  return { items, bytes, isCut: count < sizes.length };
}
