import type { Bot } from "./bot.js";

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
  createdAt: number;
  lastActivityAt?: number;
}

/** A bot in a channel, as the channel's holder sees it. */
export interface ChannelBot {
  bot: Bot;
  role: BotRole;
}

/** A channel as a bot attached to it sees it. */
export interface BotChannel extends Channel {
  botRole: BotRole;
}

export type BotRole = "moderator";

/** The one role that attaching gives. */
export const ATTACHED_ROLE: BotRole = "moderator";

export const SLUG_PATTERN = "^[a-z0-9-]+$";

/** The fact that a bot is attached, and by whom. */
export interface Attachment {
  botId: string;
  channelId: string;
  role: BotRole;
  attachedBy: string;
}
