import { usageDays } from "../../../domain/owners/usage.js";
import type { Api, AppOptions } from "../../api.js";
import { answer } from "../../schemas/document/component.js";
import { failures } from "../../schemas/document/failures.js";
import { toUsageDayBody, UsageDayList, UsageQuery } from "../../schemas/usage.js";
import { extension } from "../../surface.js";

/** `/v1/owner/usage` */
export function addUsageRoutes(app: Api, { store }: AppOptions): void {
  app.get(
    "/v1/owner/usage",
    {
      schema: extension({
        operationId: "getUsage",
        summary: "Get what you and your bots have used, by day",
        description:
          "Counted after the fact, each thing once: posts within some seconds, updates and deliveries within some minutes. Days without usage are left out.",
        querystring: UsageQuery,
        response: { 200: answer(UsageDayList, "By day, oldest first."), ...failures(400) },
      }),
    },
    async ({ owner, query: { from, to } }) => {
      const days = await store.readUsage(owner.userId, usageDays(from, to, Date.now()));
      return { items: days.map(toUsageDayBody) };
    },
  );
}
