import type { Update } from "../domain/update.js";
import type { LogHead, Store } from "../store/store.js";

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

export interface UpdatePolls {
  /**
   * Answers as soon as the bot has an update above the offset; with none at the time-out, when `signal` aborts (the
   * client hung up) and at {@link UpdatePolls.close}.
   *
   * @throws TooManyPolls when there is nothing to read and no place to wait
   */
  poll(botId: string, request: PollRequest, signal?: AbortSignal): Promise<Update[]>;
  /** Polls that wait now. */
  readonly waiting: number;
  /** Answers every waiting poll with nothing, and later ones without a wait. */
  close(): void;
}

/**
 * Long polling: subscribe, read, wait, read again. Subscribing comes first, so an update that is appended between the
 * reading and the waiting is not missed. Wake-ups are only hints, and a poll that got none still reads once more at
 * its time-out.
 *
 * @param maxPollsPerBot the most polls of one bot that wait at once, in this process
 */
export function createUpdatePolls(store: Store, maxPollsPerBot: number): UpdatePolls {
  const waiters = new Map<string, Set<Waiter>>();
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

  const readWithoutWait = async (botId: string, offset: number, limit: number): Promise<Update[]> => {
    const updates = await store.readUpdates(botId, offset, limit);
    if (updates.length > 0) return updates;
    throw new TooManyPolls(
      `${maxPollsPerBot} polls of this bot wait already, and no more may: end some first`,
    );
  };

  store.events.on("appended", (heads: LogHead[]) => {
    for (const { botId, lastUpdateId } of heads) {
      for (const waiter of waiters.get(botId) ?? []) {
        if (lastUpdateId > waiter.offset) waiter.wake();
      }
    }
  });

  store.events.on("hintsLost", () => {
    for (const waiter of allWaiters()) waiter.wake();
  });

  return {
    async poll(botId, { offset, limit, timeoutMs }, signal) {
      if (timeoutMs === 0 || closed) return await store.readUpdates(botId, offset, limit);
      if ((waiters.get(botId)?.size ?? 0) >= maxPollsPerBot)
        return await readWithoutWait(botId, offset, limit);
      const waiter = createWaiter(offset);
      const timer = setTimeout(waiter.end, timeoutMs);
      signal?.addEventListener("abort", waiter.abandon, { once: true });
      subscribe(botId, waiter);
      try {
        while (!waiter.isAbandoned()) {
          const isLastRead = waiter.hasEnded();
          const updates = await store.readUpdates(botId, offset, limit);
          if (updates.length > 0 || isLastRead) return updates;
          await waiter.woken();
        }
        return [];
      } finally {
        clearTimeout(timer);
        unsubscribe(botId, waiter);
      }
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

interface Waiter {
  readonly offset: number;
  /** There may be something to read. */
  wake(): void;
  /** The time is up: read once more, then answer. */
  end(): void;
  /** Nobody waits for an answer any more, or there is no time for one. */
  abandon(): void;
  hasEnded(): boolean;
  isAbandoned(): boolean;
  /** Resolves at the next of the three calls, at once when one was made since the last time. */
  woken(): Promise<void>;
}

function createWaiter(offset: number): Waiter {
  let ended = false;
  let abandoned = false;
  let isWoken = false;
  let resume: (() => void) | undefined;

  const wake = (): void => {
    isWoken = true;
    resume?.();
  };
  return {
    offset,
    wake,
    end() {
      ended = true;
      wake();
    },
    abandon() {
      abandoned = true;
      wake();
    },
    hasEnded: () => ended,
    isAbandoned: () => abandoned,
    async woken() {
      if (!isWoken) {
        await new Promise<void>((resolve) => {
          resume = resolve;
        });
      }
      isWoken = false;
      resume = undefined;
    },
  };
}
