import type { BatchEvent, BatchPost, EventBatchItem, PostBatchItem } from "../types.js";
import type { Connection, RequestOptions } from "./connection.js";

/** Items of one call. */
const MOST_ITEMS = 1_000;
/** Bytes of items in one call: the service's 4 MiB without the JSON around the items. */
const MOST_BYTES = 4 * 1024 * 1024 - 1024;

export type Items<Item> = Iterable<Item> | AsyncIterable<Item>;

/** Posts and events in batches: calls with as many items as fit, one after the other. */
export interface Batches {
  createPosts(posts: Items<BatchPost>, options?: RequestOptions): Promise<PostBatchItem[]>;
  emitEvents(events: Items<BatchEvent>, options?: RequestOptions): Promise<EventBatchItem[]>;
}

export function batchesOn(connection: Connection): Batches {
  async function sendAll<Item extends BatchPost | BatchEvent, Result>(
    name: "posts" | "events",
    items: Items<Item>,
    options: RequestOptions,
  ): Promise<Result[]> {
    const results: Result[] = [];
    for await (const batch of batchesOf(items)) {
      const answer = await connection.send<{ items: Result[] }>({
        method: "POST",
        path: `/v1/${name}/batch`,
        body: { [name]: batch },
        field: "items",
        isRepeatable: batch.every(({ idempotency_key: key }) => key !== undefined),
        ...options,
      });
      results.push(...answer.items);
    }
    return results;
  }

  return {
    createPosts: (posts, options = {}) => sendAll("posts", posts, options),
    emitEvents: (events, options = {}) => sendAll("events", events, options),
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
