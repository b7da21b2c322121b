import { type Static, Type } from "typebox";
import { MAX_BATCH_ITEMS } from "../../domain/limits.js";
import type { PutRoom } from "../../operations/channels/put-rooms.js";
import { ChannelBody, PutExternalChannelRequest, toChannelBody } from "./channel.js";
import { PutChannelBotsRequest } from "./channel-bots.js";
import { component, ref } from "./document/component.js";
import { refusalFields, refused } from "./events/batch.js";
import { ExternalId } from "./values/text.js";

/** Each item is checked separately, so that an invalid one fails alone. */
export const BatchChannelRequest = component(
  "BatchChannelRequest",
  Type.Object(
    {
      external_id: ExternalId,
      ...PutExternalChannelRequest.properties,
      ...PutChannelBotsRequest.properties,
    },
    {
      description:
        "A channel of a batch as it shall be, with its bots: `bot_ids` or `bots`, or neither, and then those that are attached stay. An extension of Botyard.",
      examples: [{ external_id: "room-42", title: "Room 42", bot_ids: [] }],
    },
  ),
);

export const ChannelBatchRequest = component(
  "ChannelBatchRequest",
  Type.Object(
    {
      channels: Type.Array(ref(BatchChannelRequest), {
        minItems: 1,
        maxItems: MAX_BATCH_ITEMS,
        description: `1 to ${MAX_BATCH_ITEMS} channels. One that is wrong fails alone.`,
      }),
    },
    {
      description: "Channels to create or change, in their order. An extension of Botyard.",
      examples: [{ channels: [{ external_id: "room-42", title: "Room 42", bot_ids: [] }] }],
    },
  ),
);

const ChannelResult = component(
  "ChannelResult",
  Type.Object(
    {
      status: Type.Integer({
        description:
          "201 for a new channel, 200 for one there was, or the status with which a call for it alone would have been refused.",
        examples: [201],
      }),
      ...refusalFields,
      channel: Type.Optional(ref(ChannelBody)),
    },
    { description: "A channel of a batch, or why it was refused. An extension of Botyard." },
  ),
);

export const ChannelBatchResult = component(
  "ChannelBatchResult",
  Type.Object(
    {
      items: Type.Array(ref(ChannelResult), { description: "One for each channel, in their order." }),
    },
    { description: "What came of a batch. An extension of Botyard." },
  ),
);

export const channelBatchComponents = [
  BatchChannelRequest,
  ChannelBatchRequest,
  ChannelResult,
  ChannelBatchResult,
] as const;

export function toChannelResult(result: PutRoom | Error): Static<typeof ChannelResult> {
  if (result instanceof Error) return refused(result);
  return { status: result.isNew ? 201 : 200, channel: toChannelBody(result.channel) };
}
