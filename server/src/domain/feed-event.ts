/** The kinds of events that only the feed has: what becomes of channels, bots and webhooks. */
export type FeedKind =
  | "channel.created"
  | "channel.deleted"
  | "bot.created"
  | "bot.disabled"
  | "bot.enabled"
  | "bot.deleted"
  | "bot.attached"
  | "bot.detached"
  | "webhook.set"
  | "webhook.deleted"
  | "webhook.paused"
  | "webhook.resumed"
  | "webhook.failing"
  | "webhook.recovered";

/** Whose it is, with ids and names and nothing that people wrote: it outlives what it tells of, until it expires. */
export interface FeedPayload {
  bot_id?: string;
  username?: string;
  channel_id?: string;
  /** Left out when the channel has none. */
  external_id?: string | undefined;
  owner_user_id: string;
  last_delivery_error?: string;
}
