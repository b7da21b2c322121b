import type { components } from "./generated/openapi.js";

type Schemas = components["schemas"];

/** A bot as the service describes it. */
export type BotRecord = Schemas["Bot"];
export type BotToken = Schemas["BotToken"];
export type BotWithToken = Schemas["BotWithToken"];
export type BotIdentity = Schemas["BotIdentity"];
export type BotStats = Schemas["BotStats"];
export type BotOverview = Schemas["BotOverview"];
export type BotChannel = Schemas["BotChannel"];
export type AttachChannelResult = Schemas["AttachChannelResult"];
export type Channel = Schemas["Channel"];
export type BotPost = Schemas["BotPost"];
export type Post = Schemas["Post"];
export type OwnerUpdate = Schemas["OwnerUpdate"];
export type FailedAttempt = Schemas["FailedAttempt"];
export type Timeline = Schemas["Timeline"];
export type WebhookConfig = Schemas["WebhookConfig"];
export type WebhookErrorEntry = Schemas["WebhookError"];
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
export type PutWebhookRequest = Schemas["PutWebhookRequest"];

/** Where the delivery of an update stands. */
export type DeliveryState = OwnerUpdate["state"];

/** The answer to a list request. */
export interface List<Item> {
  items: Item[];
}

/** The payloads of known kinds of events. A host platform with further kinds declares them here, by declaration merging. */
export interface EventPayloads {
  "channel.post_created": Schemas["ChannelPostCreatedPayload"];
}

/** A kind of event, also one that this version does not know. */
export type EventType = keyof EventPayloads | (string & {});

/** The payload of an event of kind `Event`. */
export type PayloadOf<Event extends EventType> = Event extends keyof EventPayloads
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
