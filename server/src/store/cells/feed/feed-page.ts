import type { FeedEvent, FeedRead } from "../../store.js";

/** How many times cells are read for one page. The page may then be shorter; the next begins where it ends. */
const MAX_ROUNDS = 3;

/** What is read of one cell for a page. Partitions and numbers are those of its own feed. */
export interface CellReading {
  /** Reads on; undefined when that cannot be done now. */
  read(positions: readonly number[], limit: number, maxBytes: number): Promise<FeedRead | undefined>;
  first: FeedRead;
  hasToWait(event: FeedEvent): boolean;
}

/** What was read of a cell. */
export interface Collected {
  events: FeedEvent[];
  /** For each partition where the reader finds the end of what it may get now. */
  heads: number[];
}

/**
 * Reads further events where the first ones were all taken by one cell's share, until the page is full or nothing is left.
 *
 * Behind an event that has to wait nothing of its partition is read: a page full of such events would keep the others of their cell away.
 */
export async function collectEvents(
  readings: readonly CellReading[],
  limit: number,
  maxBytes: number,
): Promise<Collected[]> {
  const collecting = readings.map(beginCollecting);
  for (let round = 1; round < MAX_ROUNDS; round += 1) {
    const missing = limit - collecting.reduce((sum, { events }) => sum + events.length, 0);
    const bytes = maxBytes - collecting.reduce((sum, one) => sum + one.bytes(), 0);
    const more = collecting.filter(({ hasMore }) => hasMore());
    if (missing <= 0 || bytes <= 0 || more.length === 0) break;
    const share = Math.ceil(missing / more.length);
    await Promise.all(more.map((one) => one.readOn(share, Math.ceil(bytes / more.length))));
  }
  return collecting;
}

function beginCollecting({ read, first, hasToWait }: CellReading) {
  const events: FeedEvent[] = [];
  const heads = [...first.heads];
  const reached = [...first.positions];
  /** Where events have to wait: their partition is not read any more. */
  const held = new Set<number>();
  let bytes = 0;
  let isRead = false;

  const take = (found: readonly FeedEvent[]): void => {
    for (const event of found) {
      const { partition, number } = event;
      if (held.has(partition)) continue;
      if (hasToWait(event)) {
        held.add(partition);
        heads[partition] = Math.max(number - 1, reached[partition] ?? 0);
        continue;
      }
      events.push(event);
      bytes += sizeOf(event);
      reached[partition] = number;
      heads[partition] = Math.max(number, heads[partition] ?? 0);
    }
    // Of numbers that were skipped at the end of a log there is nothing to read.
    isRead =
      found.length === 0 ||
      heads.every((head, partition) => held.has(partition) || (reached[partition] ?? 0) >= head);
  };

  take(first.events);
  return {
    events,
    heads,
    bytes: () => bytes,
    hasMore: () => !isRead,
    async readOn(limit: number, maxBytes: number) {
      const positions = reached.map((position, partition) =>
        held.has(partition) ? Number.MAX_SAFE_INTEGER : position,
      );
      const further = await read(positions, limit, maxBytes);
      take(further?.feedId === first.feedId ? further.events : []);
    },
  };
}

/**
 * A page: cells take turns, each with its next event; within a turn the oldest comes first. So no cell with a backlog keeps others away,
 * also when there are more cells than items.
 */
export function takeInTurns(
  cells: readonly (readonly FeedEvent[])[],
  limit: number,
  maxBytes: number,
): FeedEvent[] {
  const page: FeedEvent[] = [];
  let bytes = 0;
  for (let turn = 0; ; turn += 1) {
    const next = cells.flatMap((events) => events[turn] ?? []);
    if (next.length === 0) return page;
    for (const event of next.toSorted((a, b) => a.createdAt - b.createdAt)) {
      bytes += sizeOf(event);
      if (page.length === limit || (page.length > 0 && bytes > maxBytes)) return page;
      page.push(event);
    }
  }
}

function sizeOf({ payload }: FeedEvent): number {
  return Buffer.byteLength(payload);
}
