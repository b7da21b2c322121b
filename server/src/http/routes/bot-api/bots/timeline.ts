import { intervalsOf, startOfRange } from "../../../../domain/delivery/timeline.js";
import { found } from "../../../../operations/found.js";
import { countRecorded } from "../../../../operations/posts/count-recorded.js";
import type { Api, AppOptions } from "../../../api.js";
import { RangeOfTimeline, TimelineBody, toTimelineBody } from "../../../schemas/delivery/timeline.js";
import { answer } from "../../../schemas/document/component.js";
import { failures } from "../../../schemas/document/failures.js";
import { queryOf } from "../../../schemas/values/scalars.js";
import { extension } from "../../../surface.js";
import { BotPath, botRef } from "../../refs.js";

/** `/v1/bot-api/bots/{id}/timeline` */
export function addTimelineRoutes(app: Api, { store }: AppOptions): void {
  app.get(
    "/v1/bot-api/bots/:id/timeline",
    {
      schema: extension({
        operationId: "readTimeline",
        summary: "Tell how a bot's deliveries went over the last hour, day or week",
        description:
          "Counts of attempts, response times and the backlog, by minute, quarter of an hour or hour; without a webhook, of recorded updates too.",
        params: BotPath,
        querystring: queryOf({ range: RangeOfTimeline }),
        response: { 200: answer(TimelineBody, "Counts by interval."), ...failures(400, 404) },
      }),
    },
    async (request) => {
      const { range } = request.query;
      const bot = found(await store.findBot(botRef(request)), "bot");
      const now = Date.now();
      const kept = await store.readTimeline(bot.id, startOfRange(range, now));
      const intervals = intervalsOf(range, kept, now);
      if (bot.webhookUrl === undefined)
        return toTimelineBody(range, await countRecorded(store, bot.id, intervals));
      // The stored backlog is only updated by attempts, and there are none while the webhook is paused.
      const current = intervals.at(-1);
      const stats = await store.readStats(botRef(request));
      if (current && stats) current.backlog = stats.pending + stats.scheduled;
      return toTimelineBody(range, intervals);
    },
  );
}
