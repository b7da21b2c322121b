import { Type } from "typebox";
import { findResponded, respond } from "../../../operations/interactions/respond.js";
import type { Api, AppOptions } from "../../api.js";
import { chargeForEvent } from "../../limits/owner-turns.js";
import {
  IdempotencyHeaders,
  idempotencyKeyOf,
  REPLAYED,
  replayRefused,
  sendCreated,
} from "../../requests/idempotency.js";
import { causeOf } from "../../requests/request-id.js";
import { RevisionHeaders, revisionOf } from "../../requests/revision.js";
import { answer, ref } from "../../schemas/document/component.js";
import { failures } from "../../schemas/document/failures.js";
import { RespondedBody, RespondRequest, toRespondedBody } from "../../schemas/events/interaction.js";
import { extension } from "../../surface.js";
import { idFrom } from "../refs.js";

const RespondHeaders = Type.Object({ ...IdempotencyHeaders.properties, ...RevisionHeaders.properties });
const InteractionPath = Type.Object({ id: Type.String({ description: "Interaction id." }) });

/** `/v1/bot-api/interactions/{id}/responses` */
export function addResponseRoutes(app: Api, { store, fairness, postLimit }: AppOptions): void {
  app.post(
    "/v1/bot-api/interactions/:id/responses",
    {
      errorHandler: replayRefused(async ({ bot, tokenHash, params }, key) => {
        const id = idFrom(params.id);
        const response = await findResponded(store, { botId: bot.id, tokenHash }, id, key);
        return response && toRespondedBody(response);
      }),
      schema: extension({
        operationId: "respondToInteraction",
        summary: "Respond to an interaction",
        description:
          "Up to five times within 15 minutes. An `update` with `If-Match` counts only while the post has that revision: of two who press at once, one decides. When the answer comes, the response is stored safely, with the post that it publishes or edits.",
        params: InteractionPath,
        headers: RespondHeaders,
        body: ref(RespondRequest),
        response: {
          201: { ...answer(RespondedBody, "The response."), headers: REPLAYED },
          ...failures(400, 403, 404),
        },
      }),
    },
    async ({ bot, tokenHash, params, headers, body }, reply) => {
      const responder = { botId: bot.id, tokenHash };
      const draft = {
        ...body,
        ifRevision: revisionOf(headers),
        idempotencyKey: idempotencyKeyOf(headers),
        cause: causeOf(headers),
      };
      const admit = (channelId: string) => postLimit.admitIn(channelId, bot.ownerUserId);
      const { response, post, isReplayed } = await respond(store, responder, idFrom(params.id), draft, admit);
      if (post) {
        const { channelId } = post;
        await chargeForEvent(fairness, bot.ownerUserId, { channelId, isPost: body.type === "post" });
      }
      sendCreated(reply, isReplayed);
      return toRespondedBody(response, post);
    },
  );
}
