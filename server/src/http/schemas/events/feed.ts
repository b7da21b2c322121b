import { type Static, Type } from "typebox";
import type { FeedConsumer } from "../../../domain/events/consumer.js";
import { POST_CREATED } from "../../../domain/events/event.js";
import { encodeFeedCursor } from "../../../domain/events/feed.js";
import type { FeedItem, FeedPage } from "../../../operations/logs/read-feed.js";
import type { FeedChannel } from "../../../store/store.js";
import { component, enumOf, listOf, ref, refWith } from "../document/component.js";
import { countOf, idOf, timeOf, toTime, toTimeOrAbsent } from "../values/scalars.js";

const EXAMPLE_CURSOR = "AZ3vkq0cR1ZTKgEA";

const cursorOf = (description: string) => Type.String({ description, examples: [EXAMPLE_CURSOR] });

/** A cursor's text: 16 positions have about 100 characters, and the most that it may have, `MAX_CURSOR_POSITIONS`, at most 10,935. */
export const FeedCursorText = Type.String({
  minLength: 1,
  maxLength: 11_000,
  description: "The `cursor` of an answer or of an item: only what follows it is returned.",
  examples: [EXAMPLE_CURSOR],
});

const FeedChannelBody = component(
  "FeedChannel",
  Type.Object(
    {
      id: idOf("The channel's identifier."),
      external_id: Type.Optional(
        Type.String({ description: "The owner's own id of it, if it has one.", examples: ["room-42"] }),
      ),
    },
    { description: "The channel that something happened in. An extension of Botyard." },
  ),
);

const ActorTypeName = enumOf(
  "FeedActorType",
  ["owner", "bot", "platform"],
  "An owner or a bot with a token of their own, or the platform for an owner. An extension of Botyard.",
);

const ActorBody = component(
  "FeedActor",
  Type.Object(
    {
      type: ref(ActorTypeName),
      id: Type.Optional(
        Type.String({
          description:
            "The owner's user id, or the bot's. Left out of the platform, of a bot or a channel that has been deleted since, and of an owner who was erased.",
          examples: ["alice"],
        }),
      ),
    },
    { description: "Who did something, beside in whose name (`author`). An extension of Botyard." },
  ),
);

const FeedItemBody = component(
  "FeedItem",
  Type.Object(
    {
      id: idOf(
        "The event's identifier, the same for every reader: of a post, the post's. An item that is read again has it again.",
      ),
      cursor: cursorOf("The position right after this item. Opaque."),
      event_type: Type.String({ description: "The kind of event.", examples: [POST_CREATED] }),
      owner_user_id: Type.Optional(
        Type.String({
          description:
            "Whose channel or bot it is. Left out of what happened in a channel that has been deleted since, and of an owner who was erased.",
          examples: ["alice"],
        }),
      ),
      channel: Type.Optional(
        refWith(FeedChannelBody, {
          description:
            "Where it happened; left out when it was in no channel, or that has been deleted since.",
        }),
      ),
      by: Type.Optional(
        refWith(ActorBody, {
          description:
            "Who did it. Left out of `webhook.failing`, `webhook.recovered` and a `webhook.paused` by the service itself, a `channel.post_deleted` of a post that goes because the owner of its bot is erased, and of what an earlier version stored.",
        }),
      ),
      payload: Type.Unsafe<Record<string, unknown>>({
        type: "object",
        additionalProperties: true,
        description: "What happened, by `event_type`.",
      }),
      created_at: timeOf("When it happened."),
    },
    { description: "Something that happened, as the platform sees it. An extension of Botyard." },
  ),
);

export const FeedPageBody = component(
  "FeedPage",
  Type.Object(
    {
      items: Type.Array(ref(FeedItemBody), { description: "What happened, for each owner in order." }),
      cursor: cursorOf("The position after the items. Opaque."),
    },
    { description: "A part of the feed. An extension of Botyard." },
  ),
);

export const FeedConsumerBody = component(
  "FeedConsumer",
  Type.Object(
    {
      name: Type.String({ description: "As it was first written.", examples: ["main"] }),
      cursor: cursorOf("Everything up to here is handled. Opaque."),
      lag: countOf("Events up to the end of the feed that are not handled."),
      last_polled_at: Type.Optional(
        timeOf("When it was last polled, within 5 s; left out before the first poll."),
      ),
      created_at: timeOf("When it was created."),
    },
    { description: "A named position in the feed that the service keeps. An extension of Botyard." },
  ),
);
export const FeedConsumerList = listOf("FeedConsumerList", FeedConsumerBody, "Consumers of the feed.");

export const MoveFeedConsumerRequest = component(
  "MoveFeedConsumerRequest",
  Type.Object(
    {
      cursor: { ...FeedCursorText, description: "Everything up to here is handled." },
      rewind: Type.Optional(Type.Boolean({ description: "Sets the position even where it goes back." })),
    },
    {
      description: "How far a consumer has handled the feed. An extension of Botyard.",
      examples: [{ cursor: EXAMPLE_CURSOR }],
    },
  ),
);

export const feedComponents = [
  FeedChannelBody,
  ActorTypeName,
  ActorBody,
  FeedItemBody,
  FeedPageBody,
  FeedConsumerBody,
  FeedConsumerList,
  MoveFeedConsumerRequest,
];

export function toFeedConsumerBody(consumer: FeedConsumer): Static<typeof FeedConsumerBody> {
  const { name, lag, lastPolledAt, createdAt } = consumer;
  return {
    name,
    cursor: encodeFeedCursor(consumer),
    lag,
    last_polled_at: toTimeOrAbsent(lastPolledAt),
    created_at: toTime(createdAt),
  };
}

/** As JSON text: payloads are stored as JSON, and parsing and serialising them would be most of the cost. */
export function encodeFeedPage({ items, cursor }: Pick<FeedPage, "items" | "cursor">): string {
  return `{"items":[${items.map(encodeFeedItem).join(",")}],"cursor":"${cursor}"}`;
}

export function encodeFeedItem(item: FeedItem): string {
  const { id, cursor, eventType = POST_CREATED, ownerUserId: owner, by, channel, payload, createdAt } = item;
  const byField = by === undefined ? "" : `,"by":${JSON.stringify(by)}`;
  const ownerField = owner === undefined ? "" : `,"owner_user_id":${JSON.stringify(owner)}`;
  const channelField = channel === undefined ? "" : `,"channel":${encodeChannel(channel)}`;
  return `{"id":"${id}","cursor":"${cursor}","event_type":"${eventType}"${ownerField}${channelField}${byField},"payload":${payload},"created_at":"${toTime(createdAt)}"}`;
}

function encodeChannel({ id, externalId }: FeedChannel): string {
  return externalId === undefined
    ? `{"id":"${id}"}`
    : `{"id":"${id}","external_id":${JSON.stringify(externalId)}}`;
}
