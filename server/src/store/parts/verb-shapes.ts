import type { Bot } from "../../domain/bots/bot.js";
import type { Visibility } from "../../domain/bots/listing.js";
import type { WebhookConfig } from "../../domain/delivery/webhook.js";
import type { CredentialFacts } from "../../domain/delivery/webhook-credentials.js";
import type { SettingsEdit } from "../../domain/delivery/webhook-settings.js";
import type { Cause } from "../../domain/events/cause.js";
import type { Channel, Membership } from "../../domain/events/channel.js";
import type { ActorType, EventTarget, NewEvent, StoredEvent } from "../../domain/events/event.js";
import type { Post } from "../../domain/events/post.js";
import type { TrackedUpdate } from "../../domain/events/update.js";
import type { Audited } from "./audit-store.js";

/** An owner, or the platform acting as that owner. */
export interface OwnerActor extends Audited {
  ownerUserId: string;
  isPlatform?: boolean | undefined;
}

/** Whose bot, and who reads or changes it: an owner reaches only their own. */
export interface BotRef extends OwnerActor {
  botId: string;
  /** Of a guest: whether its own cell has decided what is done. */
  isFollowed?: boolean;
}

/** One of a bot's webhooks, and who reads or changes it; or that of a log that is no bot's, by the log's id. */
export interface WebhookRef extends BotRef {
  /** `default`, the webhook of the contract, when left out. Compared without case. */
  name?: string | undefined;
}

export interface ChannelRef extends OwnerActor {
  channelId: string;
}

export interface NewBot extends Bot, OwnerActor {
  tokenHash: string;
}

export interface NewChannel extends Channel, OwnerActor {}

/** Fields that are left out stay unchanged. */
export interface BotEdit {
  displayName?: string | undefined;
  description?: string | undefined;
  /** Null removes it. */
  metadata?: string | null | undefined;
  visibility?: Visibility | undefined;
  /** Whether listing a bot that was rejected asks for another review. Without one it stays rejected. */
  asksAgain?: boolean | undefined;
  updatedAt: number;
}

/** Which of an owner's bots a list shows; all of them when left out. */
export interface BotPage {
  limit: number;
  /** Only bots after this one. */
  after?: string | undefined;
  /** Only bots with this text in the username or display name; given in lower case. */
  search?: string | undefined;
}

/** What can be changed of a channel. */
export interface ChannelState {
  title: string;
  description: string;
  metadata?: string | undefined;
}

/**
 * A change of a channel: its fields as they were read, which must still be current, its new fields, and the event that
 * tells of it.
 */
export interface ChannelRevision {
  from: ChannelState;
  to: ChannelState;
  /** Left out when bots cannot see the change. */
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
export type PostAuthor = { botId: string; tokenHash?: string } | OwnerActor;

export interface PostToAppend {
  id: string;
  channelId: string;
  author: PostAuthor;
  /** The post as `encodePost` wrote it. */
  payload: string;
  createdAt: number;
  /** The usernames that the body mentions, in lower case; left out when there is none. */
  mentions?: readonly string[];
  /** A second post with the same key, author and channel is not stored. */
  idempotencyKey?: string | undefined;
  cause?: Cause | undefined;
}

/** A post of an owner that nobody is told of. It may be older than what its channel has. */
export interface ImportedPost extends Omit<PostToAppend, "author" | "mentions"> {
  author: OwnerActor;
}

/** Whether a post or an event was stored; or what was stored earlier under the same idempotency key. */
export type Appended = boolean | StoredEvent;

/** The same for a post, or "read only" when its author is a reader in the channel. */
export type AppendResult = Appended | "read only";

/** Who reads or changes a post: the owner who holds its channel, or a bot that is attached to it. */
export type PostReader = OwnerActor | ({ botId: string } & Audited);

export interface FoundPost {
  post: Post;
  /** Whether the caller is the bot that published it. */
  isOwn: boolean;
  /** Of a bot. */
  membership?: Membership;
}

/** A new revision of a post, and the event that tells of it. */
export interface PostRevision {
  channelId: string;
  postId: string;
  /** The revision that it replaces. */
  replaces: number;
  /** The post as `encodePost` wrote it. */
  payload: string;
  /** Text of that payload which the post must still have: whom it answers may have been erased since it was read. */
  answered?: string | undefined;
  editedAt: number;
  event: NewEvent;
  mentions: readonly string[];
  /** The bot that edits, which does not hear of it. */
  editorBotId?: string | undefined;
  actor?: ActorType;
  /** Whose the channel is that stands for one of another cell, of a change that is carried from there. */
  host?: string | undefined;
  /** Kept for the event, which is then stored also when no bot hears it. */
  idempotencyKey?: string | undefined;
}

export interface PostDeletion extends Audited {
  channelId: string;
  postId: string;
  event: NewEvent;
  /** The usernames that the post mentions, in lower case. */
  mentions: readonly string[];
  /** The bot that deletes, which does not hear of it. */
  editorBotId?: string | undefined;
  actor?: ActorType;
  /** As {@link PostRevision.host}. */
  host?: string | undefined;
  /** As {@link PostRevision.idempotencyKey}. */
  idempotencyKey?: string | undefined;
}

/** An event of a bot, to all others of a channel. */
export interface BotEventToAppend {
  botId: string;
  /** The token must still be the bot's. */
  tokenHash?: string | undefined;
  channelId: string;
  event: NewEvent;
  idempotencyKey?: string | undefined;
}

/** An event of an owner, to all bots of a channel or to one bot. */
export interface EventToAppend extends OwnerActor {
  to: EventTarget;
  /** Whose bot has emitted it, where that bot is not known. */
  madeBy?: string | undefined;
  event: NewEvent;
  idempotencyKey?: string | undefined;
}

/**
 * Who creates a post or an event with an idempotency key, and where; an interaction; or a response of a bot to one. Or who edits or deletes a
 * post: each post has its own keys of either.
 */
export type KeyedCall = (
  | { channelId: string; author: PostAuthor }
  | { change: PostChange; channelId: string; postId: string; editor: PostReader }
  | Pick<EventToAppend, "ownerUserId" | "to">
  | { eventIn: string; botId: string }
  | { interactionIn: string; ownerUserId: string }
  | { interactionId: string; botId: string; tokenHash?: string | undefined }
) & {
  key: string;
};

export type PostChange = "edit" | "deletion";

export interface HistoryStep {
  /** Newest first, at most as many as were asked for. */
  updates: TrackedUpdate[];
  /**
   * The `before` of the next step; undefined when there is nothing more to find. A step may also end because of its
   * bytes.
   */
  next?: number;
}

/** One of a bot's webhooks, as lists have it. */
export interface NamedWebhook {
  name: string;
  config: WebhookConfig;
}

export interface WebhookEdit {
  /** The id of the destination that its credentials are sealed for: as it is stored, or for one that is not there a new one. */
  id?: string;
  url: string;
  /** The sealed credentials to store, null to remove the stored ones, undefined to leave them unchanged. */
  sealedSecret: string | null | undefined;
  settings?: (SettingsEdit & CredentialFacts) | undefined;
  /** The round of the webhook that this edit replaces, 0 for none of its name; any when left out. */
  round?: number;
  /** Which updates are skipped; none when left out. */
  skip?: Skip | undefined;
}

/** Which undelivered updates a webhook is not sent. */
export interface Skip {
  /** Everything up to this number; updates that are appended later are not skipped. */
  through: number;
  /** And these numbers above it. */
  done: readonly number[];
}

export interface SealedSecret extends Required<Pick<WebhookRef, "botId" | "ownerUserId" | "name">> {
  /** For which the secret is sealed. */
  destinationId: string;
  sealedSecret?: string;
}
