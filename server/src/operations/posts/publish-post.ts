import { Forbidden, InvalidInput } from "../../domain/errors.js";
import type { Cause } from "../../domain/events/cause.js";
import {
  type Author,
  decodePost,
  encodePost,
  type Post,
  type PostContent,
  type ReplyTo,
} from "../../domain/events/post.js";
import { addressees } from "../../domain/events/subscription.js";
import { idAt, newId } from "../../domain/ids.js";
import { EARLIEST_POST_MS } from "../../domain/limits.js";
import type { AppendResult, ImportedPost, PostAuthor, PostToAppend, Store } from "../../store/store.js";
import { notFound } from "../found.js";
import { checkPost } from "./check-post.js";
import { findReplyTarget } from "./reply-target.js";

/** The content of a new post, and its channel. */
export interface PostDraft extends PostContent {
  channelId: string;
  /** The id of the post in the same channel that it answers. */
  replyTo?: string | undefined;
  /** A second post with the same key, author and channel is not published. */
  idempotencyKey?: string | undefined;
  cause?: Cause | undefined;
  /** The time of a post of an owner that nobody is told of: see {@link importTime}. */
  importedAt?: ImportTime | undefined;
}

/** In milliseconds since the epoch; `now` when it is stored, in the order of all other posts of that time. */
export type ImportTime = number | "now";

/** The author with the name to show. An owner may publish on behalf of a user of theirs. */
export type Publisher = PostAuthor & { username: string; user?: PostUser | undefined };

/** A user of an owner's product, as the owner knows them. */
export interface PostUser {
  id: string;
  username: string;
}

export interface Published {
  post: Post;
  /** Whether an earlier call with the same key published it. Then it is as it was at that time, or erased. */
  isReplayed: boolean;
}

/**
 * Publishes a post: it is durable, and in the log of every bot that is attached to the channel and hears it, when this
 * resolves.
 *
 * @param admit counts the post, where that is limited, once its content is found to be what it may be; or throws
 * @throws InvalidInput when the content is not what a post may have, or the channel has no post `replyTo`
 * @throws Forbidden when the author is a bot that is not attached to the channel, or only as reader, or whose token is no
 *   longer valid
 * @throws NotFound when the author is an owner who does not hold the channel
 */
export async function publishPost(
  store: Store,
  publisher: Publisher,
  draft: PostDraft,
  admit?: () => Promise<void>,
): Promise<Published> {
  const { channelId, replyTo: postId } = draft;
  const replyTo =
    postId === undefined ? undefined : await findReplyTarget(store, publisher, channelId, postId);
  const { post, toAppend } = preparePost(publisher, draft, replyTo);
  await admit?.();
  const [stored] = await storePosts(store, [toAppend], draft.importedAt !== undefined);
  return publishedAs(stored, post, publisher);
}

/** @param isSilent for posts of owners that nobody is told of */
export function storePosts(
  store: Store,
  posts: readonly PostToAppend[],
  isSilent: boolean,
): Promise<AppendResult[]> {
  return isSilent ? store.importPosts(posts as ImportedPost[]) : store.appendPosts(posts);
}

/**
 * When a post is to be published that nobody is told of; undefined for any other post.
 *
 * @param createdAt milliseconds since the epoch
 * @throws InvalidInput
 */
export function importTime(
  isSilent: boolean | undefined,
  createdAt: number | undefined,
): ImportTime | undefined {
  if (!isSilent && createdAt !== undefined)
    throw invalidTime("created_at needs silent: true: nobody is told of what was written before");
  if (!isSilent) return undefined;
  if (createdAt === undefined) return "now";
  // A leap second is NaN.
  if (createdAt >= EARLIEST_POST_MS && createdAt <= Date.now()) return createdAt;
  throw invalidTime(
    "created_at must be a time from the year 2000 on, and not in the future or a leap second",
  );
}

function invalidTime(message: string): InvalidInput {
  return new InvalidInput(message, "invalid_created_at");
}

/** The post that an earlier call with the same key published, as it was then; undefined without one. */
export async function findPublished(
  store: Store,
  author: PostAuthor,
  channelId: string,
  key: string,
): Promise<Post | undefined> {
  const stored = await store.findKeyed({ author, channelId, key });
  return stored && decodePost(stored.payload, stored.createdAt);
}

/** A post and its form for the store. */
export interface PreparedPost {
  post: Post;
  toAppend: PostToAppend;
}

/** @throws InvalidInput when the content is not what a post may have */
export function preparePost(publisher: Publisher, draft: PostDraft, replyTo?: ReplyTo): PreparedPost {
  const { channelId, body, media, components, idempotencyKey, cause } = draft;
  checkPost(draft);
  // Field by field: spreading the draft costs forty times as much, and this runs for every post.
  const { importedAt } = draft;
  const isEarlier = importedAt !== undefined && importedAt !== "now";
  const id = isEarlier ? idAt(importedAt) : newId();
  const createdAt = isEarlier ? importedAt : Date.now();
  const author = authorOf(publisher);
  const authorUsername = author.username;
  const revision = 1;
  const post: Post = {
    id,
    channelId,
    authorUsername,
    author,
    body,
    media,
    components,
    replyTo,
    createdAt,
    revision,
  };
  const mentions = addressees(body, replyTo?.author);
  const payload = encodePost(post);
  const toAppend: PostToAppend = {
    id,
    channelId,
    author: publisher,
    payload,
    createdAt,
    idempotencyKey,
    cause,
    ...(mentions.length > 0 && { mentions }),
  };
  return { post, toAppend };
}

/**
 * The result of a post.
 *
 * @param stored what the store says of it
 * @throws Forbidden or NotFound when it was not stored
 */
export function publishedAs(stored: AppendResult | undefined, post: Post, publisher: PostAuthor): Published {
  if (stored === true) return { post, isReplayed: false };
  if (stored === "read only") throw readOnly();
  if (stored) return { post: decodePost(stored.payload, stored.createdAt), isReplayed: true };
  if ("botId" in publisher) throw notAttached();
  throw notFound("channel");
}

/** The refusal for a bot that names a channel it is not attached to. */
export function notAttached(): Forbidden {
  return new Forbidden("the bot is not attached to this channel", "not_attached");
}

/** The refusal for a bot that wants to write in a channel where it is a reader. */
export function readOnly(): Forbidden {
  return new Forbidden("the bot is a reader in this channel: it may not post there", "read_only");
}

/** The author, as in the payload of a post or an event. */
export function authorOf(publisher: Publisher): Author {
  const { user, username } = publisher;
  if (user) return { type: "user", id: user.id, username: user.username };
  return "botId" in publisher
    ? { type: "bot", id: publisher.botId, username }
    : { type: "owner", id: publisher.ownerUserId, username };
}
