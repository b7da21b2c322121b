import { Type } from "typebox";
import { createInteraction, findCreated } from "../../../operations/interactions/create-interaction.js";
import { readInteraction } from "../../../operations/interactions/read-interaction.js";
import type { Api, AppOptions } from "../../api.js";
import { shedPosts } from "../../limits/owner-turns.js";
import {
  IdempotencyHeaders,
  idempotencyKeyOf,
  REPLAYED,
  replayRefused,
  sendCreated,
} from "../../requests/idempotency.js";
import { causeOf } from "../../requests/request-id.js";
import { answer, ref } from "../../schemas/document/component.js";
import { failures } from "../../schemas/document/failures.js";
import {
  CreateInteractionRequest,
  InteractionBody,
  toInteractionBody,
  toInteractionDraft,
} from "../../schemas/events/interaction.js";
import { extension } from "../../surface.js";
import { ChannelPath, channelRef, idFrom } from "../refs.js";

const InteractionPath = Type.Object({
  ...ChannelPath.properties,
  interactionId: Type.String({ description: "Interaction id." }),
});

/** `/v1/channels/{id}/interactions` */
export function addInteractionRoutes(app: Api, options: AppOptions): void {
  const { store } = options;
  app.post(
    "/v1/channels/:id/interactions",
    {
      onRequest: shedPosts(options.fairness),
      errorHandler: replayRefused(async ({ owner, params }, key) => {
        const channelId = idFrom(params.id);
        const created = await findCreated(store, { ownerUserId: owner.userId, channelId }, key);
        return created && toInteractionBody(created);
      }),
      schema: extension({
        operationId: "createInteraction",
        summary: "Tell a bot that a user chose its command or pressed its component",
        description:
          "In a channel you hold. That bot alone gets an update, whatever it subscribes to. It may respond for 15 minutes: read this interaction, or the feed (`interaction.responded`). You know the user; the service only passes on who it was.",
        params: ChannelPath,
        headers: IdempotencyHeaders,
        body: ref(CreateInteractionRequest),
        response: {
          201: { ...answer(InteractionBody, "The interaction."), headers: REPLAYED },
          ...failures(400, 404),
        },
      }),
    },
    async (request, reply) => {
      const created = await createInteraction(store, channelRef(request), {
        ...toInteractionDraft(request.body, idFrom),
        idempotencyKey: idempotencyKeyOf(request.headers),
        cause: causeOf(request.headers),
      });
      sendCreated(reply, created.isReplayed);
      return toInteractionBody(created);
    },
  );

  app.get(
    "/v1/channels/:id/interactions/:interactionId",
    {
      schema: extension({
        operationId: "getInteraction",
        summary: "Get an interaction in a channel you hold, with what the bot responded",
        description: "As long as updates of its time are kept.",
        params: InteractionPath,
        response: { 200: answer(InteractionBody, "The interaction."), ...failures(404) },
      }),
    },
    async (request) => {
      const id = idFrom(request.params.interactionId);
      return toInteractionBody(await readInteraction(store, channelRef(request), id));
    },
  );
}
