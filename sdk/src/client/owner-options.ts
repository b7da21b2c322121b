import type { BotRole, DeliveryState, Timeline } from "../types.js";
import type { ClientOptions, RequestOptions } from "./connection.js";

export interface OwnerClientOptions extends ClientOptions {
  /** With the platform's token: the user id of the owner to act as. */
  owner?: string | undefined;
}

export interface WhichWebhookOptions extends RequestOptions {
  /** Extension: the name of one of the bot's webhooks. `default`, the one of the specification, unless given. */
  webhook?: string | undefined;
}

/** How many items, 1 to 100. 100 unless given. */
export interface LimitOptions extends RequestOptions {
  /** Most items to return, 1 to 100. 100 unless given. */
  limit?: number;
}

/** Which entries of the audit log. */
export interface AuditOptions extends LimitOptions {
  /** The `id` of an entry: only older ones. */
  before?: string | undefined;
  /** Only what this operation changed, such as `rotateBotToken`. */
  operation?: string | undefined;
  /** Only changes of the bot, channel or post with this id. */
  target?: string | undefined;
  /** Only what was changed at this time or later, RFC 3339. */
  from?: string | undefined;
  /** Only what was changed before this time, RFC 3339. */
  to?: string | undefined;
}

export interface ListErrorsOptions extends LimitOptions, WhichWebhookOptions {
  /** Extension: only updates numbered below it. */
  before?: number | undefined;
  /** Extension: only updates that failed for good, or only those that wait for a retry. */
  state?: "failed" | "scheduled" | undefined;
}

export interface ListUpdatesOptions extends Omit<ListErrorsOptions, "state"> {
  /** Extension: only updates in this state. */
  state?: DeliveryState | undefined;
  /** Extension: only updates recorded before this time, RFC 3339. */
  until?: string | undefined;
  /**
   * Extension: only updates recorded at this time or later, RFC 3339. With this or an option below, the log is
   * searched: see `stopped_at` of the answer.
   */
  since?: string | undefined;
  /** Extension: only updates with this text, whatever its case. */
  search?: string | undefined;
  /** Extension: only updates of what happened in this channel. */
  channelId?: string | undefined;
  /** Extension: only updates of this kind; `ticket.*` stands for all kinds with that prefix. */
  eventType?: string | undefined;
}

export interface ReplayOptions extends LimitOptions, WhichWebhookOptions {
  /**
   * Extension: the numbers of 1 to 100 updates to requeue, instead of the oldest. Updates that have not failed are not
   * changed.
   */
  update_ids?: readonly number[] | undefined;
}

export interface TimelineOptions extends WhichWebhookOptions {
  /** `"1h"` unless given. */
  range?: Timeline["range"];
}

export interface ListBotsOptions extends RequestOptions {
  /** Extension: how many, 1 to 100. All unless given. */
  limit?: number | undefined;
  /** Extension: id of the bot after which to begin. */
  after?: string | undefined;
  /** Extension: only bots with this in the username or display name. */
  search?: string | undefined;
}

export interface ListedBotsOptions extends LimitOptions {
  /** Only bots with this in the username, display name or description. */
  q?: string | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
}

export interface AttachOptions extends RequestOptions {
  /** Extension: `reader` hears and may not post. `moderator` unless given. */
  role?: BotRole | undefined;
}

export interface ListChannelBotsOptions extends LimitOptions {
  /** Id of the bot after which to begin. */
  after?: string | undefined;
}

export interface ListChannelsOptions extends LimitOptions {
  /** Id of the channel after which to begin. */
  after?: string | undefined;
  /** Only the channel with this external id. */
  externalId?: string | undefined;
}

export interface ListPostsOptions extends LimitOptions {
  /** Id of the post before which to begin, newest first. */
  before?: string | undefined;
  /** Newest first unless given. */
  order?: "newest" | "oldest" | undefined;
  /** Id of the post after which to begin, oldest first. */
  after?: string | undefined;
}

export interface ExportOptions extends RequestOptions {
  /** The cursor of a line. */
  after?: string | undefined;
}

/** Days in UTC, such as `2026-05-12`; the last 31 when both are left out. */
export interface GetUsageOptions extends RequestOptions {
  /** The first day. */
  from?: string | undefined;
  /** The last day. */
  to?: string | undefined;
}
