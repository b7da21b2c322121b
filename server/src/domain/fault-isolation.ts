/**
 * A batch in the parts in which it is to be run: all of it first; of a part that failed its two halves, and so on until what
 * is at fault stands alone. One bad item among n fails alone, after 2 log2 n runs more.
 *
 * How a part is run, and after which errors there is no use in splitting it, is left to the loop, so that it may wait for
 * each part or not:
 *
 *     const parts = partsOf(batch);
 *     for (const part of parts) {
 *       try {
 *         await run(part);
 *       } catch (error) {
 *         if (isTransient(error) || !parts.split()) refuse(part, error);
 *       }
 *     }
 */
export interface Parts<Item> extends Iterable<readonly Item[]> {
  /**
   * To be called when the part given last has failed: its halves come next.
   *
   * @returns false when it is a single item, which cannot be split
   */
  split(): boolean;
}

/**
 * Not a generator: with one in each batch of posts, what the batch held was promoted to V8's old generation, and a post cost a
 * fifth more processor time.
 */
export function partsOf<Item>(batch: readonly Item[]): Parts<Item> {
  /** What comes after `next`, the first of it last. */
  const waiting: (readonly Item[])[] = [];
  let next = batch.length > 0 ? batch : undefined;
  let current = batch;
  const parts: Parts<Item> & Iterator<readonly Item[]> = {
    [Symbol.iterator]: () => parts,
    next() {
      if (!next) return { done: true, value: undefined };
      current = next;
      next = waiting.pop();
      return { done: false, value: current };
    },
    split() {
      if (current.length < 2) return false;
      const middle = current.length >> 1;
      if (next) waiting.push(next);
      waiting.push(current.slice(middle));
      next = current.slice(0, middle);
      return true;
    },
  };
  return parts;
}
