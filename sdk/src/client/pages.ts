/** Most items of a page. A page may have fewer: only an empty one means the end of the list. */
export const PAGE_ITEMS = 100;

/**
 * The items of a paged list, one after the other.
 *
 * @param read reads the page after the item with this id, or the first one
 */
export async function* pages<Item extends { id: string }>(
  read: (after: string | undefined) => Promise<{ items: Item[] }>,
): AsyncGenerator<Item, void, undefined> {
  let last: string | undefined;
  do {
    const { items } = await read(last);
    yield* items;
    last = items.at(-1)?.id;
  } while (last !== undefined);
}

/**
 * The same of a list whose pages name the next one, and may have no items before the end.
 *
 * @param read reads the page at this cursor, or the first one
 */
export async function* cursorPages<Item>(
  read: (cursor: string | undefined) => Promise<{ items: Item[]; next_cursor?: string }>,
): AsyncGenerator<Item, void, undefined> {
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    yield* page.items;
    cursor = page.next_cursor;
  } while (cursor !== undefined);
}
