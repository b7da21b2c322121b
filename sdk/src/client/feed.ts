import { AnswerError, isPassing } from "../errors.js";
import type {
  Author,
  DeleteStatus,
  FeedConsumer,
  FeedItem,
  List,
  MoveFeedConsumerRequest,
} from "../types.js";
import { readAnswer } from "./answer.js";
import { type Connection, type RequestOptions, segment } from "./connection.js";
import { type PollFailure } from "./next-updates.js";
import { storingPosition } from "./store-position.js";
import { retryWaitMs, wait } from "./wait.js";

/** Which items of the feed to read: all unless given. */
interface FeedFilter {
  /** Only what happened in channels, or to bots, of the owner with this user id. */
  owner?: string | undefined;
  /** Only posts, edits and custom events whose author is of this kind. */
  authorType?: Author["type"] | undefined;
}

/** Which part of the feed to read: from the oldest item that is kept, unless `after` or `consumer` is given. */
export interface ReadFeedOptions extends RequestOptions, FeedFilter {
  /** The cursor of a page or of an item, after which to read. */
  after?: string | undefined;
  /** The name of a consumer, after whose position to read. It is created if there is none. */
  consumer?: string | undefined;
  /** Most items to return, 1 to 500. 100 unless given. */
  limit?: number;
  /** Seconds to wait for an item while there is none, 0 to 30. 0 unless given. */
  timeout?: number;
}

export interface FeedPage extends List<FeedItem> {
  /** The position after the items. */
  cursor: string;
  /** Only present when items after the consumer's position have expired: the position before the oldest that is kept. */
  oldestKept?: string;
}

/** How to follow the feed. */
export interface FeedOptions extends RequestOptions, FeedFilter {
  /** The cursor after which to begin. Unless given, it begins with the oldest item that is kept. */
  after?: string | undefined;
  /**
   * The name of a consumer, in place of `after`. It begins after the position that the service keeps, and moves that
   * position after each page and when the loop ends, to the last item that the loop has finished.
   */
  consumer?: string | undefined;
  /**
   * Most items to read at once, 1 to 500, and to handle before the position of `consumer` is kept. 100 unless given.
   */
  limit?: number;
  /** Called after a read that failed, before the next try. */
  onFailure?(failure: PollFailure): void;
  /** Called when items that the consumer has not handled have expired; reading continues with the oldest that is kept. */
  onExpired?(): void;
}

/** The feed of the platform, and the consumers of it. */
export interface Feed {
  read(options?: ReadFeedOptions): Promise<FeedPage>;
  follow(options?: FeedOptions): AsyncGenerator<FeedItem, void, undefined>;
  listConsumers(options?: RequestOptions): Promise<List<FeedConsumer>>;
  moveConsumer(name: string, to: MoveFeedConsumerRequest, options?: RequestOptions): Promise<FeedConsumer>;
  deleteConsumer(name: string, options?: RequestOptions): Promise<DeleteStatus>;
}

const LONGEST_POLL_S = 30;
/** A poll may take this much longer than it was asked to wait. */
const POLL_GRACE_MS = 10_000;
/**
 * The shortest time between two polls without items. An empty long poll normally takes longer; one that is answered
 * immediately, for example by a cache, must not be repeated in a tight loop.
 */
const SHORTEST_POLL_MS = 1_000;

export function feedOn(connection: Connection): Feed {
  const read: Feed["read"] = async ({
    after,
    consumer,
    limit,
    owner,
    authorType,
    timeout = 0,
    ...options
  } = {}) => {
    const page = await connection.send<FeedPage>({
      method: "GET",
      path: "/v1/platform/feed",
      query: { after, consumer, limit, owner, author_type: authorType, timeout },
      field: "items",
      headers: { accept: "application/json" },
      read: readPage,
      ...(timeout > 0 ? { timeoutMs: timeout * 1000 + POLL_GRACE_MS } : {}),
      ...options,
    });
    return page;
  };
  const consumerPath = (name: string) => `/v1/platform/consumers/${segment(name)}`;
  const moveConsumer: Feed["moveConsumer"] = (name, to, options = {}) =>
    connection.send({ method: "PUT", path: consumerPath(name), body: to, field: "cursor", ...options });

  /** The next page with items; undefined when the signal was aborted. For a service that has answered before. */
  const nextPage = async (
    start: Pick<FeedOptions, "after" | "consumer">,
    { signal, onFailure = () => {}, ...options }: FeedOptions,
  ): Promise<FeedPage | undefined> => {
    let from = start;
    let last: string | undefined;
    for (let failures = 0; !signal?.aborted; ) {
      const startedAt = Date.now();
      let waitMs: number;
      try {
        const page = await read({ ...options, ...from, timeout: LONGEST_POLL_S, signal, retries: 0 });
        if (page.items.length > 0) return page;
        failures = 0;
        // What the filter has left out is not read again.
        const isFurther = isFiltered(options) && page.cursor !== last;
        last = page.cursor;
        if (isFurther && from.consumer === undefined) from = { after: page.cursor };
        else if (isFurther && from.consumer !== undefined)
          await moveConsumer(from.consumer, { cursor: page.cursor }, { signal });
        waitMs = isFurther ? 0 : startedAt + SHORTEST_POLL_MS - Date.now();
      } catch (error) {
        if (signal?.aborted) break;
        // The service has answered correctly before, so an answer that is not Botyard's comes from a proxy and is
        // temporary.
        if (!isPassing(error) && !(error instanceof AnswerError)) throw error;
        failures += 1;
        waitMs = retryWaitMs(error, failures);
        onFailure({ error, failures, waitMs });
      }
      if (waitMs > 0) await wait(waitMs, signal).catch(() => {});
    }
    return undefined;
  };

  async function* follow(options: FeedOptions = {}): AsyncGenerator<FeedItem, void, undefined> {
    const { consumer, signal, onExpired = () => {}, onFailure: _, ...first } = options;
    const start = consumer === undefined ? first : { ...first, consumer };
    const store = async ({ cursor }: FeedItem) => {
      if (consumer !== undefined) await moveConsumer(consumer, { cursor });
    };
    let page: FeedPage | undefined = await read({ ...start, signal }).catch((error: unknown) => {
      if (signal?.aborted) return undefined;
      throw error;
    });
    while (page) {
      if (page.oldestKept !== undefined) onExpired();
      yield* storingPosition(page.items, store, signal);
      if (signal?.aborted) return;
      const from = consumer === undefined ? { after: page.cursor } : { consumer };
      page = await nextPage(from, options);
    }
  }

  return {
    read,
    follow,
    moveConsumer,
    listConsumers: (options = {}) =>
      connection.send({ method: "GET", path: "/v1/platform/consumers", field: "items", ...options }),
    deleteConsumer: (name, options = {}) =>
      connection.send({ method: "DELETE", path: consumerPath(name), field: "status", ...options }),
  };
}

function isFiltered({ owner, authorType }: FeedFilter): boolean {
  return owner !== undefined || authorType !== undefined;
}

/** The next cursor comes from the page, and a wrong one would skip items for good. */
async function readPage(response: Response, url: string): Promise<object> {
  const answer = (await readAnswer(response, url, "items")) as Partial<FeedPage>;
  const { items, cursor } = answer;
  const isPage =
    typeof cursor === "string" &&
    Array.isArray(items) &&
    items.every(
      (item: Partial<FeedItem> | null) =>
        typeof item?.cursor === "string" && typeof item.payload === "object",
    );
  if (!isPage) {
    throw new AnswerError("the answer is not a feed: is that a Botyard service?", {
      status: 200,
      isPassing: false,
    });
  }
  const oldestKept = response.headers.get("botyard-log-tail");
  return { ...answer, ...(oldestKept === null ? {} : { oldestKept }) };
}
