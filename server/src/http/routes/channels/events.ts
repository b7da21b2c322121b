import type { IncomingHttpHeaders } from "node:http";
import type { FastifyReply } from "fastify";
import type { Static } from "typebox";
import type { EventTarget } from "../../../domain/events/event.js";
import { emitEvent } from "../../../operations/posts/emit-event.js";
import type { OwnerActor } from "../../../store/store.js";
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
import { EmitEventRequest, EventBody, toEventBody } from "../../schemas/events/event.js";
import { extension } from "../../surface.js";
import { BotPath, botRef, ChannelPath, channelRef, idFrom } from "../refs.js";

/** `/v1/channels/{id}/events` and `/v1/bot-api/bots/{id}/events` */
export function addCustomEventRoutes(app: Api, options: AppOptions): void {
  const { store, postLimit } = options;

  const findEmitted = async (ownerUserId: string, to: EventTarget, key: string) => {
    const event = await store.findKeyed({ ownerUserId, to, key });
    return event && toEventBody(event, to);
  };

  const emit = async (
    { headers, body }: { headers: IncomingHttpHeaders; body: Static<typeof EmitEventRequest> },
    reply: FastifyReply,
    actor: OwnerActor,
    to: EventTarget,
  ) => {
    const { event_type: eventType, payload, author: user } = body;
    const idempotencyKey = idempotencyKeyOf(headers);
    const cause = causeOf(headers);
    const draft = { ...actor, to, eventType, payload, user, idempotencyKey, cause };
    const { event, isReplayed } = await emitEvent(store, draft);
    sendCreated(reply, isReplayed);
    return toEventBody(event, to);
  };

  app.post(
    "/v1/channels/:id/events",
    {
      onRequest: shedPosts(options.fairness),
      errorHandler: replayRefused(({ owner, params }, key) =>
        findEmitted(owner.userId, { channelId: idFrom(params.id) }, key),
      ),
      schema: extension({
        operationId: "emitChannelEvent",
        summary: "Emit a custom event in a channel you hold",
        description:
          "Every bot that is attached to the channel gets an update, unless its subscription leaves it out. When the answer comes, all of it is stored safely.",
        params: ChannelPath,
        headers: IdempotencyHeaders,
        body: ref(EmitEventRequest),
        response: {
          201: { ...answer(EventBody, "The event."), headers: REPLAYED },
          ...failures(400, 404),
        },
      }),
    },
    async (request, reply) => {
      const { channelId, ...actor } = channelRef(request);
      await postLimit.admit(actor.ownerUserId);
      return await emit(request, reply, actor, { channelId });
    },
  );

  app.post(
    "/v1/bot-api/bots/:id/events",
    {
      onRequest: shedPosts(options.fairness),
      errorHandler: replayRefused(({ owner, params }, key) =>
        findEmitted(owner.userId, { botId: idFrom(params.id) }, key),
      ),
      schema: extension({
        operationId: "emitBotEvent",
        summary: "Emit a custom event to one of your bots",
        description:
          "For a command or a direct message: only this bot gets an update, unless its subscription leaves it out. When the answer comes, it is stored safely.",
        params: BotPath,
        headers: IdempotencyHeaders,
        body: ref(EmitEventRequest),
        response: {
          201: { ...answer(EventBody, "The event."), headers: REPLAYED },
          ...failures(400, 404),
        },
      }),
    },
    async (request, reply) => {
      const { botId, ...actor } = botRef(request);
      await postLimit.admit(actor.ownerUserId, false);
      return await emit(request, reply, actor, { botId });
    },
  );
}
