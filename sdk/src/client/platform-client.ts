import type { BatchEvent, BatchPost, EventBatchItem, PostBatchItem } from "../types.js";
import { type Batches, batchesOn, type Items } from "./batches.js";
import { type ClientOptions, connect, type RequestOptions } from "./connection.js";
import { OwnerClient } from "./owner-client.js";

/** For a product that embeds the service: with the platform's token it acts as any owner. */
export class PlatformClient {
  readonly #token: string;
  readonly #options: ClientOptions;
  readonly #batches: Batches;

  /**
   * @param token one of `PLATFORM_TOKEN`
   * @throws {TypeError} when the token or the URL is not valid
   */
  constructor(token: string, options: ClientOptions) {
    this.#token = token;
    this.#options = options;
    this.#batches = batchesOn(connect(token, options));
  }

  /** All operations of the owner with this user id. Costs nothing: there is one connection pool for all. */
  as(userId: string): OwnerClient {
    return new OwnerClient(this.#token, { ...this.#options, owner: userId });
  }

  /**
   * Publishes posts in channels of any owners, in as many calls as they need. An item that is wrong fails alone: look at its
   * `status`. Calls whose posts all have an `idempotency_key` are sent again when they may have failed half-way.
   */
  createPosts(posts: Items<BatchPost>, options: RequestOptions = {}): Promise<PostBatchItem[]> {
    return this.#batches.createPosts(posts, options);
  }

  /** Emits custom events in channels, and to bots, of any owners, as {@link createPosts} publishes posts. */
  emitEvents(events: Items<BatchEvent>, options: RequestOptions = {}): Promise<EventBatchItem[]> {
    return this.#batches.emitEvents(events, options);
  }
}
