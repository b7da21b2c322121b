/**
 * Does something with each item, with at most `most` at once. When it fails for one, it ends when nothing is under way any more.
 *
 * @throws the first error
 */
export async function forEachAtOnce<Item>(
  items: Iterable<Item>,
  most: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items[Symbol.iterator]();
  const workOn = async (): Promise<void> => {
    for (let next = left.next(); !next.done; next = left.next()) await work(next.value);
  };
  const done = await Promise.allSettled(Array.from({ length: most }, workOn));
  for (const one of done) if (one.status === "rejected") throw one.reason;
}
