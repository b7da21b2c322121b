import type { Components } from "./components.js";
import { AUDIT_ENTRY, isCustom, POST_DELETED } from "./event.js";

/** An entry of a post's `media`, stored and returned unchanged. */
export type MediaItem = Record<string, unknown>;

/**
 * Who published a post: a bot, the owner of its channel, or a user of the owner's product on whose behalf the owner
 * published.
 */
export interface Author {
  type: "bot" | "owner" | "user";
  /** The id of the bot, the owner's user id, or the owner's own id of the user. */
  id: string;
  username: string;
}

/** What a post answers: another post of its channel. */
export interface ReplyTo {
  postId: string;
  /** Who published it; left out of what was published before authors were kept. */
  author?: Author;
}

/** A post in a channel, by its owner or by a bot: the newest revision. */
export interface Post {
  id: string;
  channelId: string;
  authorUsername: string;
  /** Left out of posts that were published before authors were kept. */
  author?: Author;
  body: string;
  media?: MediaItem[];
  components?: Components | undefined;
  replyTo?: ReplyTo | undefined;
  createdAt: number;
  /** 1 when it is published, one more with each edit. */
  revision: number;
  editedAt?: number;
  /** The post has been deleted: its body is empty. */
  deleted?: true;
}

/** What an edit may change. */
export type PostContent = Pick<Post, "body" | "media" | "components">;

/** The fields of the payload of `channel.post_created`. */
export interface PostPayload {
  body: string;
  channel_id: string;
  post_id: string;
  author_username: string;
  media?: MediaItem[];
  components?: Components;
  reply_to?: ReplyPayload;
  author?: Author;
  deleted?: true;
}

interface ReplyPayload {
  post_id: string;
  author?: Author;
}

/**
 * The payload of `channel.post_created`: the specification's three fields, the author, so that a bot can tell its own
 * posts, and the media, the components and the answered post where there are any. A post and its revisions are stored as this text, and
 * every bot's update contains the same text, so a post is serialised only once.
 */
export function encodePost(post: Omit<Post, "createdAt" | "revision">): string {
  return JSON.stringify({
    body: post.body,
    channel_id: post.channelId,
    post_id: post.id,
    author_username: post.authorUsername,
    media: unlessEmpty(post.media),
    components: unlessEmpty(post.components),
    reply_to: post.replyTo && encodeReply(post.replyTo),
    author: post.author,
  });
}

function unlessEmpty<Item>(list: Item[] | undefined): Item[] | undefined {
  return list && list.length > 0 ? list : undefined;
}

function encodeReply({ postId, author }: ReplyTo): ReplyPayload {
  return { post_id: postId, ...(author && { author }) };
}

/** How the payload of a post names the author of the post that it answers; undefined when it names none. */
export function answeredIn({ replyTo }: Pick<Post, "replyTo">): string | undefined {
  return replyTo?.author && JSON.stringify(encodeReply(replyTo));
}

/** The inverse of {@link encodePost}; by default for the first revision. */
export function decodePost(payload: string, createdAt: number, revision = 1, editedAt?: number): Post {
  const fields = JSON.parse(payload) as PostPayload;
  return {
    id: fields.post_id,
    channelId: fields.channel_id,
    authorUsername: fields.author_username,
    ...(fields.author ? { author: fields.author } : {}),
    body: fields.body,
    ...(fields.media ? { media: fields.media } : {}),
    ...(fields.components ? { components: fields.components } : {}),
    ...(fields.reply_to ? { replyTo: decodeReply(fields.reply_to) } : {}),
    createdAt,
    revision,
    ...(editedAt === undefined ? {} : { editedAt }),
    ...(fields.deleted ? { deleted: true } : {}),
  };
}

function decodeReply({ post_id: postId, author }: ReplyPayload): ReplyTo {
  return { postId, ...(author && { author }) };
}

/** The payload of `channel.post_edited`: the post in its new revision. */
export function encodeEdit(post: Post): string {
  const { id, channelId, revision, body, media, components, replyTo, authorUsername, author, editedAt } =
    post;
  return JSON.stringify({
    post_id: id,
    channel_id: channelId,
    revision,
    body,
    media: unlessEmpty(media),
    components: unlessEmpty(components),
    reply_to: replyTo && encodeReply(replyTo),
    author_username: authorUsername,
    author,
    edited_at: editedAt === undefined ? undefined : new Date(editedAt).toISOString(),
  });
}

/** The inverse of {@link encodeEdit}: the post in that revision. */
export function decodeEdit(payload: string, createdAt: number): Post {
  const { revision, edited_at: editedAt } = JSON.parse(payload) as { revision: number; edited_at: string };
  return decodePost(payload, createdAt, revision, Date.parse(editedAt));
}

/** The payload of `channel.post_deleted`. */
export function encodeDeletion(post: Pick<Post, "id" | "channelId">): string {
  return JSON.stringify({ post_id: post.id, channel_id: post.channelId });
}

/** The channel of events of one channel; undefined when none is a post. */
export function channelOf(
  events: readonly { payload: string; eventType?: string | null }[],
): string | undefined {
  const post = events.find(({ eventType }) => !eventType);
  return post && (JSON.parse(post.payload) as PostPayload).channel_id;
}

/** Ids that tell whose update it was, without telling anything that people wrote or are called. */
const KEPT_FIELDS = new Set([
  "id",
  "bot_id",
  "channel_id",
  "post_id",
  "edited_at",
  "interaction_id",
  "response_id",
  "kind",
  "type",
  "expires_at",
]);
/** Fields that not every payload of their kind has. */
const DROPPED_FIELDS = new Set([
  "media",
  "components",
  "author",
  "reply_to",
  "external_id",
  "last_delivery_error",
  "command",
  "component",
]);

/**
 * The payload of a post or another event after its post, channel or owner was erased: ids, times and numbers, with
 * `deleted`. Every other text is empty, names and the ids of people included.
 */
export function erasePayload(payload: string, eventType?: string | null): string {
  if (eventType === POST_DELETED) return payload;
  if (eventType && (isCustom(eventType) || eventType === AUDIT_ENTRY))
    return JSON.stringify({ deleted: true });
  return JSON.stringify({ ...withoutTexts(JSON.parse(payload) as Record<string, unknown>), deleted: true });
}

/** Whether a payload is what {@link erasePayload} has left. */
export function isErased(payload: string): boolean {
  return (JSON.parse(payload) as { deleted?: true }).deleted === true;
}

/** By this a payload that is erased is found in SQL: within texts, quotes have a backslash before them. */
export const ERASED_MARK = '"deleted":true';

/** The ids of people are theirs. */
const NOBODY = { id: "", username: "" };

function withoutTexts(fields: Record<string, unknown>): Record<string, unknown> {
  const left = Object.entries(fields).filter(([name]) => !DROPPED_FIELDS.has(name));
  return Object.fromEntries(
    left.map(([name, value]) => {
      if (typeof value === "string") return [name, KEPT_FIELDS.has(name) ? value : ""];
      if (typeof value !== "object" || value === null) return [name, value];
      return [name, name === "user" ? NOBODY : withoutTexts(value as Record<string, unknown>)];
    }),
  );
}
