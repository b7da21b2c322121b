import { type Static, Type } from "typebox";
import type { ErrorCode } from "../../../domain/error-codes.js";
import { MAX_BATCH_ITEMS } from "../../../domain/limits.js";
import type { Emitted } from "../../../operations/posts/emit-event.js";
import type { Published } from "../../../operations/posts/publish-post.js";
import { refusalOf } from "../../error-response.js";
import { component, ref } from "../document/component.js";
import { ErrorCodeBody } from "../document/failures.js";
import { ExternalId, IdempotencyKey } from "../values/text.js";
import { EventBody, eventRequestFields, toEventBody } from "./event.js";
import { PostBody, postRequestFields, toPostBody } from "./post.js";

const ChannelId = Type.Optional(Type.String({ description: "The channel, by its id." }));
const ChannelExternalId = Type.Optional({
  ...ExternalId,
  description: "The channel, by your own id of it, instead of `channel_id`.",
});
const BotId = Type.Optional(Type.String({ description: "The bot, for an event to one bot." }));
const ItemKey = Type.Optional({
  ...IdempotencyKey,
  description:
    "As the header `Idempotency-Key`: the same key again, for at least 24 hours, creates nothing and gives the first answer.",
});

/** Where an item of a batch goes. */
export const ItemTarget = Type.Object({
  channel_id: ChannelId,
  external_id: ChannelExternalId,
  bot_id: BotId,
});

/** What identifies a call, also when the rest of the item is invalid. */
export const KeyedItem = Type.Object({ ...ItemTarget.properties, idempotency_key: IdempotencyKey });

/** Each item is checked separately, so that an invalid one fails alone. */
export const BatchPostRequest = component(
  "BatchPostRequest",
  Type.Object(
    {
      channel_id: ChannelId,
      external_id: ChannelExternalId,
      ...postRequestFields,
      idempotency_key: ItemKey,
    },
    {
      description: "A post of a batch. An extension of Botyard.",
      examples: [{ external_id: "room-42", body: "Hello", idempotency_key: "message-1" }],
    },
  ),
);

export const BatchEventRequest = component(
  "BatchEventRequest",
  Type.Object(
    {
      channel_id: ChannelId,
      external_id: ChannelExternalId,
      bot_id: BotId,
      ...eventRequestFields,
      idempotency_key: ItemKey,
    },
    {
      description: "A custom event of a batch. An extension of Botyard.",
      examples: [{ external_id: "room-42", event_type: "ticket.opened", payload: { ticket: 42 } }],
    },
  ),
);

const itemsOf = <Item extends typeof BatchPostRequest | typeof BatchEventRequest>(item: Item, what: string) =>
  Type.Array(ref(item), {
    minItems: 1,
    maxItems: MAX_BATCH_ITEMS,
    description: `1 to ${MAX_BATCH_ITEMS} ${what}. One that is wrong fails alone.`,
  });

export const PostBatchRequest = component(
  "PostBatchRequest",
  Type.Object(
    { posts: itemsOf(BatchPostRequest, "posts") },
    {
      description: "Posts to publish, in their order. An extension of Botyard.",
      examples: [{ posts: [{ external_id: "room-42", body: "Hello", idempotency_key: "message-1" }] }],
    },
  ),
);

export const EventBatchRequest = component(
  "EventBatchRequest",
  Type.Object(
    { events: itemsOf(BatchEventRequest, "custom events") },
    {
      description: "Custom events to emit. An extension of Botyard.",
      examples: [
        { events: [{ external_id: "room-42", event_type: "ticket.opened", payload: { ticket: 42 } }] },
      ],
    },
  ),
);

const resultFields = {
  status: Type.Integer({
    description: "201, or the status with which the item alone would have been refused.",
    examples: [201],
  }),
  replayed: Type.Optional(
    Type.Boolean({ description: "`true` when an earlier call with the same `idempotency_key` created it." }),
  ),
};

/** Of an item that was refused. */
export const refusalFields = {
  error: Type.Optional(Type.String({ description: "What is wrong and how to fix it." })),
  code: Type.Optional(ref(ErrorCodeBody)),
};

const PostResult = component(
  "PostResult",
  Type.Object(
    { ...resultFields, ...refusalFields, post: Type.Optional(ref(PostBody)) },
    { description: "A post of a batch, or why it was refused. An extension of Botyard." },
  ),
);

const EventResult = component(
  "EventResult",
  Type.Object(
    { ...resultFields, ...refusalFields, event: Type.Optional(ref(EventBody)) },
    { description: "An event of a batch, or why it was refused. An extension of Botyard." },
  ),
);

export const PostBatchResult = component(
  "PostBatchResult",
  Type.Object(
    {
      items: Type.Array(ref(PostResult), { description: "One for each post, in their order." }),
    },
    { description: "What came of a batch. An extension of Botyard." },
  ),
);

export const EventBatchResult = component(
  "EventBatchResult",
  Type.Object(
    {
      items: Type.Array(ref(EventResult), { description: "One for each event, in their order." }),
    },
    { description: "What came of a batch. An extension of Botyard." },
  ),
);

export const batchComponents = [
  BatchPostRequest,
  BatchEventRequest,
  PostBatchRequest,
  EventBatchRequest,
  PostResult,
  EventResult,
  PostBatchResult,
  EventBatchResult,
] as const;

export function toPostResult(result: Published | Error): Static<typeof PostResult> {
  if (result instanceof Error) return refused(result);
  return { status: 201, ...replayed(result), post: toPostBody(result.post) };
}

export function toEventResult(result: Emitted | Error): Static<typeof EventResult> {
  if (result instanceof Error) return refused(result);
  return { status: 201, ...replayed(result), event: toEventBody(result.event, result.to) };
}

function replayed({ isReplayed }: { isReplayed: boolean }): { replayed?: true } {
  return isReplayed ? { replayed: true } : {};
}

export function refused(error: Error): { status: number; error: string; code: ErrorCode } {
  const { status, message, code } = refusalOf(error);
  return { status, error: message, code };
}
