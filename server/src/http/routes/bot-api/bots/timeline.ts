import { intervalsOf, startOfRange } from "../../../../domain/delivery/timeline.js";
import { foundWebhook } from "../../../../operations/found.js";
import { countRecorded } from "../../../../operations/posts/count-recorded.js";
import type { Api, AppOptions } from "../../../api.js";
import { RangeOfTimeline, TimelineBody, toTimelineBody } from "../../../schemas/delivery/timeline.js";
import { answer } from "../../../schemas/document/component.js";
import { failures } from "../../../schemas/document/failures.js";
import { queryOf } from "../../../schemas/values/scalars.js";
import { BotPath } from "../../refs.js";
import { WEBHOOK_ADDRESSES, webhookRef } from "./webhook-address.js";

/** `/v1/bot-api/bots/{id}/timeline`, and that of each webhook */
export function addTimelineRoutes(app: Api, { store }: AppOptions): void {
  for (const at of WEBHOOK_ADDRESSES) {
    app.get(
      `${at.history}/timeline`,
      {
        schema: at.extension(
          {
            operationId: "readTimeline",
            summary: "Tell how a bot's deliveries went over the last hour, day or week",
            description:
              "Counts of attempts, response times and the backlog, by minute, quarter of an hour or hour; without a webhook, of recorded updates too.",
            params: BotPath,
            querystring: queryOf({ range: RangeOfTimeline }),
            response: { 200: answer(TimelineBody, "Counts by interval."), ...failures(400, 404) },
          },
          "readNamedWebhookTimeline",
        ),
      },
      async (request) => {
        const { range } = request.query;
        const webhook = webhookRef(request);
        const id = foundWebhook(await store.findDestination(webhook), webhook);
        const { url, pendingUpdates } = foundWebhook(await store.readWebhook(webhook), webhook);
        const now = Date.now();
        const kept = await store.readTimeline(id, startOfRange(range, now));
        const intervals = intervalsOf(range, kept, now);
        if (url === "") return toTimelineBody(range, await countRecorded(store, webhook.botId, intervals));
        // The stored backlog is only updated by attempts, and there are none while the webhook is paused.
        const current = intervals.at(-1);
        if (current) current.backlog = pendingUpdates;
        return toTimelineBody(range, intervals);
      },
    );
  }
}
