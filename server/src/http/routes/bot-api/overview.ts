import type { Api, AppOptions } from "../../api.js";
import { answer } from "../../schemas/component.js";
import { BotOverviewList, toBotOverviewBody } from "../../schemas/overview.js";
import { extension } from "../../surface.js";

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
        response: { 200: answer(BotOverviewList, "Your bots, oldest first.") },
      }),
    },
    async ({ owner }) => ({
      items: (await store.listOverviews(owner.userId, Date.now())).map(toBotOverviewBody),
    }),
  );
}
