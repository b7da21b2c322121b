import { FEED, type LogHead, type Store } from "../store/store.js";
import { TooManyPolls } from "./update-polls.js";
import { Waiter } from "./waiter.js";

/** Waiting for the platform's feed: by polls, and by streams, which repeat the same. */
export interface FeedPolls {
  /**
   * Answers as soon as `read` returns items. At the time-out, when the client disconnects and at {@link
   * FeedPolls.close} it answers with the last page that was read.
   *
   * @param watchClient called when the wait begins; must call `onHangUp` when the client disconnects
   * @throws TooManyPolls when there is nothing to read and no further one may wait
   */
  poll<Page extends { items: readonly unknown[] }>(
    read: () => Promise<Page>,
    timeoutMs: number,
    watchClient?: (onHangUp: () => void) => void,
  ): Promise<Page>;
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
  next<Page extends { items: readonly unknown[] }>(
    read: () => Promise<Page>,
    timeoutMs: number,
  ): Promise<Page | undefined>;
  end(): void;
}

/**
 * Subscribe, read, wait, read again, as for a bot's log. Hints that the feed grew may be lost; correctness does not
 * depend on them.
 */
export function createFeedPolls(store: Pick<Store, "events">, maxPolls: number): FeedPolls {
  const waiters = new Set<Waiter>();
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

  const tooMany = (): TooManyPolls =>
    new TooManyPolls(
      `${maxPolls} polls and streams of the feed wait already, which is the limit: end some first`,
    );

  /** @returns the last page that was read before the wait ended */
  const wait = async <Page extends { items: readonly unknown[] }>(
    waiter: Waiter,
    read: () => Promise<Page>,
    timeoutMs: number,
  ): Promise<Page> => {
    const timer = setTimeout(() => waiter.end(), timeoutMs);
    try {
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
    async poll(read, timeoutMs, watchClient) {
      if (timeoutMs === 0 || closed) return await read();
      if (waiters.size >= maxPolls) {
        const page = await read();
        if (page.items.length > 0) return page;
        throw tooMany();
      }
      const waiter = new Waiter(0);
      waiters.add(waiter);
      watchClient?.(() => waiter.abandon());
      try {
        return await wait(waiter, read, timeoutMs);
      } finally {
        waiters.delete(waiter);
      }
    },

    follow() {
      if (waiters.size >= maxPolls) throw tooMany();
      const waiter = new Waiter(0);
      if (closed) waiter.abandon();
      else waiters.add(waiter);
      return {
        async next(read, timeoutMs) {
          if (waiter.isAbandoned) return undefined;
          const page = await wait(waiter, read, timeoutMs);
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
