import type { FastifyReply } from "fastify";
import { InvalidInput, NotFound } from "../domain/errors.js";
import { MAX_PAGE_ITEMS, STREAM_HEARTBEAT_MS } from "../domain/limits.js";
import type { AnswerMemory } from "../operations/answer-memory.js";
import { type FeedPage, feedReader } from "../operations/read-feed.js";
import type { FeedWatch } from "../polling/feed-polls.js";
import { type Store, StoreUnavailable } from "../store/store.js";
import type { AppOptions } from "./api.js";
import { RETRY_MS, sendStream } from "./event-stream.js";
import { encodeFeedItem } from "./schemas/feed.js";

/** The answer of the feed's stream, for the `response` of its schema. */
export const feedEventStream = {
  description:
    "Server-sent events: `id` the cursor, `event` always `item`, `data` the item. A comment every 15 s.",
  content: { "text/event-stream": { schema: { type: "string" } } },
} as const;

/**
 * Answers with the feed as it grows, beginning with a page, and with backpressure: no page is read while the one before
 * waits to be sent.
 */
export function sendFeed(
  reply: FastifyReply,
  watch: FeedWatch,
  first: FeedPage,
  { feedStore, heartbeatMs = STREAM_HEARTBEAT_MS, answerMemory }: AppOptions,
): FastifyReply {
  return sendStream(reply, eventsOf(feedStore, watch, first, heartbeatMs, answerMemory), watch.end);
}

/**
 * The first event has the cursor before the first item, so that a client that loses the connection before the first
 * item resumes there.
 */
async function* eventsOf(
  store: Store,
  watch: FeedWatch,
  first: FeedPage,
  heartbeatMs: number,
  memory: AnswerMemory,
): AsyncGenerator<string> {
  let release = (): void => {};
  try {
    yield `retry: ${RETRY_MS}\nid: ${first.from}\n\n`;
    let page: FeedPage | undefined = first;
    let isFirst = true;
    while (page) {
      const { items, cursor }: FeedPage = page;
      const text = items.map((item) => `id: ${item.cursor}\nevent: item\ndata: ${encodeFeedItem(item)}\n\n`);
      if (text.length === 0 && !isFirst) text.push(":\n\n");
      release = memory.hold(Buffer.byteLength(text.join("")));
      for (const event of text) yield event;
      release();
      isFirst = false;
      page = await watch.next(feedReader(store, { after: cursor }, MAX_PAGE_ITEMS), heartbeatMs);
    }
  } catch (error) {
    // The client reconnects by itself, and then gets the reason: the store is unavailable, or the feed was switched
    // off.
    const isTold =
      error instanceof StoreUnavailable || error instanceof NotFound || error instanceof InvalidInput;
    if (!isTold) throw error;
  } finally {
    release();
    watch.end();
  }
}
