import type { Bot } from "../domain/bot.js";
import type { StoredEvent } from "../domain/event.js";
import type { Post } from "../domain/post.js";
import type { TrackedUpdate } from "../domain/update.js";

/** Whose bot: an owner reaches only their own. */
export interface BotRef {
  ownerUserId: string;
  botId: string;
}

export interface ChannelRef {
  ownerUserId: string;
  channelId: string;
}

export interface NewBot extends Bot {
  tokenHash: string;
}

/** What is left out stays as it is. */
export interface BotEdit {
  displayName?: string | undefined;
  description?: string | undefined;
  /** Null removes it. */
  metadata?: string | null | undefined;
  updatedAt: number;
}

/** Which of an owner's bots a list shows; all of them when left out. */
export interface BotPage {
  limit: number;
  /** Only bots after this one. */
  after?: string | undefined;
  /** Only bots with this, in lower case, in the username or display name. */
  search?: string | undefined;
}

/** What can be changed of a channel. */
interface ChannelState {
  title: string;
  description: string;
  metadata?: string | undefined;
}

/** A channel as it shall be, if it still is as it was read, and the event that tells of it. */
export interface ChannelRevision {
  from: ChannelState;
  to: ChannelState;
  /** Left out when bots see no difference. */
  event?: StoredEvent;
}

/** Channels by the ids that their owners gave them. */
export interface ExternalIds {
  ownerUserId: string;
  externalIds: readonly string[];
}

/**
 * Who publishes: a bot, which must be attached to the channel and to which the token, when one is given, must belong; or
 * the owner who holds the channel.
 */
export type PostAuthor = { botId: string; tokenHash?: string } | { ownerUserId: string };

export interface PostToAppend {
  id: string;
  channelId: string;
  author: PostAuthor;
  /** The post as `encodePost` wrote it. */
  payload: string;
  createdAt: number;
  /** The usernames that the body mentions, in lower case; left out when there is none. */
  mentions?: readonly string[];
  /** The same key again, of the same author to the same channel, stores nothing. */
  idempotencyKey?: string | undefined;
}

/** Whether a post or an event was stored; or what was stored earlier under the same idempotency key. */
export type Appended = boolean | StoredEvent;

/** The same of a post, or "read only" when its author only reads the channel. */
export type AppendedPost = Appended | "read only";

/** Who reads or changes a post: the owner who holds its channel, or a bot that is attached to it. */
export type PostReader = { ownerUserId: string } | { botId: string };

export interface FoundPost {
  post: Post;
  /** Whether the reader is the bot that published it. */
  isOwn: boolean;
  /** Whether the reader is a bot that only reads the channel. */
  isReadOnly: boolean;
}

/** A new revision of a post, and the event that tells of it. */
export interface PostRevision {
  channelId: string;
  postId: string;
  /** The revision that it replaces. */
  replaces: number;
  /** The post as `encodePost` wrote it. */
  payload: string;
  editedAt: number;
  event: StoredEvent;
  mentions: readonly string[];
  /** The bot that edits, which does not hear of it. */
  editorBotId?: string | undefined;
}

export interface PostDeletion {
  channelId: string;
  postId: string;
  event: StoredEvent;
  /** The usernames that the post mentions, in lower case. */
  mentions: readonly string[];
  /** The bot that deletes, which does not hear of it. */
  editorBotId?: string | undefined;
}

/** An event of an owner, to all bots of a channel or to one bot. */
export interface EventToAppend {
  ownerUserId: string;
  to: { channelId: string } | { botId: string };
  event: StoredEvent;
  idempotencyKey?: string | undefined;
}

/** An event, and where it stands among others. */
export interface NumberedEvent extends StoredEvent {
  number: number;
}

export interface HistoryStep {
  /** Newest first, at most as many as were asked for. */
  updates: TrackedUpdate[];
  /** The `before` of the next step, also when this one ended for its bytes; undefined when there is nothing more to be found. */
  next?: number;
}

export interface WebhookEdit {
  url: string;
  /** A sealed secret to keep, null to remove the stored one, undefined to leave it. */
  sealedSecret: string | null | undefined;
  /** The version of the webhook that this edit replaces; whichever there is when left out. */
  version?: number;
  /** What is passed over for good; nothing when left out. */
  skip?: Skip | undefined;
}

/** Which undelivered updates a webhook is not sent. */
export interface Skip {
  /** Everything up to this number; what is beyond the end of the log is not skipped. */
  through: number;
  /** And these. */
  done: readonly number[];
}

export interface SealedSecret {
  botId: string;
  sealedSecret?: string;
}
