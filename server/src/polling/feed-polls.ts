import { setTimeout as sleep } from "node:timers/promises";
import { FEED, type Store } from "../store/store.js";
import { createLogWaits, type LogWaits, type Page, type Stream, type Wait } from "./log-waits.js";
import { Waiter } from "./waiter.js";

/** A part of the feed, as polls and streams see it. */
interface FeedPage extends Page {
  /** The position after it. */
  cursor: string;
  /** How many events lie between the positions before and after it: those that a filter leaves out, too. */
  passed: number;
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

const MAX_INTERVAL_MS = 50;
/**
 * A reader waits so long for each event of its last page. Below 500 events a second this comes to an event or two for each page; above, a page
 * has more events than the one before, up to the longest wait.
 */
const MS_PER_EVENT = 2;
/** It also waits so many times as long as a page takes to read: all readers together then leave the store to others. */
const IDLE_PER_READ = 5;
/**
 * What a page takes is the least of so many reads. The last one alone may have waited for a commit or for the processor: ten times that
 * made of a pause of 5 ms one of 50 ms, for everybody who waits for an answer in the feed.
 */
const SAMPLES = 16;

/**
 * How long after the last page a reader that waits and has reached the end of the feed gets the next one, at the earliest, so that a busy
 * feed is read by pages and not item by item. On PostgreSQL a page costs as much as a hundred items; without this, a reader got 200 pages a
 * second, and a post was half dearer at 1,500 posts a second. While little happens, who waits for an answer in the feed has it soon.
 *
 * @param passed the events of the last page, those that a filter leaves out too
 * @param readMs how long a page takes to read
 */
export function pageInterval(passed: number, readMs: number): number {
  return Math.min(MAX_INTERVAL_MS, Math.max(MS_PER_EVENT * passed, IDLE_PER_READ * readMs));
}

export function createFeedPolls(
  store: Pick<Store, "events">,
  maxPolls: number,
  intervalAfter = pageInterval,
): FeedPolls {
  const waits = createLogWaits(store, maxPolls, "polls and streams of the feed");
  /** When readers get their next pages, by consumer or cursor; the earliest comes first. */
  const due = new Map<string, number>();
  const lastReadsMs: number[] = [];

  /** When whoever got this page gets the next one, on the monotonic clock; 0 for at once. */
  const dueAfter = ({ passed, hasMore }: FeedPage): number =>
    passed > 0 && !hasMore ? performance.now() + intervalAfter(passed, Math.min(...lastReadsMs)) : 0;

  const remember = (reader: string, dueAt: number): void => {
    for (const [other, time] of due) {
      if (time > performance.now()) break;
      due.delete(other);
    }
    due.delete(reader);
    if (dueAt > 0) due.set(reader, dueAt);
  };

  /** @returns reads the first time when it is due, or at the time-out */
  const readFrom = <P>(dueAt: number, timeoutMs: number, read: () => Promise<P>): (() => Promise<P>) => {
    let earlyMs = Math.min(dueAt - performance.now(), timeoutMs);
    return async () => {
      if (earlyMs > 0) await sleep(earlyMs);
      earlyMs = 0;
      const beganAt = performance.now();
      const page = await read();
      lastReadsMs.push(performance.now() - beganAt);
      if (lastReadsMs.length > SAMPLES) lastReadsMs.shift();
      return page;
    };
  };

  return {
    async poll({ consumer, after }, read, timeoutMs, watchClient) {
      const reader = consumer === undefined ? undefined : `consumer ${consumer.toLowerCase()}`;
      const readDue = readFrom(due.get(reader ?? after ?? "") ?? 0, timeoutMs, read);
      const page = await waits.poll(FEED, new Waiter(0), readDue, { timeoutMs, watchClient });
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
