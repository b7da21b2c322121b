import type { UncarriedEntry } from "../../store.js";

const READ_AT_ONCE = 1_000;
/** Of one owner; what follows is read when their turn comes to it. */
const MAX_QUEUED = 1_000;
/** A post is stored together with others, everything else by itself. */
const COST_OF_POST = 1;
const COST_OF_OTHERS = 5;
/** Owners with no more than this are carried together, those with more each by themselves. */
const MAX_LIGHT_COST = 50;

/** Entries that are carried together. */
export interface Step {
  numbers: number[];
  /** Nothing else of these is carried meanwhile, which keeps the order. */
  owners: string[];
  /** Whether it is of one owner who has much more to be carried than others. */
  isHeavy: boolean;
}

/** What is left to be carried of one log, in turns of those whose it is: who has little does not wait for who has much. */
export interface Backlog {
  /** Up to which number everything is carried. */
  readonly position: number;
  /** Reads on, some of it. @returns whether there is more */
  readOn(): Promise<boolean>;
  /** What is next; undefined when there is nothing, or what there is has to wait for the end of another step. */
  take(isHeavy: boolean): Step | undefined;
  /** Of a step that is carried. */
  finish(step: Step): void;
}

/** Of an owner. */
interface Queue {
  /** Ascending, those of the step that is being carried included. */
  entries: UncarriedEntry[];
  cost: number;
  isBusy: boolean;
  /** The first number that is not among the entries, though it was read; undefined when all are. */
  unqueuedFrom?: number;
}

/**
 * @param read what is above a number, ascending
 * @param position up to which number everything is carried
 * @param perStep how many entries a step has at most
 */
export function createBacklog(
  read: (after: number, limit: number) => Promise<UncarriedEntry[]>,
  position: number,
  perStep: number,
): Backlog {
  /** In the order of their turns. */
  const queues = new Map<string, Queue>();
  let readThrough = position;

  const add = (queue: Queue, entry: UncarriedEntry): void => {
    queue.entries.push(entry);
    queue.cost += costOf(entry);
  };

  const readNew = async (): Promise<boolean> => {
    const found = await read(readThrough, READ_AT_ONCE);
    for (const entry of found) {
      readThrough = entry.number;
      const owner = entry.owner ?? "";
      const queue = queues.get(owner) ?? { entries: [], cost: 0, isBusy: false };
      queues.set(owner, queue);
      if (queue.unqueuedFrom !== undefined) continue;
      if (queue.entries.length < MAX_QUEUED) add(queue, entry);
      else queue.unqueuedFrom = entry.number;
    }
    return found.length === READ_AT_ONCE;
  };

  /** What lies between was of others, and mostly is carried. */
  const readUnqueued = async (owner: string, queue: Queue, from: number): Promise<void> => {
    const found = await read(from - 1, READ_AT_ONCE);
    const known = found.filter(({ number }) => number <= readThrough);
    for (const entry of known) if ((entry.owner ?? "") === owner) add(queue, entry);
    const last = known.at(-1);
    // Whatever is above was not read before, or nothing is there any more.
    if (!last || known.length < READ_AT_ONCE) delete queue.unqueuedFrom;
    else queue.unqueuedFrom = last.number + 1;
    if (isEmpty(queue)) queues.delete(owner);
  };

  const taken = (owners: string[], numbers: number[], isHeavy: boolean): Step => {
    for (const owner of owners) {
      const queue = queues.get(owner) as Queue;
      queue.isBusy = true;
      // To the end of the order.
      queues.delete(owner);
      queues.set(owner, queue);
    }
    return { owners, numbers, isHeavy };
  };

  const takeHeavy = (): Step | undefined => {
    for (const [owner, queue] of queues)
      if (!queue.isBusy && isHeavy(queue) && queue.entries.length > 0)
        return taken([owner], numbersOf(queue).slice(0, perStep), true);
    return undefined;
  };

  const takeLight = (): Step | undefined => {
    const owners: string[] = [];
    const numbers: number[] = [];
    for (const [owner, queue] of queues) {
      if (queue.isBusy || isHeavy(queue)) continue;
      if (numbers.length > 0 && numbers.length + queue.entries.length > perStep) break;
      owners.push(owner);
      numbers.push(...numbersOf(queue));
    }
    return owners.length > 0 ? taken(owners, numbers, false) : undefined;
  };

  return {
    get position() {
      let lowest = readThrough + 1;
      for (const { entries, unqueuedFrom } of queues.values())
        lowest = Math.min(lowest, entries[0]?.number ?? unqueuedFrom ?? lowest);
      return lowest - 1;
    },
    async readOn() {
      for (const [owner, queue] of queues)
        if (queue.unqueuedFrom !== undefined && queue.entries.length === 0)
          await readUnqueued(owner, queue, queue.unqueuedFrom);
      const isMore = await readNew();
      return isMore || [...queues.values()].some((queue) => queue.entries.length === 0);
    },
    take: (isHeavyStep) => (isHeavyStep ? takeHeavy() : takeLight()),
    finish({ owners, numbers }) {
      const done = new Set(numbers);
      for (const owner of owners) {
        const queue = queues.get(owner);
        if (!queue) continue;
        queue.isBusy = false;
        queue.entries = queue.entries.filter(({ number }) => !done.has(number));
        queue.cost = queue.entries.reduce((sum, entry) => sum + costOf(entry), 0);
        if (isEmpty(queue)) queues.delete(owner);
      }
    },
  };
}

const costOf = ({ isPost }: UncarriedEntry): number => (isPost ? COST_OF_POST : COST_OF_OTHERS);
const isHeavy = ({ cost, unqueuedFrom }: Queue): boolean =>
  cost > MAX_LIGHT_COST || unqueuedFrom !== undefined;
const isEmpty = ({ entries, unqueuedFrom }: Queue): boolean =>
  entries.length === 0 && unqueuedFrom === undefined;
const numbersOf = ({ entries }: Queue): number[] => entries.map(({ number }) => number);
