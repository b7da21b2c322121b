/** A part of a page, read at once. */
export interface Slice<Item> {
  items: Item[];
  /** Payload bytes of the items. */
  bytes: number;
  /** Whether rows were left out; they are to be read in further slices. */
  isCut: boolean;
}

/**
 * Takes rows as long as their payloads fit into `maxBytes`, and always the first one. It reads at most one row more than it
 * takes, so that further rows are never created.
 *
 * @param takenBefore whether the slice has items already, so that the first one must fit as well
 */
export function sliceOf<Row extends { payload: string }>(
  rows: Iterable<Row>,
  maxBytes: number,
  takenBefore = false,
): Slice<Row> {
  const items: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    const size = Buffer.byteLength(row.payload);
    if (bytes + size > maxBytes && (takenBefore || items.length > 0)) return { items, bytes, isCut: true };
    items.push(row);
    bytes += size;
  }
  return { items, bytes, isCut: false };
}
