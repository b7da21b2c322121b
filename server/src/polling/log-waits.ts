import type { ErrorCode } from "../domain/error-codes.js";
import type { LogHead, Store } from "../store/store.js";
import type { Waiter } from "./waiter.js";

/** What is read of a log for one answer. */
export interface Page {
  items: readonly unknown[];
  /** It has no items, but is answered at once: what follows it is to be read next. */
  isCut?: boolean;
}

export interface Wait {
  /** How long to wait for the first item, in milliseconds; 0 answers immediately. */
  timeoutMs: number;
  /** Called when the wait begins; must call `onHangUp` when the client disconnects. */
  watchClient?: ((onHangUp: () => void) => void) | undefined;
  /**
   * Rejects when the caller's credential is no longer valid; the poll then rejects too. Called when the bot may have
   * changed during the wait, and before every answer after a wait.
   */
  confirm?: (() => Promise<unknown>) | undefined;
}

/** As many polls and streams of a log wait as may. */
export class TooManyPolls extends Error {
  override readonly name = "TooManyPolls";
  readonly code = "too_many_polls" satisfies ErrorCode;
  readonly log: string;

  /** @param log the bot whose log it is, or `FEED` */
  constructor(log: string, message: string) {
    super(message);
    this.log = log;
  }
}

/** Waiting for logs to grow: by polls, and by streams, which repeat the same. A log is a bot, or `FEED`. */
export interface LogWaits {
  /**
   * Answers as soon as `read` returns items; at the time-out, when the client disconnects and at {@link LogWaits.close}
   * with the last page that was read.
   *
   * @throws TooManyPolls when there is nothing to read and no further one may wait
   */
  poll<P extends Page>(log: string, waiter: Waiter, read: () => Promise<P>, wait: Wait): Promise<P>;
  /**
   * Counts as a waiting poll until its `end`, or {@link LogWaits.close}.
   *
   * @throws TooManyPolls when no further one may wait
   */
  follow(log: string, waiter: Waiter): Stream;
  /** The number of waiting polls and streams. */
  readonly waiting: number;
  /** Answers every waiting poll, and later ones without a wait; ends every stream. */
  close(): void;
}

export interface Stream<Base extends Page = Page> {
  /** Like a poll; answers also when the bot may have changed. Undefined after the stream has ended. */
  next<P extends Base>(read: () => Promise<P>, timeoutMs: number): Promise<P | undefined>;
  end(): void;
}

/**
 * Subscribe, read, wait, read again. Subscribing comes first, so that what is appended between the read and the wait is
 * not missed. Wake-ups are only hints: a poll without any reads once more at its time-out.
 *
 * @param maxWaiting the most polls and streams of one log at once, in this process
 * @param what they are called in the refusal of a further one
 */
export function createLogWaits(store: Pick<Store, "events">, maxWaiting: number, what: string): LogWaits {
  const waiters = new Map<string, Set<Waiter>>();
  const streams = new WeakSet<Waiter>();
  let closed = false;

  const subscribe = (log: string, waiter: Waiter): void => {
    const all = waiters.get(log) ?? new Set();
    waiters.set(log, all.add(waiter));
  };

  /** Further calls have no effect. */
  const unsubscribe = (log: string, waiter: Waiter): void => {
    const all = waiters.get(log);
    if (all?.delete(waiter) && all.size === 0) waiters.delete(log);
  };

  const allWaiters = (): Waiter[] => [...waiters.values()].flatMap((all) => [...all]);

  const hasCapacity = (log: string): boolean => (waiters.get(log)?.size ?? 0) < maxWaiting;

  const tooMany = (log: string): TooManyPolls =>
    new TooManyPolls(log, `${maxWaiting} ${what} wait already, which is the limit: end some first`);

  /** @param polledLog of a poll: its log, which it is subscribed to for this wait */
  const wait = async <P extends Page>(
    waiter: Waiter,
    read: () => Promise<P>,
    timeoutMs: number,
    confirm?: () => Promise<unknown>,
    polledLog?: string,
  ): Promise<P> => {
    const timer = setTimeout(() => waiter.end(), timeoutMs);
    let hasWaited = false;
    try {
      for (;;) {
        const isLastRead = waiter.takeEnd();
        if (waiter.takeConfirmationRequest()) await confirm?.();
        const page = await read();
        if (page.items.length > 0 || page.isCut || isLastRead) {
          if (hasWaited) await confirm?.();
          return page;
        }
        await waiter.woken();
        hasWaited = true;
        if (!waiter.isAbandoned) continue;
        if (closed) await confirm?.();
        return page;
      }
    } finally {
      clearTimeout(timer);
      if (polledLog !== undefined) unsubscribe(polledLog, waiter);
    }
  };

  const readWithoutWait = async <P extends Page>(log: string, read: () => Promise<P>): Promise<P> => {
    const page = await read();
    if (page.items.length > 0 || page.isCut) return page;
    throw tooMany(log);
  };

  store.events.on("appended", (heads: LogHead[]) => {
    for (const head of heads) {
      for (const waiter of waiters.get(head.botId) ?? []) {
        if (head.lastUpdateId > waiter.offset) waiter.wake(head);
      }
    }
  });

  store.events.on("consumerRewound", (log: string) => {
    for (const waiter of waiters.get(log) ?? []) if (!streams.has(waiter)) waiter.rewind();
  });

  const requestConfirmations = (some: Iterable<Waiter>): void => {
    for (const waiter of some) {
      // The reader of a stream checks its credential after every answer, also after an empty one.
      if (streams.has(waiter)) waiter.end();
      else waiter.requestConfirmation();
    }
  };
  store.events.on("credentialsChanged", (botId) => requestConfirmations(waiters.get(botId) ?? []));
  store.events.on("listeningBegan", () => requestConfirmations(allWaiters()));
  store.events.on("hintsLost", () => requestConfirmations(allWaiters()));

  return {
    // Not async, like its caller: ten thousand wait at once, and each function that waits takes half a kilobyte.
    poll(log, waiter, read, { timeoutMs, watchClient, confirm }) {
      if (timeoutMs === 0 || closed) return read();
      if (!hasCapacity(log)) return readWithoutWait(log, read);
      watchClient?.(() => waiter.abandon());
      subscribe(log, waiter);
      return wait(waiter, read, timeoutMs, confirm, log);
    },

    follow(log, waiter) {
      if (!hasCapacity(log)) throw tooMany(log);
      streams.add(waiter);
      subscribe(log, waiter);
      const end = (): void => {
        unsubscribe(log, waiter);
        waiter.abandon();
      };
      if (closed) end();
      return {
        end,
        async next(read, timeoutMs) {
          const page = waiter.isAbandoned ? undefined : await wait(waiter, read, timeoutMs);
          return waiter.isAbandoned ? undefined : page;
        },
      };
    },

    get waiting() {
      let count = 0;
      for (const all of waiters.values()) count += all.size;
      return count;
    },

    close() {
      closed = true;
      for (const waiter of allWaiters()) waiter.abandon();
    },
  };
}
