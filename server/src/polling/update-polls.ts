import { sliceOf } from "../domain/events/page.js";
import type { Update } from "../domain/events/update.js";
import { MAX_PAGE_BYTES, MAX_STREAM_PIECE_BYTES } from "../domain/limits.js";
import type { ConsumedRead, Store } from "../store/store.js";
import { createLogWaits, type LogWaits, type Wait } from "./log-waits.js";
import { Waiter } from "./waiter.js";

export interface PollRequest extends Pick<Wait, "timeoutMs"> {
  /**
   * Only updates numbered above this are returned; for a consumer, a function that reads its position and the updates
   * after it.
   */
  from: number | ReadConsumed;
  limit: number;
}

/** Reads a consumer's position with the updates above it; undefined when the consumer is gone. */
export type ReadConsumed = () => Promise<ConsumedRead | undefined>;

/** Follows a bot's log as it grows. */
export interface LogFollower {
  /**
   * The next updates, as soon as there is one. Empty when none was appended within `timeoutMs`, or when the bot may
   * have changed; the caller must then check its credential. Undefined when the follower has ended.
   */
  next(limit: number, timeoutMs: number): Promise<Update[] | undefined>;
  /** Ends it; then it no longer counts as a waiting poll. */
  end(): void;
}

export interface UpdatePolls extends Pick<LogWaits, "waiting" | "close"> {
  /**
   * Answers as soon as the bot has an update above the offset. Answers without updates at the time-out, when the client
   * disconnects, and at {@link UpdatePolls.close}.
   *
   * @throws TooManyPolls when there is nothing to read and no further poll may wait
   */
  poll(
    botId: string,
    request: PollRequest,
    watchClient?: Wait["watchClient"],
    confirm?: Wait["confirm"],
  ): Promise<Update[]>;
  /**
   * Follows a bot's log above `offset`, without the numbers in `done`, until {@link LogFollower.end} or {@link
   * UpdatePolls.close}. It counts as a waiting poll as long as it is open.
   *
   * @throws TooManyPolls when no further poll may wait
   */
  follow(botId: string, offset: number, done?: readonly number[]): LogFollower;
}

/**
 * Polls and streams of the logs of bots.
 *
 * @param maxPollsPerBot the most polls and streams of one bot at once, in this process
 * @param pageBytes returns the most bytes of payloads that an answer may have now
 */
export function createUpdatePolls(
  store: Store,
  maxPollsPerBot: number,
  pageBytes = () => MAX_PAGE_BYTES,
): UpdatePolls {
  const waits = createLogWaits(store, maxPollsPerBot, "polls of this bot");

  /** Reads further pages while it finds only updates that are done. */
  const read = async (
    waiter: Waiter,
    readAbove: () => Promise<Update[]>,
    consumed?: ReadConsumed,
  ): Promise<Update[]> => {
    let found: Update[];
    if (consumed) {
      // It is read after its current position, which may have changed.
      const first = await consumed();
      if (first) waiter.moveTo(first.position, first.done);
      found = first?.updates ?? [];
    } else found = await readAbove();
    for (;;) {
      const { done } = waiter;
      if (!done) return found;
      const updates = found.filter(({ updateId }) => !done.has(updateId));
      if (updates.length > 0 || found.length === 0) return updates;
      waiter.offset = found.at(-1)?.updateId ?? waiter.offset;
      found = await readAbove();
    }
  };

  /**
   * An update that wakes a thousand polls comes with the wake-up, so none of them has to read it.
   *
   * @param pieceBytes the most bytes of payloads, of a stream; those of a page when left out
   */
  const updatesFor = async (
    waiter: Waiter,
    botId: string,
    limit: number,
    consumed?: ReadConsumed,
    pieceBytes?: number,
  ): Promise<{ items: Update[] }> => {
    const pushed = waiter.pushedUpdates();
    if (pushed.length > 0)
      return sliceOf(pushed.slice(0, limit), Math.min(pageBytes(), pieceBytes ?? MAX_PAGE_BYTES));
    const readAbove = () => store.readUpdates(botId, waiter.offset, limit, pieceBytes);
    return { items: await read(waiter, readAbove, consumed) };
  };

  return {
    poll(botId, { from, limit, timeoutMs }, watchClient, confirm) {
      const [offset, consumed] = typeof from === "number" ? [from] : [0, from];
      const waiter = new Waiter(offset);
      const readNext = () => updatesFor(waiter, botId, limit, consumed);
      return waits.poll(botId, waiter, readNext, { timeoutMs, watchClient, confirm }).then(itemsOf);
    },

    follow(botId, offset, done) {
      const waiter = new Waiter(offset, done);
      const { next, end } = waits.follow(botId, waiter);
      return {
        end,
        async next(limit, timeoutMs) {
          const readNext = () => updatesFor(waiter, botId, limit, undefined, MAX_STREAM_PIECE_BYTES);
          const page = await next(readNext, timeoutMs);
          waiter.offset = page?.items.at(-1)?.updateId ?? waiter.offset;
          return page?.items;
        },
      };
    },

    get waiting() {
      return waits.waiting;
    },

    close: waits.close,
  };
}

function itemsOf({ items }: { items: Update[] }): Update[] {
  return items;
}
