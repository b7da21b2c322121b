import type { Slice } from "../../domain/events/page.js";
import { MAX_PAGE_BYTES } from "../../domain/limits.js";

/**
 * Payload bytes of one slice; a single item may be larger. A page is read in slices so that callers take turns: a small read
 * behind a large one waits for one slice of it.
 */
const SLICE_BYTES = 64 * 1024;

/**
 * Reads a page slice by slice, up to `limit` items whose payloads are `maxBytes` at most; a single item may be larger.
 *
 * @param readSlice reads what follows the item `last`, or from the beginning; undefined when there is no such list
 */
export async function readPage<Item, Read extends Slice<Item>>(
  limit: number,
  maxBytes: number | undefined,
  readSlice: (limit: number, maxBytes: number, last: Item | undefined) => Promise<Read | undefined>,
): Promise<Read | undefined> {
  const most = maxBytes ?? MAX_PAGE_BYTES;
  const first = await readSlice(limit, Math.min(most, SLICE_BYTES), undefined);
  // Nearly all pages are one slice.
  if (!first?.isCut) return first;
  let page: Read = first;
  while (page.isCut && page.items.length < limit && page.bytes < most) {
    const room = most - page.bytes;
    const slice = await readSlice(limit - page.items.length, Math.min(room, SLICE_BYTES), page.items.at(-1));
    // Its first item does not fit any more.
    if (!slice || slice.bytes > room) break;
    page = { ...slice, items: [...page.items, ...slice.items], bytes: page.bytes + slice.bytes };
  }
  return page;
}
