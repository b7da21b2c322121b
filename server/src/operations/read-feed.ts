import { InvalidInput, NotFound } from "../domain/errors.js";
import { decodeFeedCursor, encodeFeedCursor, type FeedCursor } from "../domain/feed.js";
import { MAX_FEED_CONSUMERS } from "../domain/limits.js";
import type { FeedEvent, FeedRead, FeedState, Store } from "../store/store.js";

/** After a cursor, after what a consumer has handled, or from the oldest event that is kept. */
export type FeedStart = { after: string } | { consumer: string } | "oldest";

export interface FeedItem extends FeedEvent {
  /** The position right after it. */
  cursor: string;
}

export interface FeedPage {
  /** The position before the page. */
  from: string;
  items: FeedItem[];
  /** The position after the page. */
  cursor: string;
  /**
   * The position before the oldest event that is kept, if some of what followed the consumer's position has expired, or was of
   * a feed that was switched off since.
   */
  oldestKept?: string;
}

/**
 * Reads the next page of the feed, again and again. A consumer is created when there is none, and read from where it is by
 * then: it may have been moved.
 *
 * @returns what reads a page
 * @throws NotFound while the feed is off; InvalidInput when there is no such position, or what followed it has expired
 */
export function feedReader(store: Store, start: FeedStart, limit: number): () => Promise<FeedPage> {
  const cursor = typeof start === "object" && "after" in start ? decoded(start.after) : undefined;
  const consumer = typeof start === "object" && "consumer" in start ? start.consumer : undefined;
  let known: FeedCursor | undefined;
  /** Whether the feed in which the consumer was is no more. */
  let isAnother = false;

  const readConsumed = async (name: string): Promise<FeedPage> => {
    for (;;) {
      const found = await store.findFeedConsumer(name);
      // One that is deleted meanwhile stays deleted.
      known = found ?? known ?? (await openFeedConsumer(store, name));
      const read = await readFeed(store, known.positions, limit);
      if (read.feedId === known.feedId) {
        return pageOf(read, known.positions, isAnother || isBehind(known.positions, read));
      }
      // The feed was switched off and on again: in the new one the consumer begins anew.
      known = undefined;
      isAnother = true;
    }
  };

  return async () => {
    if (consumer !== undefined) return await readConsumed(consumer);
    const positions = cursor?.positions ?? [];
    const read = await readFeed(store, positions, limit);
    if (cursor) checkCursor(cursor, read);
    return pageOf(read, positions, false);
  };
}

/**
 * Finds a consumer of the feed or creates it.
 *
 * @throws NotFound while the feed is off; InvalidInput when it has too many
 */
export async function openFeedConsumer(store: Store, name: string): Promise<FeedCursor> {
  const position = await store.openFeedConsumer(name, Date.now());
  if (position === "too many") {
    throw new InvalidInput(
      `the feed has ${MAX_FEED_CONSUMERS} consumers, the most that it may have: delete one first`,
      "too_many_consumers",
    );
  }
  return position ?? refuseOff();
}

/**
 * The cursor that a text stands for, if the feed has got so far.
 *
 * @throws NotFound while the feed is off; InvalidInput for any other text
 */
export async function findCursor(store: Store, text: string): Promise<FeedCursor> {
  const cursor = decodeFeedCursor(text);
  if (!cursor && !(await store.hasFeed())) refuseOff();
  const known = cursor ?? decoded(text);
  checkFeed(known, await readFeed(store, known.positions, 1));
  return known;
}

async function readFeed(store: Store, positions: readonly number[], limit: number): Promise<FeedRead> {
  return (await store.readFeed(positions, limit)) ?? refuseOff();
}

export function refuseOff(): never {
  throw new NotFound(
    "the feed is not switched on: set PLATFORM_FEED=true and restart the service",
    "feed_off",
  );
}

function decoded(text: string): FeedCursor {
  const cursor = decodeFeedCursor(text);
  if (cursor) return cursor;
  throw new InvalidInput("this is no cursor of the feed: send one that an answer had", "invalid_cursor");
}

function checkFeed({ feedId, positions }: FeedCursor, { feedId: current, heads }: FeedState): void {
  const isThis = feedId === current && positions.length === heads.length;
  if (isThis && positions.every((position, partition) => position <= (heads[partition] ?? 0))) return;
  throw new InvalidInput(
    "this cursor is of another feed: since then the feed was switched off and on again, or the service has lost data. Read without a position, from the oldest event that is kept",
    "feed_changed",
  );
}

function checkCursor(cursor: FeedCursor, feed: FeedState): void {
  checkFeed(cursor, feed);
  if (!isBehind(cursor.positions, feed)) return;
  throw new InvalidInput(
    "events that followed this cursor have expired: read without a position, from the oldest event that is kept, and compare the state of your channels",
    "feed_position_expired",
  );
}

function isBehind(positions: readonly number[], { tails }: FeedState): boolean {
  return tails.some((tail, partition) => tail > (positions[partition] ?? 0) + 1);
}

/** @param isTorn whether what followed the position is no longer all there */
function pageOf(read: FeedRead, positions: readonly number[], isTorn: boolean): FeedPage {
  const { feedId, tails, events } = read;
  const before = tails.map((tail) => tail - 1);
  const reached = before.map((oldest, partition) => Math.max(oldest, positions[partition] ?? 0));
  const from = encodeFeedCursor({ feedId, positions: reached });
  const items = events.map((event): FeedItem => {
    reached[event.partition] = event.number;
    return { ...event, cursor: encodeFeedCursor({ feedId, positions: reached }) };
  });
  return {
    from,
    items,
    cursor: encodeFeedCursor({ feedId, positions: reached }),
    ...(isTorn && { oldestKept: encodeFeedCursor({ feedId, positions: before }) }),
  };
}
