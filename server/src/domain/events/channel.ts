import type { Bot } from "../bots/bot.js";

/** A channel as its holder sees it. Times are milliseconds since the Unix epoch. */
export interface Channel {
  id: string;
  slug: string;
  title: string;
  description: string;
  ownerUserId: string;
  /** The owner's own name of it, unique among the owner's channels. */
  externalId?: string;
  /** The owner's own data about it: the JSON text of an object. */
  metadata?: string;
  /** Of a direct channel: the only bot that may be attached to it. */
  directBotId?: string;
  /** Of a direct channel for one user: the owner's own id of the user, and their name when it was made. */
  directUserId?: string;
  directUsername?: string;
  createdAt: number;
  lastActivityAt?: number;
}

/** A bot in a channel, as the channel's holder sees it. */
export interface ChannelBot {
  bot: Bot;
  role: BotRole;
  attachedBy: string;
}

/** A channel as a bot attached to it sees it. */
export interface BotChannel extends Channel {
  botRole: BotRole;
}

/**
 * What a bot may do in a channel, beside hearing what happens in it: a member posts, emits events, and reads what was posted since it
 * was attached; a moderator reads all posts and deletes any; a reader does nothing.
 */
export type BotRole = "moderator" | "member" | "reader";

export const BOT_ROLES: readonly BotRole[] = ["moderator", "member", "reader"];

/** The role of a bot that is attached without naming one. */
export const ATTACHED_ROLE: BotRole = "moderator";
/** The role that may delete the posts of others, and read what was posted before it was attached. */
export const ALL_POSTS_ROLE: BotRole = "moderator";
/** The role that may neither post nor change its earlier posts. */
export const READ_ONLY_ROLE: BotRole = "reader";

/** A bot's membership of a channel. */
export interface Membership {
  role: BotRole;
  /** Left out of one that was attached before that was stored. */
  attachedAt?: number;
}

/** Whether a bot may read the posts of others, and of what age: none when undefined, else those since this time. */
export function readableSince({ role, attachedAt }: Membership): number | undefined {
  if (role === ALL_POSTS_ROLE) return 0;
  return role === READ_ONLY_ROLE ? undefined : (attachedAt ?? Number.POSITIVE_INFINITY);
}

/** Whether a bot may read this post of somebody else. */
export function mayRead(membership: Membership, { createdAt }: { createdAt: number }): boolean {
  return createdAt >= (readableSince(membership) ?? Number.POSITIVE_INFINITY);
}

export const SLUG_PATTERN = "^[a-z0-9-]+$";

/** The fact that a bot is attached, and by whom. */
export interface Attachment {
  botId: string;
  channelId: string;
  role: BotRole;
  attachedBy: string;
}

/** Why a bot is not attached: it is in as many channels of this holder, or of all, as it may be. */
export type AttachRefusal = "too many" | "bot full";
