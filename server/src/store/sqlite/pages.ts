import type { ConsumerPosition } from "../../domain/consumer.js";
import type { Slice } from "../../domain/page.js";
import type { Post } from "../../domain/post.js";
import type { TrackedUpdate, Update } from "../../domain/update.js";
import type { FeedEvent, FeedState } from "../feed-store.js";
import { readPage } from "../pages.js";
import type { Store } from "../store.js";
import type { EngineThread } from "./thread.js";
import type { SliceVerbs, StateSlice } from "./verbs.js";

/** The verbs that give pages, each read from the thread slice by slice. */
export function pagesOf(thread: EngineThread): Pick<Store, keyof SliceVerbs> {
  return {
    async listPosts(channelId, limit, before, maxBytes) {
      const page = await readPage<Post, Slice<Post>>(limit, maxBytes, (left, bytes, last) =>
        sliceBy(thread, last)("listPosts", channelId, left, last?.id ?? before, bytes),
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
    async readFeed(positions, limit, maxBytes) {
      const reached = [...positions];
      let state: FeedState | undefined;
      const page = await readPage<FeedEvent, Slice<FeedEvent>>(limit, maxBytes, async (left, bytes, last) => {
        const slice = await sliceBy(thread, last)("readFeed", reached, left, bytes);
        for (const { partition, number } of slice?.items ?? []) reached[partition] = number;
        state ??= slice;
        return slice;
      });
      return page && state && { ...stateOf(state), events: page.items };
    },
  };
}

function stateOf({ feedId, heads, tails }: FeedState): FeedState {
  return { feedId, heads, tails };
}

function sliceBy(thread: EngineThread, last: unknown): EngineThread["call"] {
  return last === undefined ? thread.call : thread.goOn;
}
