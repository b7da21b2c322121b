import { usageDays } from "../../../domain/owners/usage.js";
import type { Api, AppOptions } from "../../api.js";
import { answer } from "../../schemas/document/component.js";
import { failures } from "../../schemas/document/failures.js";
import {
  OwnerUsagePage,
  OwnerUsageQuery,
  toOwnerUsageDayBody,
  usageCursor,
  usagePosition,
} from "../../schemas/usage.js";
import { extension } from "../../surface.js";

/** `/v1/platform/usage` */
export function addPlatformUsageRoutes(app: Api, { store }: AppOptions): void {
  app.get(
    "/v1/platform/usage",
    {
      schema: extension({
        operationId: "listUsage",
        summary: "Get what all owners have used, by day",
        description:
          "Page by page with `after`. Counted after the fact, each thing once: posts within some seconds, updates and deliveries within some minutes. Kept for 800 days, also of owners who were erased.",
        querystring: OwnerUsageQuery,
        response: { 200: answer(OwnerUsagePage, "By day and user id."), ...failures(400) },
      }),
    },
    async ({ query: { from, to, limit, after } }) => {
      const days = usageDays(from, to, Date.now());
      const usage = await store.listUsage(
        days,
        limit,
        after === undefined ? undefined : usagePosition(after),
      );
      const last = usage.length === limit ? usage.at(-1) : undefined;
      return { items: usage.map(toOwnerUsageDayBody), ...(last && { cursor: usageCursor(last) }) };
    },
  );
}
