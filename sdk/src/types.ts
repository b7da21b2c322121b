import type { components } from "./generated/openapi.js";

type Schemas = components["schemas"];

/** A bot as the service describes it. */
export type BotRecord = Schemas["Bot"];
/** A bot in a channel, as the channel's holder sees it. */
export type AttachedBot = Schemas["AttachedBot"];
/** A bot as every owner may see it. */
export type BotProfile = Schemas["BotProfile"];
/** What a listed bot's platform decided. */
export type BotReviewState = Schemas["BotReviewState"];
export type PutBotReviewRequest = Schemas["PutBotReviewRequest"];
/** A page of a list that is looked through. */
export interface CursorPage<Item> {
  /** May be none before the end. */
  items: Item[];
  /** Where the next page begins; left out at the end. */
  next_cursor?: string;
}
export type BotToken = Schemas["BotToken"];
export type BotWithToken = Schemas["BotWithToken"];
export type BotIdentity = Schemas["BotIdentity"];
export type BotStats = Schemas["BotStats"];
export type BotOverview = Schemas["BotOverview"];
export type BotState = Schemas["BotState"];
export type BotChannel = Schemas["BotChannel"];
/** What a bot may do in a channel: a member hears and posts, a moderator deletes any post too, a reader only hears. */
export type BotRole = NonNullable<Schemas["AttachBotRequest"]["role"]>;
export type AttachChannelResult = Schemas["AttachChannelResult"];
export type BatchChannel = Schemas["BatchChannelRequest"];
export type BatchEvent = Schemas["BatchEventRequest"];
export type BatchPost = Schemas["BatchPostRequest"];
export type ChannelBatchItem = Schemas["ChannelBatchResult"]["items"][number];
export type PostBatchItem = Schemas["PostBatchResult"]["items"][number];
export type EventBatchItem = Schemas["EventBatchResult"]["items"][number];
export type Channel = Schemas["Channel"];
export type ChannelBot = Schemas["ChannelBot"];
export type ChannelBotsChange = Schemas["ChannelBotsChange"];
export type PutExternalChannelRequest = Schemas["PutExternalChannelRequest"];
export type PutDirectChannelRequest = Schemas["PutDirectChannelRequest"];
export type BotPost = Schemas["BotPost"];
export type Post = Schemas["Post"];
/** A bot of a channel, and its update of a post; without one it did not hear the post, or the update has expired. */
export type PostUpdate = Schemas["PostUpdate"];
export type Author = Schemas["Author"];
export type ReplyTo = Schemas["ReplyTo"];
/** A custom event, as it was emitted. */
export type CustomEvent = Schemas["Event"];
export type Subscription = Schemas["Subscription"];
export type PreviewedEvent = Schemas["PreviewedEvent"];
/** How the delivery of an update by webhook stands. */
export type UpdateDelivery = Omit<Schemas["CustomEventOwnerUpdate"], keyof AnyUpdate>;
/** An update as its owner sees it. */
export type OwnerUpdate<Kind extends EventType = EventType> = Update<Kind> & UpdateDelivery;
export type FailedAttempt = Schemas["FailedAttempt"];
export type Timeline = Schemas["Timeline"];
export type WebhookConfig = Schemas["WebhookConfig"];
/** One of the webhooks of a bot. */
export type NamedWebhookConfig = Schemas["NamedWebhookConfig"];
export type WebhookErrorEntry = Schemas["WebhookError"];
export type ErrorGroups = Schemas["ErrorGroups"];
export type WebhookTestResult = Schemas["WebhookTestResult"];
/** Why a webhook is paused: its receiver answered 410 or kept failing, or who has paused it. */
export type PauseReason = NonNullable<WebhookConfig["pause_reason"]>;
export type ReplayResult = Schemas["ReplayResult"];
export type RotatedSecret = Schemas["RotatedSecret"];
export type Consumer = Schemas["Consumer"];
export type MoveConsumerRequest = Schemas["MoveConsumerRequest"];
export type AuditEntry = Schemas["AuditEntry"];
export type GivenUp = Schemas["GivenUp"];
export type GiveUpRequest = Schemas["GiveUpRequest"];
export type GivenUpStatus = Schemas["GivenUpStatus"];
export type HandInRequest = Schemas["HandInRequest"];
export type HandInResult = Schemas["HandInResult"];
export type DeleteStatus = Schemas["DeleteStatus"];
/** What the platform has decided about an owner. */
export type PlatformOwner = Schemas["PlatformOwner"];
export type PutOwnerRequest = Schemas["PutOwnerRequest"];
/** How much an owner may have, and who has set that. */
export type OwnLimits = Schemas["OwnLimits"];
/** What was used on one day. */
export type UsageDay = Schemas["UsageDay"];
export type OwnerUsageDay = Schemas["OwnerUsageDay"];
export type CreateBotRequest = Schemas["CreateBotRequest"];
export type EditBotRequest = Schemas["EditBotRequest"];
export type CreateChannelRequest = Schemas["CreateChannelRequest"];
export type EditChannelRequest = Schemas["EditChannelRequest"];
export type CreateChannelPostRequest = Schemas["CreateChannelPostRequest"];
export type CreateOwnerPostRequest = Schemas["CreateOwnerPostRequest"];
export type EditPostRequest = Schemas["EditPostRequest"];
export type EmitEventRequest = Schemas["EmitEventRequest"];
export type EmitBotEventRequest = Schemas["EmitBotEventRequest"];
export type PutSubscriptionRequest = Schemas["PutSubscriptionRequest"];
export type PreviewSubscriptionRequest = Schemas["PreviewSubscriptionRequest"];
export type BotCommand = Schemas["BotCommand"];
export type ChannelCommands = Schemas["ChannelCommands"];
export type CommandChoice = Schemas["CommandChoice"];
export type CommandOption = Schemas["CommandOption"];
/** A button or a select under a post. */
export type PostComponent = Schemas["PostComponent"];
export type CreateInteractionRequest = Schemas["CreateInteractionRequest"];
export type Interaction = Schemas["Interaction"];
export type InteractionUser = Schemas["InteractionUser"];
export type InteractionResponse = Schemas["InteractionResponse"];
export type RespondRequest = Schemas["RespondRequest"];
export type RespondedInteraction = Schemas["RespondedInteraction"];
export type PutWebhookRequest = Schemas["PutWebhookRequest"];
export type PutAlertsRequest = Schemas["PutAlertsRequest"];
export type PutFeedWebhookRequest = Schemas["PutFeedWebhookRequest"];
export type FeedWebhookConfig = Schemas["FeedWebhookConfig"];
/** The codes that say why a request was refused: `code` of a {@link ServiceError}. */
export type ErrorCode = Schemas["ErrorCode"];
export type EraseStatus = Schemas["EraseStatus"];

/** One line of an export. An export can be continued after its cursor; an export without the line `end` is not complete. */
export type ExportLine = {
  /** The position after which another export continues. */
  cursor: string;
} & (
  | { type: "alerts"; webhook: WebhookConfig }
  | {
      type: "bot";
      bot: BotRecord;
      subscription: Record<string, unknown> | null;
      commands: BotCommand[];
      webhooks: NamedWebhookConfig[];
    }
  | { type: "channel"; channel: Channel }
  | { type: "post"; channel_id: string; post: Post }
  | { type: "event"; channel_id: string; event: Schemas["Event"] }
  | { type: "event"; bot_id: string; event: Schemas["Event"] }
  | { type: "attachment"; attachment: { bot_id: string; channel_id: string; role: string } }
  | { type: "update"; bot_id: string; update: OwnerUpdate }
  | { type: "audit"; entry: AuditEntry }
  | { type: "end" }
);

/** Where the delivery of an update stands. */
export type DeliveryState = OwnerUpdate["state"];

/** The answer to a list request. */
export interface List<Item> {
  /** The items, in the order that the operation says. */
  items: Item[];
}

/** The updates of a bot. */
export interface OwnerUpdates extends List<OwnerUpdate> {
  /** Only for a search that has not read everything: the `before` with which to continue. */
  stopped_at?: number;
}

/**
 * The payloads of known kinds of events: those of the service. A platform that emits custom events declares their
 * payloads here by declaration merging; then updates of these kinds are typed as well.
 */
export interface EventPayloads {
  "channel.post_created": Schemas["ChannelPostCreatedPayload"];
  "channel.post_edited": Schemas["ChannelPostEditedPayload"];
  "channel.post_deleted": Schemas["ChannelPostDeletedPayload"];
  "channel.updated": Schemas["ChannelUpdatedPayload"];
  "bot.attached": Schemas["BotAttachedPayload"];
  "bot.detached": Schemas["BotDetachedPayload"];
  "interaction.created": Schemas["InteractionCreatedPayload"];
  "webhook.failing": Schemas["WebhookFailingPayload"];
  "webhook.recovered": Schemas["WebhookRecoveredPayload"];
  "webhook.paused": Schemas["WebhookPausedPayload"];
  "alert.audit_entry": Schemas["AuditEntry"];
}

/** What an event of the feed has once its owner is erased. */
export interface FeedErasable {
  /** Only ids of bots and channels are left; every other text is empty. */
  deleted?: boolean;
}

/** The payload of the feed's events about bots and webhooks: ids, names and the owner. */
export interface FeedBotPayload extends FeedErasable {
  /** The bot's id. */
  bot_id: string;
  /** The bot's username. */
  username: string;
  /** Of an event about a webhook, its name; left out of `default`. */
  webhook?: string;
  /** The owner of the bot. */
  owner_user_id: string;
}

/** The payload of the feed's events about channels. */
export interface FeedChannelPayload extends FeedErasable {
  /** The channel's id. */
  channel_id: string;
  /** The owner's own id of the channel; left out when it has none. */
  external_id?: string;
  /** The owner of the channel. */
  owner_user_id: string;
}

/** The payload of the feed's events about a bot in a channel: of another owner's bot without its username. */
export interface FeedAttachmentPayload extends FeedChannelPayload {
  /** The bot's id. */
  bot_id: string;
  /** The bot's username, if it is the channel's owner's. */
  username?: string;
}

/** What a bot responded to an interaction. The text of a `post` and of an `update` is in an event of its own. */
export type FeedResponsePayload = FeedErasable &
  Pick<Interaction, "kind" | "channel_id" | "bot_id" | "user"> &
  Omit<InteractionResponse, "id" | "created_at"> & {
    /** The interaction that it answers. */
    interaction_id: string;
    /** The bot's username. */
    username: string;
  };

/** The payloads of the kinds of events that the feed of the platform has, those of {@link EventPayloads} among them. */
export interface FeedPayloads
  extends Omit<
    EventPayloads,
    "bot.attached" | "bot.detached" | `interaction.${string}` | `webhook.${string}` | `alert.${string}`
  > {
  "interaction.responded": FeedResponsePayload;
  "channel.created": FeedChannelPayload;
  "channel.deleted": FeedChannelPayload;
  "bot.created": FeedBotPayload;
  "bot.updated": FeedBotPayload;
  "bot.token_rotated": FeedBotPayload;
  "bot.subscribed": FeedBotPayload;
  "bot.disabled": FeedBotPayload;
  "bot.enabled": FeedBotPayload;
  "bot.deleted": FeedBotPayload;
  "bot.commands_set": FeedBotPayload;
  "bot.listed": FeedBotPayload;
  "bot.unlisted": FeedBotPayload;
  "bot.reviewed": FeedBotPayload & { status: "approved" | "rejected" };
  "bot.attached": FeedAttachmentPayload;
  "bot.role_changed": FeedAttachmentPayload;
  "bot.detached": FeedAttachmentPayload;
  "webhook.set": FeedBotPayload;
  "webhook.deleted": FeedBotPayload;
  "webhook.paused": FeedBotPayload & { reason?: PauseReason };
  "webhook.resumed": FeedBotPayload;
  "webhook.failing": FeedBotPayload & { last_delivery_error: string };
  "webhook.recovered": FeedBotPayload;
  "alert.audit_entry": AuditEntry | Required<FeedErasable>;
}

type FeedKind = keyof FeedPayloads;

/** Something that happened, in the feed of the platform. Comparing `event_type` with a kind gives `payload` its type. */
export type FeedItem<Kind extends FeedKind | OtherEventType = FeedKind | OtherEventType> =
  Kind extends FeedKind
    ? Omit<Schemas["FeedItem"], "event_type" | "payload"> & {
        /** What happened. */
        event_type: Kind;
        /** About what, by the kind. */
        payload: FeedPayloads[Kind];
      }
    : Omit<Schemas["FeedItem"], "event_type" | "payload"> & {
        /** What happened. */
        event_type: OtherEventType;
        /** About what, by the kind. */
        payload: Record<string, unknown>;
      };

export type FeedActor = Schemas["FeedActor"];
export type FeedConsumer = Schemas["FeedConsumer"];
export type MoveFeedConsumerRequest = Schemas["MoveFeedConsumerRequest"];

/** A kind of event that {@link EventPayloads} declares. */
export type KnownEventType = keyof EventPayloads;

declare enum Undeclared {
  kind = "a kind that EventPayloads does not declare",
}

/**
 * A kind of event that {@link EventPayloads} does not declare. It is not plain `string`, since comparing an update's
 * `event_type` with a declared kind would then not narrow the update.
 */
export type OtherEventType = Undeclared;

/** A kind of event, also one that is not declared. */
export type EventType = KnownEventType | OtherEventType;

type Beginnings<Kind extends string> = Kind extends `${infer First}.${infer Rest}`
  ? `${First}.*` | `${First}.${Beginnings<Rest>}`
  : never;

/** A pattern for several kinds: a prefix, such as `channel.*`, or all. */
export type EventPattern = "*" | Beginnings<KnownEventType>;

/** The kinds that a kind or a pattern stands for. A pattern also finds kinds that are not declared. */
export type MatchedBy<Kind extends KnownEventType | EventPattern> = Kind extends "*"
  ? EventType
  : Kind extends `${infer Beginning}.*`
    ? Extract<KnownEventType, `${Beginning}.${string}`> | OtherEventType
    : Extract<Kind, KnownEventType>;

/** The payload of an event of this kind; `unknown` of a kind that is not declared. */
export type PayloadOf<Kind extends EventType> = Kind extends KnownEventType ? EventPayloads[Kind] : unknown;

interface LogEntry<Kind extends EventType> {
  /** 1, 2, 3 … for each bot, without gaps: the key by which to recognise a repeated update. */
  update_id: number;
  /** The kind of event, by which to tell updates apart: `if (update.event_type === "channel.post_created")`. */
  event_type: Kind;
  /** What the event tells. */
  payload: PayloadOf<Kind>;
  /** When the event happened: RFC 3339, UTC. */
  created_at: string;
}

/** One entry of a bot's log: of any kind, or of those that are named. */
export type Update<Kind extends EventType = EventType> = Kind extends KnownEventType
  ? LogEntry<Kind>
  : LogEntry<OtherEventType>;

/** An update of one of the known kinds. */
export type KnownUpdate<Kind extends KnownEventType = KnownEventType> = Update<Kind>;

/** An update of a kind that nobody has declared, as a test makes one. Every {@link Update} is one. */
export interface AnyUpdate {
  /** 1, 2, 3 … for each bot. */
  update_id: number;
  /** The kind of event. */
  event_type: string;
  /** What the event tells. */
  payload: unknown;
  /** When the event happened: RFC 3339, UTC. */
  created_at: string;
}
