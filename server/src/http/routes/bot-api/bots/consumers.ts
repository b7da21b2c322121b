import { found } from "../../../../operations/found.js";
import type { Api, AppOptions } from "../../../api.js";
import { ConsumerList, toConsumerBody } from "../../../schemas/consumer.js";
import { answer } from "../../../schemas/document/component.js";
import { failures } from "../../../schemas/document/failures.js";
import { extension } from "../../../surface.js";
import { BotPath, botRef } from "../../refs.js";

/** `/v1/bot-api/bots/{id}/consumers` */
export function addBotConsumerRoute(app: Api, { store }: AppOptions): void {
  app.get(
    "/v1/bot-api/bots/:id/consumers",
    {
      schema: extension({
        operationId: "listBotConsumers",
        summary: "List a bot's consumers",
        description: "Where each reader of the bot's log is, how far behind, and when it last polled.",
        params: BotPath,
        response: { 200: answer(ConsumerList, "The consumers, oldest first."), ...failures(404) },
      }),
    },
    async (request) => {
      const bot = found(await store.findBot(botRef(request)), "bot");
      return { items: (await store.listConsumers(bot.id)).map(toConsumerBody) };
    },
  );
}
