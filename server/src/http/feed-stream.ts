import type { FastifyReply } from "fastify";
import type { FeedFilter } from "../domain/events/feed-filter.js";
import { MAX_PAGE_ITEMS, STREAM_HEARTBEAT_MS } from "../domain/limits.js";
import { type FeedPage, feedReader } from "../operations/logs/read-feed.js";
import type { Stream } from "../polling/log-waits.js";
import type { AppOptions } from "./api.js";
import { HEARTBEAT, piecesOf, sendStream } from "./event-stream.js";
import { encodeFeedItem } from "./schemas/events/feed.js";

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
  watch: Stream<FeedPage>,
  first: FeedPage,
  filter: FeedFilter,
  { feedStore, heartbeatMs = STREAM_HEARTBEAT_MS, answerMemory }: AppOptions,
): FastifyReply {
  let last: FeedPage | undefined;
  const next = async (): Promise<string[] | undefined> => {
    const read = last && feedReader(feedStore, { after: last.cursor }, { limit: MAX_PAGE_ITEMS, ...filter });
    const page = read ? await watch.next(read, heartbeatMs) : first;
    const isHeartbeat = last !== undefined && page?.items.length === 0;
    last = page;
    if (isHeartbeat) return [HEARTBEAT];
    return page?.items.map((item) => `id: ${item.cursor}\nevent: item\ndata: ${encodeFeedItem(item)}\n\n`);
  };
  return sendStream(reply, piecesOf(first.from, next, answerMemory, watch.end), watch.end);
}
