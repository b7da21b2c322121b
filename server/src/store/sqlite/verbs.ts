import type { ConsumerPosition } from "../../domain/events/consumer.js";
import type { StoredEvent } from "../../domain/events/event.js";
import type { Slice } from "../../domain/events/page.js";
import type { Post } from "../../domain/events/post.js";
import type { DeliveryState, TrackedUpdate, Update } from "../../domain/events/update.js";
import type { FeedEvent, FeedFrom, FeedRead } from "../parts/feed-store.js";
import type { PostColumns } from "../shared/post-columns.js";
import type { OldestFirst, Store } from "../store.js";
import type { EventVerb, Grown, Verb } from "../verbs.js";

/** The verbs of the seam as the engine's thread implements them: synchronous. */
export type Verbs = {
  [Name in Exclude<Verb, Unlike>]: (
    ...parameters: Parameters<Store[Name]>
  ) => Awaited<ReturnType<Store[Name]>>;
} & SliceVerbs &
  EventVerbs & { appendPosts(posts: PostColumns): AppendedPosts };

type Unlike = "appendPosts" | EventVerb | keyof SliceVerbs;

/** The verbs that may append an event, here with the logs that grew. */
export type EventVerbs = {
  [Name in EventVerb]: (...parameters: Parameters<Store[Name]>) => Grown<Awaited<ReturnType<Store[Name]>>>;
};

/** The verbs that return pages, here slice by slice. */
export interface SliceVerbs {
  listPosts(
    channelId: string,
    limit: number,
    from: string | OldestFirst | undefined,
    maxBytes: number,
  ): Slice<Post> | undefined;
  readUpdates(botId: string, offset: number, limit: number, maxBytes: number): Slice<Update>;
  readConsumed(
    botId: string,
    name: string,
    limit: number,
    maxBytes: number,
  ): (Slice<Update> & ConsumerPosition) | undefined;
  listRecentUpdates(
    botId: string,
    limit: number,
    before: number | undefined,
    maxBytes: number,
  ): Slice<TrackedUpdate>;
  listUpdatesInState(
    botId: string,
    state: DeliveryState,
    limit: number,
    before: number | undefined,
    maxBytes: number,
  ): StateSlice;
  listDeliveryErrors(
    botId: string,
    limit: number,
    before: number | undefined,
    maxBytes: number,
  ): Slice<TrackedUpdate> | undefined;
  readFeed(from: FeedFrom, limit: number, maxBytes: number): FeedSlice | undefined;
}

export interface FeedSlice extends Slice<FeedEvent>, Omit<FeedRead, "events"> {}

export interface StateSlice extends Slice<TrackedUpdate> {
  /** The `before` of the next step, when this one was read completely and is not the last. */
  next?: number;
  /** Rows that were looked at to find the items. */
  rowsRead?: number;
}

/** The result of appending posts, by columns. */
export interface AppendedPosts {
  /** For each post the key of the channel that it was stored in; null when it was not stored. */
  channelKeys: (number | null)[];
  /** What was stored earlier under the idempotency key of a post, by the post's index. */
  earlier?: Map<number, StoredEvent>;
  /** The indexes of posts whose authors are readers in the channel. */
  readOnly?: Set<number>;
  /**
   * For each log that grew the key of the channel whose posts it got; 0 when these are of several channels. One entry
   * for each log, like the lists that follow.
   */
  sourceKeys: number[];
  botIds: string[];
  lastUpdateIds: number[];
  /** For each log by how many updates it grew. */
  updateCounts: number[];
  areClaimable: boolean[];
  /** By the index of those logs that have further destinations; absent when none has. */
  areFurtherClaimable?: Map<number, boolean>;
}
