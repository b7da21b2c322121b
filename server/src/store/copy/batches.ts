import type { CopyDatabase } from "./database.js";
import { type Key, keyOf, type Row, type Table } from "./table.js";

/** All rows of a table in the order of their keys, never more in memory than a batch. */
export async function* batchesOf(database: CopyDatabase, table: Table): AsyncGenerator<Row[]> {
  let lastKey: Key | undefined;
  for (;;) {
    const rows = await database.read(table, lastKey, table.batchRows);
    const last = rows.at(-1);
    if (!last) return;
    lastKey = keyOf(table, last);
    yield rows;
  }
}
