import { type Static, Type } from "typebox";
import { type EventTarget, POST_CREATED, type StoredEvent } from "../../../domain/events/event.js";
import { EVERY_CUSTOM, type Subscription } from "../../../domain/events/subscription.js";
import { MAX_EVENT_PAYLOAD_BYTES, MAX_SUBSCRIBED_TYPES } from "../../../domain/limits.js";
import type { PreviewedEvent } from "../../../operations/bots/subscribe.js";
import { component, enumOf, listOf, ref, refWith } from "../document/component.js";
import { idOf, timeOf, toTime } from "../values/scalars.js";
import { CustomEventType, SubscribedType } from "../values/text.js";
import { PostUserBody } from "./post.js";

const CustomPayload = Type.Unsafe<Record<string, unknown>>({
  type: "object",
  additionalProperties: true,
  description: `An object of any shape, passed on unchanged; at most ${MAX_EVENT_PAYLOAD_BYTES} bytes of JSON.`,
});

const eventFields = { event_type: CustomEventType, payload: CustomPayload };

export const eventRequestFields = {
  ...eventFields,
  author: Type.Optional(ref(PostUserBody)),
};

export const EmitEventRequest = component(
  "EmitEventRequest",
  Type.Object(eventRequestFields, {
    description: "The custom event to emit. An extension of Botyard.",
    examples: [{ event_type: "ticket.opened", payload: { ticket: 42 } }],
  }),
);

export const EmitBotEventRequest = component(
  "EmitBotEventRequest",
  Type.Object(eventFields, {
    description: "The custom event to emit; its payload has no `author`. An extension of Botyard.",
    examples: [{ event_type: "ticket.closed", payload: { ticket: 42 } }],
  }),
);

export const EventBody = component(
  "Event",
  Type.Object(
    {
      id: idOf("The event's identifier."),
      event_type: Type.String({ description: "The kind of event.", examples: ["ticket.opened"] }),
      channel_id: Type.Optional(
        Type.String({ description: "The channel in which it was emitted; left out of an event to one bot." }),
      ),
      bot_id: Type.Optional(
        Type.String({ description: "The bot to which it was emitted; left out of an event in a channel." }),
      ),
      payload: CustomPayload,
      created_at: timeOf("When the event was emitted."),
    },
    { description: "A custom event. An extension of Botyard." },
  ),
);

const HeardPosts = enumOf(
  "HeardPosts",
  ["all", "mentions"],
  "Which posts, and edits of posts, a bot hears: all, or those whose body contains `@` and the bot's username, and answers to its own posts. An extension of Botyard.",
);

const subscriptionFields = {
  event_types: Type.Array(SubscribedType, {
    maxItems: MAX_SUBSCRIBED_TYPES,
    uniqueItems: true,
    description:
      "Kinds of events: exact, all that begin alike (`ticket.*`), every custom event (`custom`), or all (`*`).",
    examples: [["channel.post_created", "ticket.*"]],
  }),
  posts: Type.Optional(refWith(HeardPosts, { default: "all" })),
  own_posts: Type.Optional(
    Type.Boolean({ default: true, description: "Whether the bot hears its own posts." }),
  ),
};

const EXAMPLE = { event_types: ["channel.post_created", "ticket.*"], posts: "mentions", own_posts: false };

export const PutSubscriptionRequest = component(
  "PutSubscriptionRequest",
  Type.Object(subscriptionFields, {
    description: "Which events the bot hears. An extension of Botyard.",
    examples: [EXAMPLE],
  }),
);

export const PreviewSubscriptionRequest = component(
  "PreviewSubscriptionRequest",
  Type.Object(
    {
      channel_id: Type.String({ description: "A channel of yours." }),
      ...subscriptionFields,
    },
    {
      description: "A subscription to try, and the channel to try it on. An extension of Botyard.",
      examples: [{ channel_id: "0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41", ...EXAMPLE }],
    },
  ),
);

export const SubscriptionBody = component(
  "Subscription",
  Type.Object(
    {
      is_default: Type.Boolean({
        description: "Whether none is set: then the bot hears posts and every custom event.",
      }),
      event_types: Type.Array(Type.String({ description: "A kind, the beginning of some, or all." }), {
        description:
          "Kinds of events that the bot hears, as they are set: the answer can be sent back and changes nothing.",
      }),
      posts: ref(HeardPosts),
      own_posts: Type.Boolean({ description: "Whether the bot hears its own posts." }),
    },
    { description: "Which events a bot hears. An extension of Botyard." },
  ),
);

const PreviewedEventBody = component(
  "PreviewedEvent",
  Type.Object(
    {
      event_type: Type.String({ description: "The kind of event.", examples: ["channel.post_created"] }),
      payload: CustomPayload,
      created_at: timeOf("When it happened."),
      heard: Type.Boolean({ description: "Whether the bot would have got it." }),
    },
    {
      description: "An event of a channel, and whether the subscription matches it. An extension of Botyard.",
    },
  ),
);

export const SubscriptionPreview = listOf(
  "SubscriptionPreview",
  PreviewedEventBody,
  "The last events of a channel. An extension of Botyard.",
);

export const eventComponents = [
  EmitEventRequest,
  EmitBotEventRequest,
  EventBody,
  HeardPosts,
  PutSubscriptionRequest,
  PreviewSubscriptionRequest,
  SubscriptionBody,
  PreviewedEventBody,
  SubscriptionPreview,
];

export function toEventBody(event: StoredEvent, to: EventTarget): Static<typeof EventBody> {
  const target = "botId" in to ? { bot_id: to.botId } : { channel_id: to.channelId };
  return { id: event.id, ...target, ...happeningOf(event) };
}

function happeningOf({ eventType, payload, createdAt }: StoredEvent) {
  return {
    event_type: eventType,
    payload: JSON.parse(payload) as Record<string, unknown>,
    created_at: toTime(createdAt),
  };
}

export function toSubscription(body: Static<typeof PutSubscriptionRequest>): Subscription {
  return { eventTypes: body.event_types, posts: body.posts ?? "all", ownPosts: body.own_posts ?? true };
}

export function toSubscriptionBody(subscription: Subscription | null): Static<typeof SubscriptionBody> {
  if (!subscription) {
    return { is_default: true, event_types: [POST_CREATED, EVERY_CUSTOM], posts: "all", own_posts: true };
  }
  const { eventTypes, posts, ownPosts } = subscription;
  return { is_default: false, event_types: eventTypes, posts, own_posts: ownPosts };
}

export function toPreviewedEventBody({ event, isHeard }: PreviewedEvent): Static<typeof PreviewedEventBody> {
  return { ...happeningOf(event), heard: isHeard };
}
