import type { Verdict } from "../bots/listing.js";
import type { PauseReason } from "../delivery/webhook.js";

/** The kinds of events that only the feed has: changes of channels, bots and webhooks. */
export type FeedKind =
  | "channel.created"
  | "channel.deleted"
  | "bot.created"
  | "bot.updated"
  | "bot.token_rotated"
  | "bot.subscribed"
  | "bot.disabled"
  | "bot.enabled"
  | "bot.deleted"
  | "bot.listed"
  | "bot.unlisted"
  | "bot.reviewed"
  | "bot.commands_set"
  | "bot.attached"
  | "bot.role_changed"
  | "bot.detached"
  | "webhook.set"
  | "webhook.deleted"
  | "webhook.paused"
  | "webhook.resumed"
  | "webhook.failing"
  | "webhook.recovered";

/**
 * Ids and names only, and no text that people wrote: the event stays until it expires, even when its bot or channel is
 * deleted. When its owner is erased, only the ids of bot and channel are left.
 */
export interface FeedPayload {
  bot_id?: string;
  /** Of the bot; left out where it comes into a channel of another owner or leaves it, who may stay when its owner is erased. */
  username?: string;
  channel_id?: string;
  /** Left out when the channel has none. */
  external_id?: string | undefined;
  owner_user_id: string;
  /** The name of the webhook; left out of `default`. */
  webhook?: string;
  last_delivery_error?: string;
  /** Of `bot.reviewed`. */
  status?: Verdict;
  /** Of `webhook.paused`. */
  reason?: PauseReason;
}
