import { subscribeSelf } from "../../../operations/bots/subscribe.js";
import type { Api, AppOptions } from "../../api.js";
import { listAll } from "../../long-list.js";
import { auditOfBot } from "../../requests/audit.js";
import { BotIdentityBody, toBotIdentityBody } from "../../schemas/bot.js";
import { BotChannelList, toBotChannelBody } from "../../schemas/channel.js";
import { answer, ref } from "../../schemas/document/component.js";
import { failures } from "../../schemas/document/failures.js";
import {
  PutSubscriptionRequest,
  SubscriptionBody,
  toSubscription,
  toSubscriptionBody,
} from "../../schemas/events/event.js";
import { extension } from "../../surface.js";

/** `/v1/bot-api/me`, `/v1/bot-api/channels` and `/v1/bot-api/subscription` */
export function addOwnIdentityRoutes(app: Api, options: AppOptions): void {
  const { store } = options;
  app.get(
    "/v1/bot-api/me",
    {
      schema: {
        operationId: "getMe",
        summary: "Tell who you are",
        description: "A quick check that a token works.",
        response: { 200: answer(BotIdentityBody, "The bot that the token belongs to.") },
      },
    },
    async ({ bot }) => toBotIdentityBody(bot),
  );

  app.get(
    "/v1/bot-api/channels",
    {
      schema: {
        operationId: "listMyChannels",
        summary: "List the channels you are attached to",
        description: "The channels in which you may post, and whose posts you receive.",
        response: { 200: answer(BotChannelList, "The channels, oldest first.") },
      },
    },
    (request, reply) =>
      listAll(request, reply, options, {
        read: (limit, after) => store.listBotChannels(request.bot.id, limit, after),
        idOf: ({ id }) => id,
        toBody: (channel) => toBotChannelBody(channel, request.bot.ownerUserId),
      }),
  );

  app.get(
    "/v1/bot-api/subscription",
    {
      schema: extension({
        operationId: "getMySubscription",
        summary: "Tell which events you hear",
        description:
          "Your owner sets it, or you yourself. Without a subscription you hear posts and every custom event.",
        response: { 200: answer(SubscriptionBody, "What you hear.") },
      }),
    },
    async ({ bot }) => toSubscriptionBody((await store.readSubscription(bot.id)) ?? null),
  );

  app.put(
    "/v1/bot-api/subscription",
    {
      schema: extension({
        operationId: "putMySubscription",
        summary: "Set which events you hear",
        description:
          "In place of what your owner has set. It holds for everything that happens afterwards; what you have in your log stays. Events that are not heard get no `update_id`.",
        body: ref(PutSubscriptionRequest),
        response: { 200: answer(SubscriptionBody, "What you hear now."), ...failures(400) },
      }),
    },
    async (request) => {
      const subscription = toSubscription(request.body);
      await subscribeSelf(store, request.bot.id, subscription, { audit: auditOfBot(request) });
      return toSubscriptionBody(subscription);
    },
  );
}
