/** A piece of a page, as it is read in one go. */
export interface Slice<Item> {
  items: Item[];
  /** Payload bytes of the items. */
  bytes: number;
  /** Whether it ended before the end of what was asked for; the rest is to be read in further slices. */
  isCut: boolean;
}

/**
 * Takes rows as long as their payloads fit into `maxBytes`, and the first one always. It pulls one row more than it takes
 * at most, so that a row beyond is never made.
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
