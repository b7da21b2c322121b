import type { Api, AppOptions } from "../../api.js";
import { answer } from "../../schemas/component.js";
import { failures } from "../../schemas/failures.js";
import { BotOverviewList, toBotOverviewBody } from "../../schemas/overview.js";
import { extension } from "../../surface.js";
import { BotPageQuery, botPageOf } from "../bot-page.js";

/** `/v1/bot-api/overview` */
export function addOverviewRoute(app: Api, { store }: AppOptions): void {
  app.get(
    "/v1/bot-api/overview",
    {
      schema: extension({
        operationId: "overview",
        summary: "List the bots you own with how each is doing",
        description:
          "The same bots as `listBots`, each with counts of its updates and with what keeps it from receiving, if anything does.",
        querystring: BotPageQuery,
        response: { 200: answer(BotOverviewList, "Your bots, oldest first."), ...failures(400) },
      }),
    },
    async ({ owner, query }) => {
      const page = await botPageOf(store, owner.userId, query);
      return { items: (await store.listOverviews(owner.userId, Date.now(), page)).map(toBotOverviewBody) };
    },
  );
}
