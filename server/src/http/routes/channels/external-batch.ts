import type { Static } from "typebox";
import { MAX_BATCH_BODY_BYTES } from "../../../domain/limits.js";
import type { WishedRoom } from "../../../operations/channels/change-rooms.js";
import { putRooms } from "../../../operations/channels/put-rooms.js";
import type { RefusedItem } from "../../../operations/posts/run-batch.js";
import type { Api, AppOptions } from "../../api.js";
import type { BatchMemory } from "../../limits/batch-memory.js";
import { checkItems, checkList } from "../../requests/batch-items.js";
import { acceptBatches } from "../../requests/json-body.js";
import {
  BatchChannelRequest,
  ChannelBatchRequest,
  ChannelBatchResult,
  toChannelResult,
} from "../../schemas/channel-batch.js";
import { answer, ref } from "../../schemas/document/component.js";
import { failures } from "../../schemas/document/failures.js";
import { extension } from "../../surface.js";
import { noteFailures } from "../platform/batches.js";
import { ownerActor } from "../refs.js";
import { wishedBots } from "./bots.js";

/** `/v1/channels/external` */
export function addChannelBatchRoutes(app: Api, options: AppOptions, memory: BatchMemory): void {
  app.register(async (batches: Api) => {
    acceptBatches(batches, memory.parse);
    addPutRoute(batches, options, memory);
  });
}

function addPutRoute(
  app: Api,
  { store, fairness, caps, standings, maxPostCharacters }: AppOptions,
  memory: BatchMemory,
): void {
  const roomsOf = checkItems(BatchChannelRequest, maxPostCharacters, wishedRoomOf);

  app.put(
    "/v1/channels/external",
    {
      onRequest: memory.reserve,
      bodyLimit: MAX_BATCH_BODY_BYTES,
      validatorCompiler: () => checkList("channels"),
      schema: extension({
        operationId: "putExternalChannels",
        summary: "Create or change many channels, with their bots, in one call",
        description:
          "Each as `putExternalChannel` and then `putChannelBots` do: in their order, each by itself, so that one that is wrong fails alone. Nothing is done of one that names an unknown bot. Safe to repeat: what is as it shall be is not changed.",
        body: ref(ChannelBatchRequest),
        response: {
          200: answer(ChannelBatchResult, "One result per channel, in request order."),
          ...failures(400),
        },
      }),
    },
    (request, reply) =>
      memory.hold(request, async () => {
        const rooms = roomsOf(request.body.channels).map((one) => ("refusal" in one ? one.refusal : one));
        const { channels: perOwner } = await standings.capsOf(request.owner.userId);
        const most = { perOwner, ...caps.attaching };
        const results = await putRooms(store, fairness, ownerActor(request), most, rooms);
        noteFailures(reply, results);
        return { items: results.map(toChannelResult) };
      }),
  );
}

function wishedRoomOf(item: Static<typeof BatchChannelRequest>): WishedRoom | RefusedItem {
  const { external_id: externalId, slug, title, description, metadata } = item;
  try {
    return { externalId, slug, title, description, metadata, bots: wishedBots(item) };
  } catch (error) {
    const refusal = error as Error;
    return { refusal, target: refusal };
  }
}
