import type {
  AuditEntry,
  BatchEvent,
  BatchPost,
  BotRecord,
  BotReviewState,
  CursorPage,
  DeleteStatus,
  EraseStatus,
  EventBatchItem,
  FeedConsumer,
  FeedItem,
  FeedWebhookConfig,
  List,
  MoveFeedConsumerRequest,
  OwnerUsageDay,
  PlatformOwner,
  PostBatchItem,
  PutBotReviewRequest,
  PutFeedWebhookRequest,
  PutOwnerRequest,
} from "../types.js";
import { readAudit } from "./audit.js";
import { type Batches, batchesOn, type Items } from "./batches.js";
import { type ClientOptions, type Connection, connect, type RequestOptions, segment } from "./connection.js";
import { type Feed, type FeedOptions, type FeedPage, feedOn, type ReadFeedOptions } from "./feed.js";
import { OwnerClient } from "./owner-client.js";
import type { AuditOptions, GetUsageOptions, ListedBotsOptions } from "./owner-options.js";

const OWNERS = "/v1/platform/owners";
const USAGE = "/v1/platform/usage";
const WEBHOOK = "/v1/platform/feed/webhook";

export interface ListReviewsOptions extends ListedBotsOptions {
  /** Only bots that stand so with the platform. */
  state?: BotReviewState | undefined;
}

export interface ListOwnersOptions extends RequestOptions {
  /** Most owners to return, 1 to 100. 100 unless given. */
  limit?: number | undefined;
  /** A user id: only owners after it. */
  after?: string | undefined;
}

export interface ListUsageOptions extends GetUsageOptions {
  /** Most items to return. */
  limit?: number | undefined;
  /** The `cursor` of the page before. */
  after?: string | undefined;
}

export interface OwnerUsagePage extends List<OwnerUsageDay> {
  /** Left out at the end. */
  cursor?: string;
}

const ownerPath = (userId: string) => `${OWNERS}/${segment(userId)}`;

/** For a product that embeds the service: with the platform's token it acts as any owner. */
export class PlatformClient {
  readonly #token: string;
  readonly #options: ClientOptions;
  readonly #batches: Batches;
  readonly #feed: Feed;
  readonly #connection: Connection;

  /**
   * @param token one of `PLATFORM_TOKEN`
   * @throws {TypeError} when the token or the URL is not valid
   */
  constructor(token: string, options: ClientOptions) {
    this.#token = token;
    this.#options = options;
    this.#connection = connect(token, options);
    this.#batches = batchesOn(this.#connection);
    this.#feed = feedOn(this.#connection);
  }

  /** All operations of the owner with this user id. Cheap: all clients share one connection pool. */
  as(userId: string): OwnerClient {
    return new OwnerClient(this.#token, { ...this.#options, owner: userId });
  }

  /**
   * Publishes posts in channels of any owners, in as many requests as needed. Each result has its own `status`: an
   * invalid item fails alone. A request whose posts all have an `idempotency_key` is repeated after a failure.
   */
  createPosts(posts: Items<BatchPost>, options: RequestOptions = {}): Promise<PostBatchItem[]> {
    return this.#batches.createPosts(posts, options);
  }

  /** Emits custom events in channels, and to bots, of any owners, as {@link createPosts} publishes posts. */
  emitEvents(events: Items<BatchEvent>, options: RequestOptions = {}): Promise<EventBatchItem[]> {
    return this.#batches.emitEvents(events, options);
  }

  /**
   * What happens in all channels of all owners, one item after the other: those that are kept, then each new one, until
   * the signal is aborted (it ends without an error) or the service refuses. With a `consumer`, the service keeps the
   * loop's position: a loop that was interrupted continues there, and may get the last page again.
   */
  feed(options: FeedOptions = {}): AsyncGenerator<FeedItem, void, undefined> {
    return this.#feed.follow(options);
  }

  /** One read of the feed. */
  readFeed(options: ReadFeedOptions = {}): Promise<FeedPage> {
    return this.#feed.read(options);
  }

  /** The consumers of the feed, the positions that the service keeps, oldest first. */
  listFeedConsumers(options: RequestOptions = {}): Promise<List<FeedConsumer>> {
    return this.#feed.listConsumers(options);
  }

  /** Reports up to where a consumer has handled the feed. Forward only, unless `rewind` is true. */
  moveFeedConsumer(
    name: string,
    to: MoveFeedConsumerRequest,
    options: RequestOptions = {},
  ): Promise<FeedConsumer> {
    return this.#feed.moveConsumer(name, to, options);
  }

  /** Forgets a consumer of the feed. */
  deleteFeedConsumer(name: string, options: RequestOptions = {}): Promise<DeleteStatus> {
    return this.#feed.deleteConsumer(name, options);
  }

  /** A page of the bots that their owners have listed, oldest first, with what was decided on them. */
  listReviews({
    limit,
    q,
    cursor,
    state,
    ...options
  }: ListReviewsOptions = {}): Promise<CursorPage<BotRecord>> {
    const query = { limit, q, cursor, state };
    return this.#connection.send({
      method: "GET",
      path: "/v1/platform/bots",
      query,
      field: "items",
      ...options,
    });
  }

  /** Approves or rejects a bot. */
  putBotReview(botId: string, body: PutBotReviewRequest, options: RequestOptions = {}): Promise<BotRecord> {
    const path = `/v1/platform/bots/${segment(botId)}/review`;
    return this.#connection.send({ method: "PUT", path, body, field: "id", ...options });
  }

  /**
   * Erases a user of the product from everything that any owner has. As long as its status is `erasing`, call again: what is there may take minutes.
   *
   * @param userId the product's own id of the user
   */
  eraseUser(userId: string, options: RequestOptions = {}): Promise<EraseStatus> {
    const path = `/v1/platform/users/${segment(userId)}`;
    return this.#connection.send({ method: "DELETE", path, field: "status", ...options });
  }

  /** A page of the owners of whom you have decided something, by user id. */
  listOwners({ limit, after, ...options }: ListOwnersOptions = {}): Promise<List<PlatformOwner>> {
    const query = { limit, after };
    return this.#connection.send({ method: "GET", path: OWNERS, query, field: "items", ...options });
  }

  /** What you have decided about an owner. */
  getOwner(userId: string, options: RequestOptions = {}): Promise<PlatformOwner> {
    return this.#connection.send({ method: "GET", path: ownerPath(userId), field: "user_id", ...options });
  }

  /** Suspends an owner or lifts that, sets limits, or your data about the owner. What is left out stays as it is. */
  putOwner(userId: string, body: PutOwnerRequest, options: RequestOptions = {}): Promise<PlatformOwner> {
    const path = ownerPath(userId);
    return this.#connection.send({ method: "PUT", path, body, field: "user_id", ...options });
  }

  /** Who changed what, newest first: of one owner, or of all and the platform itself. */
  listAudit(options: AuditOptions & { owner?: string | undefined } = {}): Promise<List<AuditEntry>> {
    return readAudit(this.#connection, "/v1/platform/audit", options);
  }

  /** What all owners have used, by day: a page, whose `cursor` is the `after` of the next one. */
  listUsage({ from, to, limit, after, ...options }: ListUsageOptions = {}): Promise<OwnerUsagePage> {
    const query = { from, to, limit, after };
    return this.#connection.send({ method: "GET", path: USAGE, query, field: "items", ...options });
  }

  /** The webhook that the feed is sent to, with `url: ""` when there is none. */
  getFeedWebhook(options: RequestOptions = {}): Promise<FeedWebhookConfig> {
    return this.#connection.send({ method: "GET", path: WEBHOOK, field: "url", ...options });
  }

  /** Sends the feed to a webhook, a page at a time, which `verifyFeedPage` reads. Without `secret_token` the stored one stays. */
  putFeedWebhook(body: PutFeedWebhookRequest, options: RequestOptions = {}): Promise<FeedWebhookConfig> {
    return this.#connection.send({ method: "PUT", path: WEBHOOK, body, field: "url", ...options });
  }

  /** Ends that, and forgets how far it was. */
  deleteFeedWebhook(options: RequestOptions = {}): Promise<DeleteStatus> {
    return this.#connection.send({ method: "DELETE", path: WEBHOOK, field: "status", ...options });
  }
}
