import { AnswerError, isPassing } from "../errors.js";
import type { List, Update } from "../types.js";
import type { RequestOptions } from "./connection.js";
import { backoffMs, wait } from "./wait.js";

/** Which updates a poll asks for. */
export interface PollOptions extends RequestOptions {
  /** Updates numbered above this are returned. 0 unless given. */
  offset?: number;
  /** Most updates to return, 1 to 100. 100 unless given. */
  limit?: number;
  /** Seconds to wait for an update while there is none, 0 to 30. 0 unless given. */
  timeout?: number;
  /** Further tries after a failed one; the client's own number unless given. */
  retries?: number;
}

/** What a poll brought. */
export interface UpdatePage extends List<Update> {
  /**
   * The last number of the log, told only when the offset lies beyond it. Then the service has lost data since it gave the
   * offset's number out, and gives that number and those before it out again.
   */
  logHead?: number;
}

/** A log that ends before the offset. */
export interface LogReset {
  /** The last update that was read before. */
  offset: number;
  /** The last update there is now; from here it goes on. */
  head: number;
}

/** A poll that failed, and when the next one comes. */
export interface PollFailure {
  error: unknown;
  /** 1, 2, 3 … since the last poll that succeeded. */
  failures: number;
  waitMs: number;
}

const LONGEST_POLL_S = 30;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** An answer of nothing comes at the end of a long poll. Whoever gives it at once (a cache) is not asked on and on. */
const SHORTEST_POLL_MS = 1_000;

/** Who hears of what happens between polls. */
export interface PollListeners {
  onPollFailure(failure: PollFailure): void;
  /** May throw; then so does {@link nextUpdates}. */
  onLogReset(reset: LogReset): void;
}

/**
 * The updates above `offset`, after however many polls; none when `signal` was aborted. For a service that has answered
 * well before: what fails in a way that passes is waited out, longer and longer or as `Retry-After` says. The poll after
 * that does not wait: a service that comes back from a loss of data is to say so before it gives out new updates.
 *
 * When the log ends before `offset` it goes on from that end. The numbers above it are given out anew, to updates that
 * nobody has read; to wait for the old offset would be to skip them.
 *
 * @throws {ServiceError} when it refuses
 */
export async function nextUpdates(
  poll: (options: PollOptions) => Promise<UpdatePage>,
  { offset = 0, limit, timeout = LONGEST_POLL_S, signal }: PollOptions,
  { onPollFailure, onLogReset }: PollListeners,
): Promise<Update[]> {
  for (let failures = 0; !signal?.aborted; ) {
    const startedAt = Date.now();
    let waitMs: number;
    let logHead: number | undefined;
    try {
      const page = await poll({ offset, limit, timeout, signal, retries: 0 });
      if (page.items.length > 0) return page.items;
      logHead = page.logHead;
      failures = 0;
      waitMs = timeout === 0 ? 0 : startedAt + SHORTEST_POLL_MS - Date.now();
      timeout = LONGEST_POLL_S;
    } catch (error) {
      if (signal?.aborted) break;
      // The same service has answered well: a strange answer now is some proxy's, and will pass.
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

/** What is said of a log that ends too early, unless the caller wants to hear of it. */
export function sayLogReset({ offset, head }: LogReset): void {
  console.error(
    `botyard: the log ends at update ${head}, though this bot had read up to ${offset}: the service has lost data, and gives these numbers out again. It goes on after ${head}; if updates came between the loss and now, they were missed`,
  );
}

/** How long to wait after a failed poll: what the service asked for, or longer and longer. */
export function retryWaitMs(error: unknown, failures: number): number {
  const { retryAfterMs } = (error ?? {}) as { retryAfterMs?: number };
  return retryAfterMs ?? backoffMs(failures, FIRST_WAIT_MS, LONGEST_WAIT_MS);
}
