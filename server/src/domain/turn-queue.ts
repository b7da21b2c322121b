/**
 * Waiting calls, taken round-robin by key: a single call waits for at most one call of each other key, however many
 * calls those have. Within a key, calls that continue another one come first. Otherwise a hundred pages that are read
 * slice by slice would all be in progress, and end, at the same time.
 */
export class TurnQueue<Item> {
  readonly #keyOf: (item: Item) => string;
  /** In the order of their turns. */
  #queues = new Map<string, Item[]>();
  #length = 0;

  readonly #goesOn: (item: Item) => boolean;

  constructor(keyOf: (item: Item) => string, goesOn: (item: Item) => boolean = () => false) {
    this.#keyOf = keyOf;
    this.#goesOn = goesOn;
  }

  get length(): number {
    return this.#length;
  }

  push(item: Item): void {
    this.#length += 1;
    const key = this.#keyOf(item);
    const queue = this.#queues.get(key);
    if (!queue) this.#queues.set(key, [item]);
    else if (this.#goesOn(item)) queue.unshift(item);
    else queue.push(item);
  }

  /** The item whose turn is next. */
  peek(): Item | undefined {
    for (const [first] of this.#queues.values()) return first;
    return undefined;
  }

  take(max: number): Item[] {
    const taken: Item[] = [];
    // A key that is deleted and set again while the map is iterated moves to its end.
    for (const [key, queue] of this.#queues) {
      if (taken.length >= max) break;
      taken.push(queue.shift() as Item);
      this.#queues.delete(key);
      if (queue.length > 0) this.#queues.set(key, queue);
    }
    this.#length -= taken.length;
    return taken;
  }

  /** Gives back items that were taken and could not be done; they are taken first. */
  putBack(items: readonly Item[]): void {
    if (items.length === 0) return;
    const others = this.#queues;
    this.#queues = new Map();
    for (const item of items) {
      const key = this.#keyOf(item);
      this.#queues.set(key, [...(this.#queues.get(key) ?? []), item]);
    }
    this.#length += items.length;
    for (const [key, queue] of others) {
      const own = this.#queues.get(key);
      if (own) own.push(...queue);
      else this.#queues.set(key, queue);
    }
  }
}
