/** Most items the service gives at once. It may give fewer: only an empty page is behind the last item. */
export const PAGE_ITEMS = 100;

/**
 * The items of a list that comes in pages, one after the other.
 *
 * @param read one page: what comes after the item with this id, or from the start
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
