import { setTimeout as sleep } from "node:timers/promises";
import { FEED, type LogHead, type Store } from "../store/store.js";
import { TooManyPolls } from "./update-polls.js";
import { Waiter } from "./waiter.js";

/** A part of the feed, as polls and streams see it. */
interface Page {
  items: readonly unknown[];
  /** The position after it. */
  cursor: string;
  /** Whether more is there to read after it. */
  hasMore: boolean;
}

/** Waiting for the platform's feed: by polls, and by streams, which repeat the same. */
export interface FeedPolls {
  /**
   * Answers as soon as `read` returns items, but see {@link PAGE_INTERVAL_MS}. At the time-out, when the client
   * disconnects and at {@link FeedPolls.close} it answers with the last page that was read.
   *
   * @param from the consumer or the cursor that is read from
   * @param watchClient called when the wait begins; must call `onHangUp` when the client disconnects
   * @throws TooManyPolls when there is nothing to read and no further one may wait
   */
  poll<P extends Page>(
    from: { consumer?: string | undefined; after?: string | undefined },
    read: () => Promise<P>,
    timeoutMs: number,
    watchClient?: (onHangUp: () => void) => void,
  ): Promise<P>;
  /**
   * Counts as a waiting poll until its `end`, or {@link FeedPolls.close}.
   *
   * @throws TooManyPolls when no further one may wait
   */
  follow(): FeedWatch;
  /** The number of waiting polls and streams. */
  readonly waiting: number;
  /** Answers every waiting poll, and later ones without waiting; ends every stream. */
  close(): void;
}

export interface FeedWatch {
  /** Like a poll; undefined after the watch has ended. */
  next<P extends Page>(read: () => Promise<P>, timeoutMs: number): Promise<P | undefined>;
  end(): void;
}

/**
 * A reader that waits and has reached the end of the feed gets its next page this long after the last one, at the
 * earliest, so that a busy feed is read by pages and not item by item. On PostgreSQL a page costs as much as a hundred
 * items; without this, a reader got 200 pages a second, and a post was half dearer at 1,500 posts a second.
 */
const PAGE_INTERVAL_MS = 50;

/**
 * Subscribe, read, wait, read again, as for a bot's log. Hints that the feed grew may be lost; correctness does not
 * depend on them.
 */
export function createFeedPolls(
  store: Pick<Store, "events">,
  maxPolls: number,
  pageIntervalMs = PAGE_INTERVAL_MS,
): FeedPolls {
  const waiters = new Set<Waiter>();
  /** When readers get their next pages, by consumer or cursor; the earliest comes first. */
  const due = new Map<string, number>();
  let closed = false;

  store.events.on("appended", (heads: LogHead[]) => {
    if (waiters.size === 0 || !heads.some(({ botId }) => botId === FEED)) return;
    for (const waiter of waiters) waiter.wake();
  });
  const wakeAll = (): void => {
    for (const waiter of waiters) waiter.wake();
  };
  store.events.on("consumerRewound", (id: string) => {
    if (id === FEED) wakeAll();
  });
  store.events.on("listeningBegan", wakeAll);
  store.events.on("hintsLost", wakeAll);

  /** When whoever got this page gets the next one, on the monotonic clock; 0 for at once. */
  const dueAfter = ({ items, hasMore }: Page): number =>
    items.length > 0 && !hasMore ? performance.now() + pageIntervalMs : 0;

  const remember = (reader: string, dueAt: number): void => {
    for (const [other, time] of due) {
      if (time > performance.now()) break;
      due.delete(other);
    }
    due.delete(reader);
    if (dueAt > 0) due.set(reader, dueAt);
  };

  const tooMany = (): TooManyPolls =>
    new TooManyPolls(
      `${maxPolls} polls and streams of the feed wait already, which is the limit: end some first`,
    );

  /**
   * @param dueAt when the first page is read, on the monotonic clock
   * @returns the last page that was read before the wait ended
   */
  const wait = async <P extends Page>(
    waiter: Waiter,
    read: () => Promise<P>,
    timeoutMs: number,
    dueAt: number,
  ): Promise<P> => {
    const timer = setTimeout(() => waiter.end(), timeoutMs);
    try {
      const earlyMs = dueAt - performance.now();
      if (earlyMs > 0) await sleep(Math.min(earlyMs, timeoutMs));
      for (;;) {
        const isLastRead = waiter.takeEnd();
        const page = await read();
        if (page.items.length > 0 || isLastRead || waiter.isAbandoned) return page;
        await waiter.woken();
      }
    } finally {
      clearTimeout(timer);
    }
  };

  return {
    async poll({ consumer, after }, read, timeoutMs, watchClient) {
      if (timeoutMs === 0 || closed) return await read();
      if (waiters.size >= maxPolls) {
        const page = await read();
        if (page.items.length > 0) return page;
        throw tooMany();
      }
      const waiter = new Waiter(0);
      waiters.add(waiter);
      watchClient?.(() => waiter.abandon());
      const reader = consumer === undefined ? undefined : `consumer ${consumer.toLowerCase()}`;
      try {
        const page = await wait(waiter, read, timeoutMs, due.get(reader ?? after ?? "") ?? 0);
        remember(reader ?? page.cursor, dueAfter(page));
        return page;
      } finally {
        waiters.delete(waiter);
      }
    },

    follow() {
      if (waiters.size >= maxPolls) throw tooMany();
      const waiter = new Waiter(0);
      if (closed) waiter.abandon();
      else waiters.add(waiter);
      let dueAt = 0;
      return {
        async next(read, timeoutMs) {
          if (waiter.isAbandoned) return undefined;
          const page = await wait(waiter, read, timeoutMs, dueAt);
          dueAt = dueAfter(page);
          return waiter.isAbandoned ? undefined : page;
        },
        end() {
          waiters.delete(waiter);
          waiter.abandon();
        },
      };
    },

    get waiting() {
      return waiters.size;
    },

    close() {
      closed = true;
      for (const waiter of waiters) waiter.abandon();
    },
  };
}
