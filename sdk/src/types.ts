import type { components } from "./generated/openapi.js";

type Schemas = components["schemas"];

/** A bot as the service describes it. */
export type BotRecord = Schemas["Bot"];
export type BotToken = Schemas["BotToken"];
export type BotWithToken = Schemas["BotWithToken"];
export type BotIdentity = Schemas["BotIdentity"];
export type BotStats = Schemas["BotStats"];
export type BotOverview = Schemas["BotOverview"];
export type BotState = Schemas["BotState"];
export type BotChannel = Schemas["BotChannel"];
export type AttachChannelResult = Schemas["AttachChannelResult"];
export type BatchEvent = Schemas["BatchEventRequest"];
export type BatchPost = Schemas["BatchPostRequest"];
export type PostBatchItem = Schemas["PostBatchResult"]["items"][number];
export type EventBatchItem = Schemas["EventBatchResult"]["items"][number];
export type Channel = Schemas["Channel"];
export type ChannelBot = Schemas["ChannelBot"];
export type ChannelBotsChange = Schemas["ChannelBotsChange"];
export type PutExternalChannelRequest = Schemas["PutExternalChannelRequest"];
export type BotPost = Schemas["BotPost"];
export type Post = Schemas["Post"];
export type Author = Schemas["Author"];
/** A custom event, as it was emitted. */
export type CustomEvent = Schemas["Event"];
export type Subscription = Schemas["Subscription"];
export type PreviewedEvent = Schemas["PreviewedEvent"];
export type OwnerUpdate = Schemas["OwnerUpdate"];
export type FailedAttempt = Schemas["FailedAttempt"];
export type Timeline = Schemas["Timeline"];
export type WebhookConfig = Schemas["WebhookConfig"];
export type WebhookErrorEntry = Schemas["WebhookError"];
export type ErrorGroups = Schemas["ErrorGroups"];
export type WebhookTestResult = Schemas["WebhookTestResult"];
export type ReplayResult = Schemas["ReplayResult"];
export type Consumer = Schemas["Consumer"];
export type MoveConsumerRequest = Schemas["MoveConsumerRequest"];
export type DeleteStatus = Schemas["DeleteStatus"];
export type CreateBotRequest = Schemas["CreateBotRequest"];
export type EditBotRequest = Schemas["EditBotRequest"];
export type CreateChannelRequest = Schemas["CreateChannelRequest"];
export type EditChannelRequest = Schemas["EditChannelRequest"];
export type CreateChannelPostRequest = Schemas["CreateChannelPostRequest"];
export type EditPostRequest = Schemas["EditPostRequest"];
export type EmitEventRequest = Schemas["EmitEventRequest"];
export type PutSubscriptionRequest = Schemas["PutSubscriptionRequest"];
export type PreviewSubscriptionRequest = Schemas["PreviewSubscriptionRequest"];
export type PutWebhookRequest = Schemas["PutWebhookRequest"];
/** The codes that say why a request was refused: `code` of a {@link ServiceError}. */
export type ErrorCode = Schemas["ErrorCode"];
export type EraseStatus = Schemas["EraseStatus"];

/** One thing of an export. Its cursor is where a further export goes on; an export without the line `end` is not complete. */
export type ExportLine = { cursor: string } & (
  | { type: "bot"; bot: BotRecord; subscription: Record<string, unknown> | null }
  | { type: "channel"; channel: Channel }
  | { type: "post"; channel_id: string; post: Post }
  | { type: "event"; channel_id: string; event: Schemas["Event"] }
  | { type: "event"; bot_id: string; event: Schemas["Event"] }
  | { type: "attachment"; attachment: { bot_id: string; channel_id: string; role: string } }
  | { type: "update"; bot_id: string; update: OwnerUpdate }
  | { type: "end" }
);

/** Where the delivery of an update stands. */
export type DeliveryState = OwnerUpdate["state"];

/** The answer to a list request. */
export interface List<Item> {
  items: Item[];
}

/**
 * The payloads of known kinds of events: those of the service. A platform that emits custom events declares theirs here, by
 * declaration merging.
 */
export interface EventPayloads {
  "channel.post_created": Schemas["ChannelPostCreatedPayload"];
  "channel.post_edited": Schemas["ChannelPostEditedPayload"];
  "channel.post_deleted": Schemas["ChannelPostDeletedPayload"];
  "channel.updated": Schemas["ChannelUpdatedPayload"];
  "bot.attached": Schemas["BotAttachedPayload"];
  "bot.detached": Schemas["BotDetachedPayload"];
}

/** A kind of event, also one that this version does not know. */
export type EventType = keyof EventPayloads | (string & {});

/** The payload of an event of kind `Event`; of a custom event, an object of any shape. */
export type PayloadOf<Event extends EventType> = string extends Event
  ? Record<string, unknown>
  : Event extends keyof EventPayloads
    ? EventPayloads[Event]
    : Record<string, unknown>;

/** One entry of a bot's log. */
export interface Update<Event extends EventType = EventType> {
  /** 1, 2, 3 … for each bot, without gaps: the key by which to recognise a repeated update. */
  update_id: number;
  event_type: Event;
  payload: PayloadOf<Event>;
  /** RFC 3339, UTC. */
  created_at: string;
}

/** An update of one of the known kinds, told apart by `event_type`. */
export type KnownUpdate<Event extends keyof EventPayloads = keyof EventPayloads> = {
  [Known in Event]: Update<Known>;
}[Event];
