import { Type } from "typebox";
import { findNumberAt } from "../../../../operations/find-number-at.js";
import { found } from "../../../../operations/found.js";
import { listHistory } from "../../../../operations/list-history.js";
import type { Api, AppOptions } from "../../../api.js";
import { FailedAttemptList, toFailedAttemptBody } from "../../../schemas/attempt.js";
import { BotStatsBody, toBotStatsBody } from "../../../schemas/bot.js";
import { answer } from "../../../schemas/component.js";
import { failures } from "../../../schemas/failures.js";
import { BeforeUpdate, limitOf, queryOf } from "../../../schemas/scalars.js";
import { OwnerUpdateList, StateFilter, toOwnerUpdateBody } from "../../../schemas/update.js";
import { extension } from "../../../surface.js";
import { BotPath, botRef, UpdatePath, updateIdFrom } from "../../refs.js";

const Until = Type.Optional(
  Type.String({
    format: "date-time",
    description: "Only updates recorded before this time. An extension of Botyard.",
    examples: ["2026-01-31T12:00:00.000Z"],
  }),
);

/** `/v1/bot-api/bots/{id}/updates`, what is below it, and `/v1/bot-api/bots/{id}/stats` */
export function addHistoryRoutes(app: Api, { store }: AppOptions): void {
  app.get(
    "/v1/bot-api/bots/:id/updates",
    {
      schema: {
        operationId: "listBotUpdates",
        summary: "List a bot's most recent updates with their delivery",
        description:
          "With payload and state of delivery, page by page with `before`. Reading changes nothing.",
        params: BotPath,
        querystring: queryOf({
          limit: limitOf("Most updates to return."),
          before: BeforeUpdate,
          state: StateFilter,
          until: Until,
        }),
        response: { 200: answer(OwnerUpdateList, "The updates, newest first."), ...failures(400, 404) },
      },
    },
    async (request) => {
      const bot = found(await store.findBot(botRef(request)), "bot");
      const { socket } = request.raw;
      const { until, before = Number.MAX_SAFE_INTEGER, ...part } = request.query;
      const above = until === undefined ? before : await findNumberAt(store, bot.id, Date.parse(until));
      const from = Math.min(before, above);
      const updates = await listHistory(store, bot.id, { ...part, before: from }, () => !socket.destroyed);
      return { items: updates.map(toOwnerUpdateBody) };
    },
  );

  app.get(
    "/v1/bot-api/bots/:id/updates/:updateId/attempts",
    {
      schema: extension({
        operationId: "listUpdateAttempts",
        summary: "List the failed attempts to deliver an update",
        description: "When each was made, and what the receiver answered.",
        params: UpdatePath,
        response: {
          200: answer(FailedAttemptList, "The last 20 failed attempts at most, oldest first."),
          ...failures(404),
        },
      }),
    },
    async (request) => {
      const bot = found(await store.findBot(botRef(request)), "bot");
      const updateId = updateIdFrom(request.params.updateId);
      const attempts = found(await store.listFailedAttempts(bot.id, updateId), "update");
      return { items: attempts.map(toFailedAttemptBody) };
    },
  );

  app.get(
    "/v1/bot-api/bots/:id/stats",
    {
      schema: {
        operationId: "getBotStats",
        summary: "Count a bot's channels and updates",
        description: "The counters include updates that have expired since.",
        params: BotPath,
        response: { 200: answer(BotStatsBody, "The counters."), ...failures(404) },
      },
    },
    async (request) => {
      const bot = botRef(request);
      return toBotStatsBody(bot.botId, found(await store.readStats(bot), "bot"));
    },
  );
}
