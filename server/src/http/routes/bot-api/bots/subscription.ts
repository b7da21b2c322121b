import { previewSubscription, subscribe, unsubscribe } from "../../../../operations/bots/subscribe.js";
import { found } from "../../../../operations/found.js";
import type { Api, AppOptions } from "../../../api.js";
import { DeleteStatusBody } from "../../../schemas/delivery/webhook.js";
import { answer, ref } from "../../../schemas/document/component.js";
import { failures } from "../../../schemas/document/failures.js";
import {
  PreviewSubscriptionRequest,
  PutSubscriptionRequest,
  SubscriptionBody,
  SubscriptionPreview,
  toPreviewedEventBody,
  toSubscription,
  toSubscriptionBody,
} from "../../../schemas/events/event.js";
import { extension } from "../../../surface.js";
import { BotPath, botRef, idFrom } from "../../refs.js";

/** `/v1/bot-api/bots/{id}/subscription` */
export function addSubscriptionRoutes(app: Api, { store }: AppOptions): void {
  app.get(
    "/v1/bot-api/bots/:id/subscription",
    {
      schema: extension({
        operationId: "getSubscription",
        summary: "Tell which events a bot hears",
        description: "Without a subscription a bot hears posts and every custom event.",
        params: BotPath,
        response: { 200: answer(SubscriptionBody, "What the bot hears."), ...failures(404) },
      }),
    },
    async (request) => {
      const bot = found(await store.findBot(botRef(request)), "bot");
      return toSubscriptionBody(found(await store.readSubscription(bot.id), "bot"));
    },
  );

  app.put(
    "/v1/bot-api/bots/:id/subscription",
    {
      schema: extension({
        operationId: "putSubscription",
        summary: "Set which events a bot hears",
        description:
          "It holds for everything that happens afterwards; what the bot has in its log stays. Events that are not heard get no `update_id`.",
        params: BotPath,
        body: ref(PutSubscriptionRequest),
        response: { 200: answer(SubscriptionBody, "What the bot hears now."), ...failures(400, 404) },
      }),
    },
    async (request) => {
      const subscription = toSubscription(request.body);
      await subscribe(store, botRef(request), subscription);
      return toSubscriptionBody(subscription);
    },
  );

  app.delete(
    "/v1/bot-api/bots/:id/subscription",
    {
      schema: extension({
        operationId: "deleteSubscription",
        summary: "Let a bot hear posts and every custom event again",
        description: "Removes the subscription, also when there is none.",
        params: BotPath,
        response: { 200: answer(DeleteStatusBody, "There is no subscription."), ...failures(404) },
      }),
    },
    async (request) => {
      await unsubscribe(store, botRef(request));
      return { status: "deleted" };
    },
  );

  app.post(
    "/v1/bot-api/bots/:id/subscription/preview",
    {
      schema: extension({
        operationId: "previewSubscription",
        summary: "Try a subscription on what happened in a channel",
        description:
          "Says which of the channel's last 100 events the bot would have got, and changes nothing. Edits, deletions and changes of the channel are kept only while a bot hears them, and are looked at only then.",
        params: BotPath,
        body: ref(PreviewSubscriptionRequest),
        response: {
          200: answer(SubscriptionPreview, "The channel's events, newest first."),
          ...failures(400, 404),
        },
      }),
    },
    async (request) => {
      const bot = botRef(request);
      const channel = { ownerUserId: bot.ownerUserId, channelId: idFrom(request.body.channel_id) };
      const events = await previewSubscription(store, bot, channel, toSubscription(request.body));
      return { items: events.map(toPreviewedEventBody) };
    },
  );
}
