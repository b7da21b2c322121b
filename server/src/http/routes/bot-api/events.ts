import { emitByBot } from "../../../operations/posts/emit-event.js";
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
import { EmitBotEventRequest, EventBody, toEventBody } from "../../schemas/events/event.js";
import { extension } from "../../surface.js";
import { ChannelPath, idFrom } from "../refs.js";

/** `/v1/bot-api/channels/{id}/events` */
export function addBotEventRoutes(app: Api, { store, fairness, postLimit }: AppOptions): void {
  app.post(
    "/v1/bot-api/channels/:id/events",
    {
      onRequest: shedPosts(fairness),
      errorHandler: replayRefused(async ({ bot, params }, key) => {
        const channelId = idFrom(params.id);
        const event = await store.findKeyed({ eventIn: channelId, botId: bot.id, key });
        return event && toEventBody(event, { channelId });
      }),
      schema: extension({
        operationId: "emitMyEvent",
        summary: "Emit a custom event in a channel you are attached to",
        description:
          "Every other bot that is attached to the channel gets an update, unless its subscription leaves it out. Its payload has you as `author`. When the answer comes, all of it is stored safely.",
        params: ChannelPath,
        headers: IdempotencyHeaders,
        body: ref(EmitBotEventRequest),
        response: {
          201: { ...answer(EventBody, "The event."), headers: REPLAYED },
          ...failures(400, 403),
        },
      }),
    },
    async ({ bot, tokenHash, params, headers, body }, reply) => {
      const emitter = { botId: bot.id, username: bot.username, tokenHash };
      const channelId = idFrom(params.id);
      await postLimit.admitIn(channelId, bot.ownerUserId);
      const { event, to, isReplayed } = await emitByBot(store, emitter, {
        channelId,
        eventType: body.event_type,
        payload: body.payload,
        idempotencyKey: idempotencyKeyOf(headers),
        cause: causeOf(headers),
      });
      sendCreated(reply, isReplayed);
      return toEventBody(event, to);
    },
  );
}
