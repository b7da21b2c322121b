import { AnswerError, isPassing } from "../errors.js";
import type { BotChannel, BotIdentity, BotPost, CreateChannelPostRequest, List, Update } from "../types.js";
import { type ClientOptions, type Connection, connect, type RequestOptions, segment } from "./connection.js";
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

/** Which updates to go through. */
export interface UpdatesOptions extends RequestOptions {
  /** The number after which to begin. 0, the oldest that is kept, unless given. */
  offset?: number;
}

export const LONGEST_POLL_S = 30;
/** A poll may take this much longer than it was asked to wait. */
const POLL_GRACE_MS = 10_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

/** The operations of a bot: one method for each. Every one may reject with the three kinds of errors. */
export class BotClient {
  readonly #connection: Connection;

  /** @throws {TypeError} when the token or the address cannot be one */
  constructor(token: string, options: ClientOptions) {
    this.#connection = connect(token, options);
  }

  /** The bot that the token belongs to. */
  getMe(options: RequestOptions = {}): Promise<BotIdentity> {
    return this.#connection.send({ method: "GET", path: "/v1/bot-api/me", field: "username", ...options });
  }

  /** The channels the bot is attached to, oldest first. */
  listMyChannels(options: RequestOptions = {}): Promise<List<BotChannel>> {
    return this.#connection.send({ method: "GET", path: "/v1/bot-api/channels", field: "items", ...options });
  }

  /** The same channels, one after the other. */
  async *channels(options: RequestOptions = {}): AsyncGenerator<BotChannel, void, undefined> {
    yield* (await this.listMyChannels(options)).items;
  }

  /** Publishes a post. Never repeated when it may have arrived: then it would stand there twice. */
  createBotPost(
    channelId: string,
    post: CreateChannelPostRequest,
    options: RequestOptions = {},
  ): Promise<BotPost> {
    const path = `/v1/bot-api/channels/${segment(channelId)}/posts`;
    return this.#connection.send({ method: "POST", path, body: post, field: "id", ...options });
  }

  /** One read of the bot's log: the updates above `offset`, ascending. */
  async pollUpdates({ offset = 0, limit, timeout = 0, ...options }: PollOptions = {}): Promise<List<Update>> {
    const answer = await this.#connection.send<List<Update>>({
      method: "GET",
      path: "/v1/bot-api/updates",
      query: { offset, limit, timeout },
      field: "items",
      ...(timeout > 0 ? { timeoutMs: timeout * 1000 + POLL_GRACE_MS } : {}),
      ...options,
    });
    checkUpdates(answer.items, offset);
    return answer;
  }

  /**
   * All updates above `offset`, and then each new one as it comes, until the signal is aborted (it ends without an error)
   * or the service refuses. Failures that pass are waited out.
   */
  async *updates({ offset = 0, signal }: UpdatesOptions = {}): AsyncGenerator<Update, void, undefined> {
    for (let failures = 0; !signal?.aborted; ) {
      try {
        const { items } = await this.pollUpdates({ offset, timeout: LONGEST_POLL_S, signal, retries: 0 });
        failures = 0;
        for (const update of items) {
          yield update;
          offset = update.update_id;
        }
      } catch (error) {
        if (signal?.aborted) return;
        if (!isPassing(error)) throw error;
        failures += 1;
        const waitMs = retryWaitMs(error, failures);
        await wait(waitMs, signal).catch(() => {});
      }
    }
  }
}

/** How long to wait after a failed poll: what the service asked for, or longer and longer. */
export function retryWaitMs(error: unknown, failures: number): number {
  const { retryAfterMs } = error as { retryAfterMs?: number };
  return retryAfterMs ?? backoffMs(failures, FIRST_WAIT_MS, LONGEST_WAIT_MS);
}

/** An offset is taken from what comes here, and a wrong one would skip updates for good. */
function checkUpdates(items: unknown, offset: number): void {
  let last = offset;
  const isLog =
    Array.isArray(items) &&
    items.every((update: Partial<Update> | null) => {
      const id = update?.update_id;
      if (!Number.isSafeInteger(id) || (id as number) <= last) return false;
      last = id as number;
      return (
        typeof update?.event_type === "string" &&
        typeof update.payload === "object" &&
        update.payload !== null
      );
    });
  if (isLog) return;
  throw new AnswerError("the answer holds no list of updates above the offset: is that a Botyard service?", {
    status: 200,
    isPassing: false,
  });
}
