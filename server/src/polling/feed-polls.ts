import { setTimeout as sleep } from "node:timers/promises";
import { FEED, type Store } from "../store/store.js";
import { createLogWaits, type LogWaits, type Page, type Stream, type Wait } from "./log-waits.js";
import { Waiter } from "./waiter.js";

/** A part of the feed, as polls and streams see it. */
interface FeedPage extends Page {
  /** The position after it. */
  cursor: string;
  /** Whether more is there to read after it. */
  hasMore: boolean;
}

/** Polls and streams of the platform's feed. */
export interface FeedPolls extends Pick<LogWaits, "waiting" | "close"> {
  /**
   * As {@link LogWaits.poll}, but see {@link PAGE_INTERVAL_MS}.
   *
   * @param from the consumer or the cursor that is read from
   */
  poll<P extends FeedPage>(
    from: { consumer?: string | undefined; after?: string | undefined },
    read: () => Promise<P>,
    timeoutMs: number,
    watchClient?: Wait["watchClient"],
  ): Promise<P>;
  /** As {@link LogWaits.follow}. */
  follow(): Stream<FeedPage>;
}

/**
 * A reader that waits and has reached the end of the feed gets its next page this long after the last one, at the
 * earliest, so that a busy feed is read by pages and not item by item. On PostgreSQL a page costs as much as a hundred
 * items; without this, a reader got 200 pages a second, and a post was half dearer at 1,500 posts a second.
 */
const PAGE_INTERVAL_MS = 50;

export function createFeedPolls(
  store: Pick<Store, "events">,
  maxPolls: number,
  pageIntervalMs = PAGE_INTERVAL_MS,
): FeedPolls {
  const waits = createLogWaits(store, maxPolls, "polls and streams of the feed");
  /** When readers get their next pages, by consumer or cursor; the earliest comes first. */
  const due = new Map<string, number>();

  /** When whoever got this page gets the next one, on the monotonic clock; 0 for at once. */
  const dueAfter = ({ items, hasMore }: FeedPage): number =>
    items.length > 0 && !hasMore ? performance.now() + pageIntervalMs : 0;

  const remember = (reader: string, dueAt: number): void => {
    for (const [other, time] of due) {
      if (time > performance.now()) break;
      due.delete(other);
    }
    due.delete(reader);
    if (dueAt > 0) due.set(reader, dueAt);
  };

  /** Reads the first time when it is due, or at the time-out. */
  const readFrom = <P>(dueAt: number, timeoutMs: number, read: () => Promise<P>): (() => Promise<P>) => {
    let earlyMs = Math.min(dueAt - performance.now(), timeoutMs);
    return async () => {
      if (earlyMs > 0) await sleep(earlyMs);
      earlyMs = 0;
      return await read();
    };
  };

  return {
    async poll({ consumer, after }, read, timeoutMs, watchClient) {
      const reader = consumer === undefined ? undefined : `consumer ${consumer.toLowerCase()}`;
      const dueRead = readFrom(due.get(reader ?? after ?? "") ?? 0, timeoutMs, read);
      const page = await waits.poll(FEED, new Waiter(0), dueRead, { timeoutMs, watchClient });
      if (timeoutMs > 0) remember(reader ?? page.cursor, dueAfter(page));
      return page;
    },

    follow() {
      const { next, end } = waits.follow(FEED, new Waiter(0));
      let dueAt = 0;
      return {
        end,
        async next(read, timeoutMs) {
          const page = await next(readFrom(dueAt, timeoutMs, read), timeoutMs);
          if (page) dueAt = dueAfter(page);
          return page;
        },
      };
    },

    get waiting() {
      return waits.waiting;
    },

    close: waits.close,
  };
}
