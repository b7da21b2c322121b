import { InvalidInput, NotFound } from "../../domain/errors.js";
import {
  decodeFeedCursor,
  encodeFeedCursor,
  type FeedCursor,
  isPositionOf,
} from "../../domain/events/feed.js";
import { type FeedFilter, feedMatcher } from "../../domain/events/feed-filter.js";
import { MAX_FEED_PAGE_ITEMS, MAX_SEARCHED_PAGES } from "../../domain/limits.js";
import { FEED, type FeedEvent, type FeedRead, type FeedState, type Store } from "../../store/store.js";
import { anotherFeed, feedOff, invalidCursor } from "./feed-errors.js";
import { openConsumer } from "./open-consumer.js";

/**
 * After a cursor, after what a consumer has handled, or from the oldest event that is kept. A consumer that does not exist is created,
 * unless it is said to have been `opened`: then it was deleted meanwhile.
 */
export type FeedStart = { after: string } | { consumer: string; opened?: boolean } | "oldest";

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
  /** How many events lie between the two: those that the filter leaves out, too. */
  passed: number;
  /** Whether more is there to read after the page. */
  hasMore: boolean;
  /** Whether it has no items only because so many events that the filter leaves out came first. */
  isCut?: boolean;
  /**
   * The position before the oldest event that is kept; set when events after the consumer's position have expired, or
   * belonged to a feed that was switched off since.
   */
  oldestKept?: string;
}

/** How much of the feed a reader returns at once, and what of it. */
export interface FeedSelection extends FeedFilter {
  limit: number;
}

/** A page and the positions after it. */
interface Selected {
  page: FeedPage;
  reached: readonly number[];
}

/**
 * A reader of the feed from `start` on. Each page of a consumer is read after its current position, since other calls may move it. With a
 * filter a page is looked for in up to `MAX_SEARCHED_PAGES` pages of the feed.
 *
 * @returns a function that reads the next page
 * @throws NotFound while the feed is off, and when a consumer that was opened is gone; InvalidInput when the cursor is not valid, or events after it have expired
 */
export function feedReader(
  store: Store,
  start: FeedStart,
  { limit: wished, ...filter }: FeedSelection,
): () => Promise<FeedPage> {
  const matches = feedMatcher(filter);
  const limit = matches ? MAX_FEED_PAGE_ITEMS : wished;
  const cursor = typeof start === "object" && "after" in start ? decoded(start.after) : undefined;
  const consumer = typeof start === "object" && "consumer" in start ? start.consumer : undefined;
  const isOpened = typeof start === "object" && "consumer" in start && start.opened === true;
  let known: FeedCursor | undefined;
  let wasSwitched = false;

  /** @param hasExpired whether events after the position have */
  const select = async (first: FeedRead, hasExpired: boolean): Promise<FeedPage> => {
    let { page, reached } = pageOf(first, hasExpired, wished, matches);
    for (let pages = 1; page.items.length === 0 && page.hasMore && pages < MAX_SEARCHED_PAGES; pages += 1) {
      const read = await readFeed(store, reached, limit);
      // The feed was switched off and on again: the next call says so.
      if (read.feedId !== first.feedId) break;
      const { from, passed, oldestKept } = page;
      ({ page, reached } = pageOf(read, false, wished, matches));
      page = { ...page, from, passed: passed + page.passed, ...(oldestKept !== undefined && { oldestKept }) };
    }
    return page.items.length === 0 && page.hasMore ? { ...page, isCut: true } : page;
  };

  const readConsumed = async (name: string): Promise<FeedPage> => {
    for (;;) {
      const consumed = await store.readFeed({ consumer: name }, limit);
      // A consumer that is deleted between two pages stays deleted.
      const read = consumed ?? (known && (await readFeed(store, known.positions, limit)));
      // The feed was switched off and on again: in the new feed the consumer starts over.
      const isNewFeed = read !== undefined && known !== undefined && read.feedId !== known.feedId;
      wasSwitched ||= isNewFeed;
      if (read && (consumed || !isNewFeed)) {
        known = read;
        return await select(read, wasSwitched || isBehind(read.positions, read));
      }
      known = undefined;
      if (isOpened) throw new NotFound("the consumer was deleted");
      await openConsumer(store, FEED, name);
    }
  };

  return async () => {
    if (consumer !== undefined) return await readConsumed(consumer);
    const positions = cursor?.positions ?? [];
    const read = await readFeed(store, positions, limit);
    if (cursor) checkCursor(cursor, read);
    return await select(read, false);
  };
}

async function readFeed(store: Store, positions: readonly number[], limit: number): Promise<FeedRead> {
  const read = await store.readFeed(positions, limit);
  if (!read) throw feedOff();
  return read;
}

function decoded(text: string): FeedCursor {
  const cursor = decodeFeedCursor(text);
  if (!cursor) throw invalidCursor();
  return cursor;
}

function checkCursor(cursor: FeedCursor, feed: FeedState): void {
  if (!isPositionOf(cursor, feed)) throw anotherFeed();
  if (!isBehind(cursor.positions, feed)) return;
  throw new InvalidInput(
    "events that followed this cursor have expired: read without a position, from the oldest event that is kept, and compare the state of your channels",
    "feed_position_expired",
  );
}

function isBehind(positions: readonly number[], { tails }: FeedState): boolean {
  return tails.some((tail, partition) => tail > (positions[partition] ?? 0) + 1);
}

function pageOf(
  read: FeedRead,
  hasExpired: boolean,
  limit: number,
  matches: ((event: FeedEvent) => boolean) | undefined,
): Selected {
  const { feedId, heads, tails, positions, events } = read;
  const before = tails.map((tail) => tail - 1);
  const reached = before.map((oldest, partition) => Math.max(oldest, positions[partition] ?? 0));
  let passed = 0;
  const from = encodeFeedCursor({ feedId, positions: reached });
  const items: FeedItem[] = [];
  for (const event of events) {
    if (items.length === limit) break;
    reached[event.partition] = event.number;
    passed += 1;
    if (matches?.(event) === false) continue;
    items.push({ ...event, cursor: encodeFeedCursor({ feedId, positions: reached }) });
  }
  const page = {
    from,
    items,
    cursor: encodeFeedCursor({ feedId, positions: reached }),
    passed,
    hasMore: heads.some((head, partition) => head > (reached[partition] ?? 0)),
    ...(hasExpired && { oldestKept: encodeFeedCursor({ feedId, positions: before }) }),
  };
  return { page, reached };
}
