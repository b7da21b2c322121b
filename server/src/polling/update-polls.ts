import { MAX_PAGE_BYTES } from "../domain/limits.js";
import { sliceOf } from "../domain/page.js";
import type { Update } from "../domain/update.js";
import type { LogHead, Store } from "../store/store.js";
import { Waiter } from "./waiter.js";

export interface PollRequest {
  /** Only updates numbered above it are wanted. */
  offset: number;
  limit: number;
  /** How long to wait for the first one, in milliseconds; 0 answers at once. */
  timeoutMs: number;
}

/** As many polls of the bot as may wait already do. */
export class TooManyPolls extends Error {
  override readonly name = "TooManyPolls";
}

/** A bot's log as it grows. */
export interface UpdateFeed {
  /**
   * The next updates, as soon as there is one. Empty when none came within `timeoutMs`, or when the bot may have changed, so
   * that its caller may have no right to more; undefined when the feed has ended.
   */
  next(limit: number, timeoutMs: number): Promise<Update[] | undefined>;
  /** Gives its place back. */
  end(): void;
}

export interface UpdatePolls {
  /**
   * Answers as soon as the bot has an update above the offset; with none when the log ends before it, at the time-out, when the client has hung up and
   * at {@link UpdatePolls.close}.
   *
   * @param watchClient called when the wait begins; has `onHangUp` called when the client hangs up
   * @param confirm rejects when the caller's credential counts no more, and the poll with it; called as soon as the bot may
   *   have changed during the wait, and before anything is answered after a wait
   * @throws TooManyPolls when there is nothing to read and no place to wait
   */
  poll(
    botId: string,
    request: PollRequest,
    watchClient?: (onHangUp: () => void) => void,
    confirm?: () => Promise<unknown>,
  ): Promise<Update[]>;
  /**
   * Goes along a bot's log, from above `offset`, until {@link UpdateFeed.end} or {@link UpdatePolls.close}. It takes the
   * place of a waiting poll all the while.
   *
   * @throws TooManyPolls when there is no place
   */
  follow(botId: string, offset: number): UpdateFeed;
  /** Polls that wait now, and feeds. */
  readonly waiting: number;
  /** Answers every waiting poll with nothing, and later ones without a wait; ends every feed. */
  close(): void;
}

/**
 * Long polling, and streams, which do the same again and again: subscribe, read, wait, read again. Subscribing comes
 * first, so an update that is appended between the reading and the waiting is not missed. Wake-ups are only hints, and a
 * poll that got none still reads once more at its time-out.
 *
 * @param maxPollsPerBot the most polls and feeds of one bot at once, in this process
 * @param pageBytes what the payloads of an answer may be together at the moment
 */
export function createUpdatePolls(
  store: Store,
  maxPollsPerBot: number,
  pageBytes = () => MAX_PAGE_BYTES,
): UpdatePolls {
  const waiters = new Map<string, Set<Waiter>>();
  /** Those of them that are feeds. */
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

  const hasPlace = (botId: string): boolean => (waiters.get(botId)?.size ?? 0) < maxPollsPerBot;

  const tooMany = (): TooManyPolls =>
    new TooManyPolls(`${maxPollsPerBot} polls of this bot wait already, and no more may: end some first`);

  const readWithoutWait = async (botId: string, offset: number, limit: number): Promise<Update[]> => {
    const updates = await store.readUpdates(botId, offset, limit);
    if (updates.length > 0) return updates;
    throw tooMany();
  };

  /** An update that wakes a thousand polls is read for none of them. */
  const updatesFor = async (waiter: Waiter, botId: string, limit: number): Promise<Update[]> => {
    const news = waiter.news();
    if (news.length === 0) return await store.readUpdates(botId, waiter.offset, limit);
    return sliceOf(news.slice(0, limit), pageBytes()).items;
  };

  store.events.on("appended", (heads: LogHead[]) => {
    for (const head of heads) {
      for (const waiter of waiters.get(head.botId) ?? []) {
        if (head.lastUpdateId > waiter.offset) waiter.wake(head);
      }
    }
  });

  const doubt = (waiter: Waiter): void => {
    // Whoever reads a feed looks for itself, whenever it is given something or nothing.
    if (feeds.has(waiter)) waiter.end();
    else waiter.doubt();
  };

  store.events.on("botChanged", (botId: string) => {
    for (const waiter of waiters.get(botId) ?? []) doubt(waiter);
  });

  store.events.on("hintsLost", () => {
    for (const waiter of allWaiters()) doubt(waiter);
  });

  return {
    async poll(botId, { offset, limit, timeoutMs }, watchClient, confirm) {
      if (timeoutMs === 0 || closed) return await store.readUpdates(botId, offset, limit);
      if (!hasPlace(botId)) return await readWithoutWait(botId, offset, limit);
      const waiter = new Waiter(offset);
      const timer = setTimeout(() => waiter.end(), timeoutMs);
      watchClient?.(() => waiter.abandon());
      subscribe(botId, waiter);
      let hasWaited = false;
      try {
        while (!waiter.isAbandoned) {
          const isLastRead = waiter.hasEnded();
          if (waiter.wasDoubted()) await confirm?.();
          const updates = await updatesFor(waiter, botId, limit);
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

    follow(botId, offset) {
      if (!hasPlace(botId)) throw tooMany();
      const waiter = new Waiter(offset);
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
              const isLastRead = waiter.hasEnded();
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
