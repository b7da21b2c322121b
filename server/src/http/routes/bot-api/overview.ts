import { found } from "../../../operations/found.js";
import type { Api, AppOptions } from "../../api.js";
import { compressAnswer } from "../../compressed-answer.js";
import { answer } from "../../schemas/document/component.js";
import { failures } from "../../schemas/document/failures.js";
import { BotOverviewBody, BotOverviewList, toBotOverviewBody } from "../../schemas/overview.js";
import { extension } from "../../surface.js";
import { answerBots, BotPageQuery } from "../bot-page.js";
import { BotPath, botRef } from "../refs.js";

/** `/v1/bot-api/overview` and `/v1/bot-api/bots/{id}/overview` */
export function addOverviewRoute(app: Api, options: AppOptions): void {
  const { store } = options;
  app.get(
    "/v1/bot-api/overview",
    {
      onSend: compressAnswer,
      schema: extension({
        operationId: "overview",
        summary: "List the bots you own with how each is doing",
        description:
          "The same bots as `listBots`, each with counts of its updates and with what keeps it from receiving, if anything does.",
        querystring: BotPageQuery,
        response: { 200: answer(BotOverviewList, "Your bots, oldest first."), ...failures(400) },
      }),
    },
    (request, reply) => {
      const now = Date.now();
      return answerBots(request, reply, options, {
        read: (page) => store.listOverviews(request.owner.userId, now, page),
        idOf: ({ bot }) => bot.id,
        toBody: (overview) => toBotOverviewBody(overview, now),
      });
    },
  );

  app.get(
    "/v1/bot-api/bots/:id/overview",
    {
      schema: extension({
        operationId: "getBotOverview",
        summary: "Tell how one bot is doing",
        description: "The bot as it is in the list of `overview`.",
        params: BotPath,
        response: { 200: answer(BotOverviewBody, "The bot with its state."), ...failures(404) },
      }),
    },
    async (request) => {
      const { ownerUserId, botId } = botRef(request);
      const now = Date.now();
      const [overview] = await store.listOverviews(ownerUserId, now, undefined, botId);
      return toBotOverviewBody(found(overview, "bot"), now);
    },
  );
}
