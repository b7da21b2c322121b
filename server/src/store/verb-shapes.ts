import type { Bot } from "../domain/bot.js";
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
  displayName?: string;
  description?: string;
  updatedAt: number;
}

/** What is left out stays as it is. */
export interface ChannelEdit {
  title?: string;
  description?: string;
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
