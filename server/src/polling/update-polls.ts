import type { ErrorCode } from "../domain/error-codes.js";
import { MAX_PAGE_BYTES, MAX_STREAM_PIECE_BYTES } from "../domain/limits.js";
import { sliceOf } from "../domain/page.js";
import type { Update } from "../domain/update.js";
import type { ConsumedRead, LogHead, Store } from "../store/store.js";
import { Waiter } from "./waiter.js";

export interface PollRequest {
  /**
   * Only updates numbered above this are returned; for a consumer, a function that reads its position and the updates
   * after it.
   */
  from: number | ReadConsumed;
  limit: number;
  /** How long to wait for the first one, in milliseconds; 0 answers immediately. */
  timeoutMs: number;
}

/** Reads a consumer's position with the updates above it; undefined when the consumer is gone. */
export type ReadConsumed = () => Promise<ConsumedRead | undefined>;

/** The bot has as many waiting polls and feeds as it may. */
export class TooManyPolls extends Error {
  override readonly name = "TooManyPolls";
  readonly code = "too_many_polls" satisfies ErrorCode;
}

/** A bot's log as it grows. */
export interface UpdateFeed {
  /**
   * The next updates, as soon as there is one. Empty when none was appended within `timeoutMs`, or when the bot may
   * have changed; the caller must then check its credential. Undefined when the feed has ended.
   */
  next(limit: number, timeoutMs: number): Promise<Update[] | undefined>;
  /** Ends the feed, which then no longer counts as a waiting poll. */
  end(): void;
}

export interface UpdatePolls {
  /**
   * Answers as soon as the bot has an update above the offset. Answers without updates at the time-out, when the client
   * disconnects, and at {@link UpdatePolls.close}.
   *
   * @param watchClient called when the wait begins; must call `onHangUp` when the client disconnects
   * @param confirm rejects when the caller's credential is no longer valid; the poll then rejects too. Called when the
   *   bot may have changed during the wait, and before every answer after a wait
   * @throws TooManyPolls when there is nothing to read and no further poll may wait
   */
  poll(
    botId: string,
    request: PollRequest,
    watchClient?: (onHangUp: () => void) => void,
    confirm?: () => Promise<unknown>,
  ): Promise<Update[]>;
  /**
   * Opens a feed of a bot's log above `offset`, without the numbers in `done`, until {@link UpdateFeed.end} or {@link
   * UpdatePolls.close}. It counts as a waiting poll as long as it is open.
   *
   * @throws TooManyPolls when no further poll may wait
   */
  follow(botId: string, offset: number, done?: readonly number[]): UpdateFeed;
  /** The number of waiting polls and feeds. */
  readonly waiting: number;
  /** Answers every waiting poll with nothing, and later ones without a wait; ends every feed. */
  close(): void;
}

/**
 * Long polls, and streams, which repeat the same steps: subscribe, read, wait, read again. Subscribing comes first, so
 * that an update that is appended between the read and the wait is not missed. Wake-ups are only hints: a poll without
 * any reads once more at its time-out.
 *
 * @param maxPollsPerBot the most polls and feeds of one bot at once, in this process
 * @param pageBytes returns the most bytes of payloads that an answer may have now
 */
export function createUpdatePolls(
  store: Store,
  maxPollsPerBot: number,
  pageBytes = () => MAX_PAGE_BYTES,
): UpdatePolls {
  const waiters = new Map<string, Set<Waiter>>();
  /** The waiters that are feeds. */
  const feeds = new WeakSet<Waiter>();
  let waiting = 0;
  let closed = false;

  const subscribe = (botId: string, waiter: Waiter): void => {
    const others = waiters.get(botId);
    if (others) others.add(waiter);
    else waiters.set(botId, new Set([waiter]));
    waiting += 1;
  };

  const unsubscribe = (botId: string, waiter: Waiter): void => {
    const all = waiters.get(botId);
    all?.delete(waiter);
    if (all?.size === 0) waiters.delete(botId);
    waiting -= 1;
  };

  const allWaiters = (): Waiter[] => [...waiters.values()].flatMap((all) => [...all]);

  const hasCapacity = (botId: string): boolean => (waiters.get(botId)?.size ?? 0) < maxPollsPerBot;

  const tooMany = (): TooManyPolls =>
    new TooManyPolls(`${maxPollsPerBot} polls of this bot wait already, which is the limit: end some first`);

  const readAbove = (waiter: Waiter, botId: string, limit: number): Promise<Update[]> =>
    store.readUpdates(botId, waiter.offset, limit, feeds.has(waiter) ? MAX_STREAM_PIECE_BYTES : undefined);

  /** A consumer is read after its current position, which may have changed. */
  const readNext = async (waiter: Waiter, botId: string, limit: number, consumed?: ReadConsumed) => {
    if (!consumed) return await readAbove(waiter, botId, limit);
    const read = await consumed();
    if (!read) return [];
    waiter.moveTo(read.position, read.done);
    return read.updates;
  };

  /** Reads further pages while it finds only updates that are done. */
  const read = async (
    waiter: Waiter,
    botId: string,
    limit: number,
    consumed?: ReadConsumed,
  ): Promise<Update[]> => {
    let found = await readNext(waiter, botId, limit, consumed);
    for (;;) {
      const { done } = waiter;
      if (!done) return found;
      const updates = found.filter(({ updateId }) => !done.has(updateId));
      if (updates.length > 0 || found.length === 0) return updates;
      waiter.offset = found.at(-1)?.updateId ?? waiter.offset;
      found = await readAbove(waiter, botId, limit);
    }
  };

  /** An update that wakes a thousand polls comes with the wake-up, so none of them has to read it. */
  const updatesFor = async (
    waiter: Waiter,
    botId: string,
    limit: number,
    consumed?: ReadConsumed,
  ): Promise<Update[]> => {
    const pushed = waiter.pushedUpdates();
    if (pushed.length === 0) return await read(waiter, botId, limit, consumed);
    const maxBytes = feeds.has(waiter) ? Math.min(pageBytes(), MAX_STREAM_PIECE_BYTES) : pageBytes();
    return sliceOf(pushed.slice(0, limit), maxBytes).items;
  };

  store.events.on("appended", (heads: LogHead[]) => {
    for (const head of heads) {
      for (const waiter of waiters.get(head.botId) ?? []) {
        if (head.lastUpdateId > waiter.offset) waiter.wake(head);
      }
    }
  });

  store.events.on("consumerRewound", (botId: string) => {
    for (const waiter of waiters.get(botId) ?? []) if (!feeds.has(waiter)) waiter.rewind();
  });

  const requestConfirmation = (waiter: Waiter): void => {
    // The reader of a feed checks its credential after every answer, also after an empty one.
    if (feeds.has(waiter)) waiter.end();
    else waiter.requestConfirmation();
  };

  store.events.on("credentialsChanged", (botId: string) => {
    for (const waiter of waiters.get(botId) ?? []) requestConfirmation(waiter);
  });

  const requestConfirmations = (): void => {
    for (const waiter of allWaiters()) requestConfirmation(waiter);
  };
  store.events.on("listeningBegan", requestConfirmations);
  store.events.on("hintsLost", requestConfirmations);

  return {
    async poll(botId, { from, limit, timeoutMs }, watchClient, confirm) {
      const consumed = typeof from === "number" ? undefined : from;
      const waiter = new Waiter(typeof from === "number" ? from : 0);
      if (timeoutMs === 0 || closed) return await read(waiter, botId, limit, consumed);
      if (!hasCapacity(botId)) {
        const updates = await read(waiter, botId, limit, consumed);
        if (updates.length > 0) return updates;
        throw tooMany();
      }
      const timer = setTimeout(() => waiter.end(), timeoutMs);
      watchClient?.(() => waiter.abandon());
      subscribe(botId, waiter);
      let hasWaited = false;
      try {
        while (!waiter.isAbandoned) {
          const isLastRead = waiter.takeEnd();
          if (waiter.takeConfirmationRequest()) await confirm?.();
          const updates = await updatesFor(waiter, botId, limit, consumed);
          if (updates.length > 0 || isLastRead) {
            if (hasWaited) await confirm?.();
            return updates;
          }
          await waiter.woken();
          hasWaited = true;
        }
        if (closed) await confirm?.();
        return [];
      } finally {
        clearTimeout(timer);
        unsubscribe(botId, waiter);
      }
    },

    follow(botId, offset, done) {
      if (!hasCapacity(botId)) throw tooMany();
      const waiter = new Waiter(offset, done);
      feeds.add(waiter);
      subscribe(botId, waiter);
      let isOpen = true;
      const end = (): void => {
        if (!isOpen) return;
        isOpen = false;
        unsubscribe(botId, waiter);
        waiter.abandon();
      };
      if (closed) end();
      return {
        end,
        async next(limit, timeoutMs) {
          const timer = setTimeout(() => waiter.end(), timeoutMs);
          try {
            while (!waiter.isAbandoned) {
              const isLastRead = waiter.takeEnd();
              const updates = await updatesFor(waiter, botId, limit);
              waiter.offset = updates.at(-1)?.updateId ?? waiter.offset;
              if (waiter.isAbandoned) break;
              if (updates.length > 0 || isLastRead) return updates;
              await waiter.woken();
            }
            return undefined;
          } finally {
            clearTimeout(timer);
          }
        },
      };
    },

    get waiting() {
      return waiting;
    },

    close() {
      closed = true;
      for (const waiter of allWaiters()) waiter.abandon();
    },
  };
}
