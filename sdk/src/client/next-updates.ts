import { AnswerError, isPassing } from "../errors.js";
import type { List, Update } from "../types.js";
import type { RequestOptions } from "./connection.js";
import { retryWaitMs, wait } from "./wait.js";

/** Which updates a poll asks for. */
export interface PollOptions extends RequestOptions {
  /** Updates numbered above this are returned. 0 unless given. */
  offset?: number;
  /**
   * Extension: the name of a consumer, in place of `offset`: updates after the position that the service keeps for it, without
   * those that are done. It is created if there is none.
   */
  consumer?: string | undefined;
  /** Extension, with `consumer`: what the process that reads calls itself. For 45 s it is taken to read on. */
  reader?: string;
  /** Extension, with `reader`: the process has stopped reading. */
  leaving?: boolean;
  /** Most updates to return, 1 to 100. 100 unless given. */
  limit?: number;
  /** Seconds to wait for an update while there is none, 0 to 30. 0 unless given. */
  timeout?: number;
}

/** The result of a poll. */
export interface UpdatePage extends List<Update> {
  /**
   * The last number of the log, only present when the offset is above it. Then the service has lost data since it gave
   * out that number, and will assign it again.
   */
  logHead?: number;
  /** The oldest number that is kept, only present when updates after the offset, or the consumer's position, have expired. */
  logTail?: number;
  /** What another process calls itself that reads for the consumer, only present when `reader` was given and there is one. */
  otherReader?: string;
}

/** A log that ends before the offset. */
export interface LogReset {
  /** The last update that was read before. */
  offset: number;
  /** The last update in the log now; reading continues after it. */
  head: number;
}

/** A failed poll, and the wait before the next one. */
export interface PollFailure {
  /** Why it failed. */
  error: unknown;
  /** 1, 2, 3 … since the last poll that succeeded. */
  failures: number;
  /** The wait before the next poll, in milliseconds. */
  waitMs: number;
}

const LONGEST_POLL_S = 30;
/**
 * The shortest time between two polls without items. An empty long poll normally takes longer; one that is answered
 * immediately, for example by a cache, must not be repeated in a tight loop.
 */
const SHORTEST_POLL_MS = 1_000;

/** Called for what happens between polls. */
export interface PollListeners {
  onPollFailure(failure: PollFailure): void;
  /** May throw; then so does {@link nextUpdates}. */
  onLogReset(reset: LogReset): void;
}

/**
 * The updates above `offset`, after as many polls as it takes; none when `signal` was aborted. For a service that has
 * answered before: temporary failures are retried after growing waits, or as `Retry-After` says. The poll after a failure
 * does not wait for updates, so that a service that has lost data reports that before it gives out new updates.
 *
 * When the log ends before `offset`, it continues from the end of the log. The numbers above are given out again, to new
 * updates; waiting for the old offset would skip them.
 *
 * @throws {ServiceError} when it refuses
 */
export async function nextUpdates(
  poll: (options: PollOptions) => Promise<UpdatePage>,
  { offset = 0, consumer, limit, timeout = LONGEST_POLL_S, signal }: PollOptions,
  { onPollFailure, onLogReset }: PollListeners,
): Promise<Update[]> {
  for (let failures = 0; !signal?.aborted; ) {
    const startedAt = Date.now();
    let waitMs: number;
    let logHead: number | undefined;
    try {
      const from = consumer === undefined ? { offset } : { consumer };
      const page = await poll({ ...from, limit, timeout, signal, retries: 0 });
      if (page.items.length > 0) return page.items;
      logHead = page.logHead;
      failures = 0;
      waitMs = timeout === 0 ? 0 : startedAt + SHORTEST_POLL_MS - Date.now();
      timeout = LONGEST_POLL_S;
    } catch (error) {
      if (signal?.aborted) break;
      // The service has answered correctly before, so an answer that is not Botyard's comes from a proxy and is
      // temporary.
      if (!isPassing(error) && !(error instanceof AnswerError)) throw error;
      failures += 1;
      waitMs = retryWaitMs(error, failures);
      timeout = 0;
      onPollFailure({ error, failures, waitMs });
    }
    if (logHead !== undefined) {
      onLogReset({ offset, head: logHead });
      offset = logHead;
      continue;
    }
    if (waitMs > 0) await wait(waitMs, signal).catch(() => {});
  }
  return [];
}

/** Prints a line about a log that ends too early; the default of `onLogReset`. */
export function printLogReset({ offset, head }: LogReset): void {
  console.error(
    `botyard: the log ends at update ${head}, but this bot has read up to ${offset}: the service has lost data. It goes on after ${head}; updates since then were missed`,
  );
}
