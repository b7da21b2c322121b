import type { ConsumerPosition } from "../../../domain/events/consumer.js";
import type { Slice } from "../../../domain/events/page.js";
import type { Post } from "../../../domain/events/post.js";
import type { TrackedUpdate, Update } from "../../../domain/events/update.js";
import type { FeedEvent } from "../../parts/feed-store.js";
import { readPage } from "../../shared/pages.js";
import type { OldestFirst, Store } from "../../store.js";
import type { EngineThread } from "../thread/thread.js";
import type { FeedSlice, SliceVerbs, StateSlice } from "../verbs.js";

/** The verbs that return pages. Each page is read from the thread slice by slice. */
export function pagesOf(thread: EngineThread): Pick<Store, keyof SliceVerbs> {
  return {
    async listPosts(channelId, limit, from, maxBytes) {
      const page = await readPage<Post, Slice<Post>>(limit, maxBytes, (left, bytes, last) =>
        sliceBy(thread, last)("listPosts", channelId, left, nextFrom(from, last), bytes),
      );
      return page?.items;
    },
    async readUpdates(botId, offset, limit, maxBytes) {
      const page = await readPage<Update, Slice<Update>>(limit, maxBytes, (left, bytes, last) =>
        sliceBy(thread, last)("readUpdates", botId, last?.updateId ?? offset, left, bytes),
      );
      return page?.items ?? [];
    },
    async readConsumed(botId, name, limit, maxBytes) {
      let from: ConsumerPosition | undefined;
      const page = await readPage<Update, Slice<Update>>(limit, maxBytes, async (left, bytes, last) => {
        if (last) return await thread.goOn("readUpdates", botId, last.updateId, left, bytes);
        const first = await thread.call("readConsumed", botId, name, left, bytes);
        from = first;
        return first;
      });
      return page && from && { position: from.position, done: from.done, updates: page.items };
    },
    async listRecentUpdates(botId, limit, before, maxBytes) {
      const page = await readPage<TrackedUpdate, Slice<TrackedUpdate>>(limit, maxBytes, (left, bytes, last) =>
        sliceBy(thread, last)("listRecentUpdates", botId, left, last?.updateId ?? before, bytes),
      );
      return page?.items ?? [];
    },
    async listUpdatesInState(botId, state, limit, before, maxBytes) {
      const page = await readPage<TrackedUpdate, StateSlice>(limit, maxBytes, (left, bytes, last) =>
        sliceBy(thread, last)("listUpdatesInState", botId, state, left, last?.updateId ?? before, bytes),
      );
      const { items = [], isCut = false, next } = page ?? {};
      const goesOnAt = isCut ? items.at(-1)?.updateId : next;
      return { updates: items, ...(goesOnAt === undefined ? {} : { next: goesOnAt }) };
    },
    async listDeliveryErrors(botId, limit, before, maxBytes) {
      const page = await readPage<TrackedUpdate, Slice<TrackedUpdate>>(limit, maxBytes, (left, bytes, last) =>
        sliceBy(thread, last)("listDeliveryErrors", botId, left, last?.updateId ?? before, bytes),
      );
      return page?.items;
    },
    async readFeed(from, limit, maxBytes) {
      let first: FeedSlice | undefined;
      let reached: number[] = [];
      const page = await readPage<FeedEvent, Slice<FeedEvent>>(limit, maxBytes, async (left, bytes, last) => {
        const slice = await sliceBy(thread, last)("readFeed", last ? reached : from, left, bytes);
        first ??= slice;
        if (!last) reached = [...(slice?.positions ?? [])];
        for (const { partition, number } of slice?.items ?? []) reached[partition] = number;
        return slice;
      });
      if (!page || !first) return undefined;
      const { feedId, heads, tails, positions } = first;
      return { feedId, heads, tails, positions, events: page.items };
    },
  };
}

function sliceBy(thread: EngineThread, last: unknown): EngineThread["call"] {
  return last === undefined ? thread.call : thread.goOn;
}

function nextFrom(from: string | OldestFirst | undefined, last: Post | undefined) {
  if (!last) return from;
  return typeof from === "object" ? { after: last.id } : last.id;
}
