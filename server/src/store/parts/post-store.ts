import type { PostOrigin } from "../../domain/events/bot-loop.js";
import type { Membership } from "../../domain/events/channel.js";
import type { StoredEvent } from "../../domain/events/event.js";
import type { Post } from "../../domain/events/post.js";
import type { Subscription } from "../../domain/events/subscription.js";
import type {
  Appended,
  AppendResult,
  BotEventToAppend,
  BotRef,
  EventToAppend,
  FoundPost,
  ImportedPost,
  KeyedCall,
  PostDeletion,
  PostReader,
  PostRevision,
  PostToAppend,
} from "./verb-shapes.js";

/** The number of logs that listen to a channel. */
export interface Listeners {
  /** Those that hear every post, or every one by others. */
  posts: number;
  /** All that are attached, which may hear other events. */
  all: number;
}

/** Posts, with the holders of their channels. */
export interface PostsAway {
  posts: { channelId: string; postId: string; holder: string }[];
  /** In whose channels there are others, which are deleted, or other events. */
  holdersOfDeleted: string[];
  next?: number | undefined;
}

/** The part of the store for posts and other events, and for who hears them. */
export interface PostStore {
  /**
   * Stores posts, appends an update to the log of every attached bot that hears them, makes those bots' lanes due and
   * updates the counters, all in one transaction.
   *
   * @returns for each post whether it was stored; "read only" when its author is a bot that only reads the channel;
   *   false when its author does not hold, or is not attached to, the channel, or is not the holder of the token
   */
  appendPosts(posts: readonly PostToAppend[]): Promise<AppendResult[]>;
  /**
   * Stores posts in their channels and appends them to no log, not even the feed's. Their ids are of the times that they have.
   *
   * @returns for each whether it was stored, as {@link PostStore.appendPosts}
   */
  importPosts(posts: readonly ImportedPost[]): Promise<AppendResult[]>;
  /** As {@link PostStore.appendPosts} for a custom event. Returns false when the owner has no such channel or bot. */
  appendEvent(event: EventToAppend): Promise<Appended>;
  /** The same for one of a bot, which does not hear it itself. Returns false when the bot is not in the channel. */
  appendBotEvent(event: BotEventToAppend): Promise<AppendResult>;
  /** What was stored under an idempotency key, if the caller may still create something there. */
  findKeyed(call: KeyedCall): Promise<StoredEvent | undefined>;
  /** @returns "no channel" when the reader does not hold, or is not attached to, the channel */
  findPost(
    reader: PostReader,
    channelId: string,
    postId: string,
  ): Promise<FoundPost | "no channel" | undefined>;
  /** A bot's membership of a channel, also of one that is disabled. */
  findMembership(botId: string, channelId: string): Promise<Membership | undefined>;
  /**
   * Replaces a revision of a post by the next one. Updates that were appended before keep their payload.
   *
   * @returns "outdated", with nothing changed, when the post has another revision by now
   */
  editPost(revision: PostRevision): Promise<true | "outdated" | undefined>;
  /**
   * Takes a post out of its channel and erases its content everywhere. When a post has very many edits, only the newest
   * are erased here, and the others by upkeep.
   *
   * @returns the channel's holder, and whether edits are left; undefined without such a post
   */
  deletePost(deletion: PostDeletion): Promise<{ ownerUserId: string; isMore: boolean } | undefined>;
  /**
   * Posts that an owner's bots have in channels of other owners, oldest first. Looks at a limited number of events that name the owner.
   *
   * @param after 0 begins
   * @returns where the next page begins, if there may be more
   */
  listPostsAway(ownerUserId: string, after: number, limit: number): Promise<PostsAway>;
  /**
   * For each bot the number of the post's update in its log; undefined when the log does not have it. Each log is
   * searched in halves (binary search), since its updates point at posts in the order in which those were stored.
   */
  findPostInLogs(
    channelId: string,
    postId: string,
    botIds: readonly string[],
  ): Promise<(number | undefined)[]>;
  /** What happened in a channel last, newest first: posts and other events. */
  listChannelEvents(channelId: string, limit: number): Promise<StoredEvent[]>;
  /** Events of a channel other than posts, newest first, older than the event `before` when that is given. */
  listOtherEvents(channelId: string, limit: number, before?: string): Promise<StoredEvent[]>;
  /**
   * Custom events and interactions for one bot, heard or not, newest first; those before the event `before` when that
   * is given.
   *
   * @returns undefined when `before` is no such event, or none any more
   */
  listBotEvents(botId: string, limit: number, before?: string): Promise<StoredEvent[] | undefined>;

  /**
   * Who published the newest posts of a channel, newest first, without bots that hear no posts.
   *
   * @param limit posts to read, those of such bots among them
   */
  listPostOrigins(channelId: string, limit: number): Promise<PostOrigin[]>;

  // Subscriptions.

  /** How many logs events of these channels are appended to, by the channel's id; without channels that do not exist. */
  countListeners(channelIds: readonly string[]): Promise<Map<string, Listeners>>;

  /** @returns null when the bot has none; undefined without such a bot */
  readSubscription(botId: string): Promise<Subscription | null | undefined>;
  /**
   * Sets or, with null, removes a bot's subscription. It applies to everything that is appended afterwards.
   *
   * @param ref without an owner when the bot itself asks
   */
  putSubscription(
    ref: Pick<BotRef, "botId" | "isPlatform" | "audit"> & { ownerUserId: string | null },
    subscription: Subscription | null,
  ): Promise<boolean>;
  /**
   * Posts of a channel, newest first, older than the post `from` when that is given; or oldest first.
   *
   * @returns undefined when `from` is no post of the channel
   */
  listPosts(
    channelId: string,
    limit: number,
    from?: string | OldestFirst,
    maxBytes?: number,
  ): Promise<Post[] | undefined>;
}

/** A list of posts from the oldest on, or from the first behind this id, whatever has it. */
export interface OldestFirst {
  after?: string | undefined;
}
