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

/**
 * The updates above `offset`, after however many polls; none when `signal` was aborted. For a service that has answered
 * well before: what fails in a way that passes is waited out, longer and longer or as `Retry-After` says.
 *
 * @throws {ServiceError} when it refuses
 */
export async function nextUpdates(
  poll: (options: PollOptions) => Promise<List<Update>>,
  { offset, limit, signal }: PollOptions,
  onFailure: (failure: PollFailure) => void,
): Promise<Update[]> {
  for (let failures = 0; !signal?.aborted; ) {
    const startedAt = Date.now();
    let waitMs: number;
    try {
      const { items } = await poll({ offset, limit, timeout: LONGEST_POLL_S, signal, retries: 0 });
      if (items.length > 0) return items;
      failures = 0;
      waitMs = startedAt + SHORTEST_POLL_MS - Date.now();
    } catch (error) {
      if (signal?.aborted) break;
      // The same service has answered well: a strange answer now is some proxy's, and will pass.
      if (!isPassing(error) && !(error instanceof AnswerError)) throw error;
      failures += 1;
      waitMs = retryWaitMs(error, failures);
      onFailure({ error, failures, waitMs });
    }
    if (waitMs > 0) await wait(waitMs, signal).catch(() => {});
  }
  return [];
}

/** How long to wait after a failed poll: what the service asked for, or longer and longer. */
export function retryWaitMs(error: unknown, failures: number): number {
  const { retryAfterMs } = (error ?? {}) as { retryAfterMs?: number };
  return retryAfterMs ?? backoffMs(failures, FIRST_WAIT_MS, LONGEST_WAIT_MS);
}
