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
   * As {@link LogWaits.poll}, but see {@link pageInterval}.
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

const MIN_INTERVAL_MS = 5;
const MAX_INTERVAL_MS = 50;
/** How many times longer than its last page took to read a reader waits for the next. */
const IDLE_PER_READ = 10;

/**
 * How long after the last page a reader that waits and has reached the end of the feed gets the next one, at the earliest, so that a busy
 * feed is read by pages and not item by item. On PostgreSQL a page costs as much as a hundred items; without this, a reader got 200 pages a
 * second, and a post was half dearer at 1,500 posts a second. While reads are fast, who waits for an answer in the feed has it soon.
 *
 * @param readMs how long the last page took to read
 */
export function pageInterval(readMs: number): number {
  return Math.min(MAX_INTERVAL_MS, Math.max(MIN_INTERVAL_MS, IDLE_PER_READ * readMs));
}

export function createFeedPolls(
  store: Pick<Store, "events">,
  maxPolls: number,
  intervalAfter = pageInterval,
): FeedPolls {
  const waits = createLogWaits(store, maxPolls, "polls and streams of the feed");
  /** When readers get their next pages, by consumer or cursor; the earliest comes first. */
  const due = new Map<string, number>();

  /** When whoever got this page gets the next one, on the monotonic clock; 0 for at once. */
  const dueAfter = ({ items, hasMore }: FeedPage, readMs: number): number =>
    items.length > 0 && !hasMore ? performance.now() + intervalAfter(readMs) : 0;

  const remember = (reader: string, dueAt: number): void => {
    for (const [other, time] of due) {
      if (time > performance.now()) break;
      due.delete(other);
    }
    due.delete(reader);
    if (dueAt > 0) due.set(reader, dueAt);
  };

  /** Reads the first time when it is due, or at the time-out. `tookMs` is of the last read. */
  const readFrom = <P>(dueAt: number, timeoutMs: number, read: () => Promise<P>) => {
    let earlyMs = Math.min(dueAt - performance.now(), timeoutMs);
    const timed = {
      tookMs: 0,
      async read() {
        if (earlyMs > 0) await sleep(earlyMs);
        earlyMs = 0;
        const beganAt = performance.now();
        const page = await read();
        timed.tookMs = performance.now() - beganAt;
        return page;
      },
    };
    return timed;
  };

  return {
    async poll({ consumer, after }, read, timeoutMs, watchClient) {
      const reader = consumer === undefined ? undefined : `consumer ${consumer.toLowerCase()}`;
      const timed = readFrom(due.get(reader ?? after ?? "") ?? 0, timeoutMs, read);
      const page = await waits.poll(FEED, new Waiter(0), timed.read, { timeoutMs, watchClient });
      if (timeoutMs > 0) remember(reader ?? page.cursor, dueAfter(page, timed.tookMs));
      return page;
    },

    follow() {
      const { next, end } = waits.follow(FEED, new Waiter(0));
      let dueAt = 0;
      return {
        end,
        async next(read, timeoutMs) {
          const timed = readFrom(dueAt, timeoutMs, read);
          const page = await next(timed.read, timeoutMs);
          if (page) dueAt = dueAfter(page, timed.tookMs);
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
