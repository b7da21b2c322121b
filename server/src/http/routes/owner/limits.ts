import type { Api, AppOptions } from "../../api.js";
import { answer } from "../../schemas/document/component.js";
import { failures } from "../../schemas/document/failures.js";
import { OwnLimitsBody, toOwnLimitsBody } from "../../schemas/platform-owner.js";
import { extension } from "../../surface.js";

/** `/v1/owner/limits` */
export function addLimitRoutes(app: Api, { standings, store }: AppOptions): void {
  app.get(
    "/v1/owner/limits",
    {
      schema: extension({
        operationId: "getLimits",
        summary: "Get how much you may have",
        description: "Of each limit, whether the platform has set it for you or the service for all.",
        response: { 200: answer(OwnLimitsBody, "Your limits."), ...failures() },
      }),
    },
    async ({ owner: { userId } }) => {
      const standing = await standings.of(userId);
      const kept = { cap: (await standings.keptOf(userId))?.cap, used: await store.readKeptBytes(userId) };
      return toOwnLimitsBody(await standings.capsOf(userId), standing?.limits, kept);
    },
  );
}
