import type {
  BatchChannel,
  BatchEvent,
  BatchPost,
  ChannelBatchItem,
  EventBatchItem,
  PostBatchItem,
} from "../types.js";
import type { Call, Connection, RequestOptions } from "./connection.js";

/** Items of one call. */
const MOST_ITEMS = 1_000;
/** Bytes of items in one call: the service's 4 MiB without the JSON around the items. */
const MOST_BYTES = 4 * 1024 * 1024 - 1024;

export type Items<Item> = Iterable<Item> | AsyncIterable<Item>;

/** Posts and events in batches: calls with as many items as fit, one after the other. */
export interface Batches {
  createPosts(posts: Items<BatchPost>, options?: RequestOptions): Promise<PostBatchItem[]>;
  emitEvents(events: Items<BatchEvent>, options?: RequestOptions): Promise<EventBatchItem[]>;
  putExternalChannels(channels: Items<BatchChannel>, options?: RequestOptions): Promise<ChannelBatchItem[]>;
}

export function batchesOn(connection: Connection): Batches {
  async function sendAll<Item, Result>(
    name: string,
    items: Items<Item>,
    call: Pick<Call, "method" | "path">,
    isRepeatable: (item: Item) => boolean,
    options: RequestOptions,
  ): Promise<Result[]> {
    const results: Result[] = [];
    for await (const batch of batchesOf(items)) {
      const answer = await connection.send<{ items: Result[] }>({
        ...call,
        body: { [name]: batch },
        field: "items",
        isRepeatable: batch.every(isRepeatable),
        ...options,
      });
      results.push(...answer.items);
    }
    return results;
  }
  const post = <Item extends BatchPost | BatchEvent, Result>(
    name: "posts" | "events",
    items: Items<Item>,
    options: RequestOptions = {},
  ): Promise<Result[]> => {
    const call = { method: "POST", path: `/v1/${name}/batch` } as const;
    return sendAll(name, items, call, ({ idempotency_key: key }) => key !== undefined, options);
  };

  return {
    createPosts: (posts, options) => post("posts", posts, options),
    emitEvents: (events, options) => post("events", events, options),
    putExternalChannels: (channels, options = {}) =>
      sendAll("channels", channels, { method: "PUT", path: "/v1/channels/external" }, () => true, options),
  };
}

/** As many items as one call may have; one that is too large alone is a batch, which the service refuses. */
async function* batchesOf<Item>(items: Items<Item>): AsyncGenerator<Item[]> {
  const encoder = new TextEncoder();
  let batch: Item[] = [];
  let bytes = 0;
  for await (const item of items) {
    const size = encoder.encode(JSON.stringify(item)).length + 1;
    if (batch.length > 0 && (batch.length === MOST_ITEMS || bytes + size > MOST_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(item);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
