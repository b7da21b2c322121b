import { found } from "../../../operations/found.js";
import type { Api, AppOptions } from "../../api.js";
import { auditAbout } from "../../requests/audit.js";
import { BotBody, toBotBody } from "../../schemas/bot.js";
import { answer, ref } from "../../schemas/document/component.js";
import { failures } from "../../schemas/document/failures.js";
import {
  BotReviewPage,
  PutBotReviewRequest,
  ReviewsQuery,
  toListedPage,
  toReviewPage,
} from "../../schemas/listing.js";
import { extension } from "../../surface.js";
import { cursorOf } from "../bots.js";
import { BotPath, idFrom } from "../refs.js";

/** `/v1/platform/bots` and `/v1/platform/bots/{id}/review` */
export function addReviewRoutes(app: Api, { store }: AppOptions): void {
  app.get(
    "/v1/platform/bots",
    {
      schema: extension({
        operationId: "listReviews",
        summary: "List the bots that their owners have listed, with what you decided on them",
        description:
          "Page by page with `cursor`, oldest first; those that wait for a decision with `state=waiting`.",
        querystring: ReviewsQuery,
        response: { 200: answer(BotReviewPage, "The bots, oldest first."), ...failures(400) },
      }),
    },
    async ({ query }) =>
      toReviewPage(await store.listReviews(query.state, toListedPage(query, cursorOf(query)))),
  );

  app.put(
    "/v1/platform/bots/:id/review",
    {
      schema: extension({
        operationId: "putBotReview",
        summary: "Approve or reject a bot",
        description:
          "A rejected bot is not listed, whatever its owner wants; with `BOT_REVIEW=required` only an approved one is. It stays in the channels that it is in.",
        params: BotPath,
        body: ref(PutBotReviewRequest),
        response: { 200: answer(BotBody, "The bot, with its `review`."), ...failures(400, 404) },
      }),
    },
    async (request) => {
      const { status, note = "" } = request.body;
      const botId = idFrom(request.params.id);
      const ownerUserId = found((await store.findHolders([botId])).get(botId), "bot");
      const review = { status, note, reviewedAt: Date.now(), audit: auditAbout(request, ownerUserId) };
      return toBotBody(found(await store.reviewBot(botId, review), "bot"));
    },
  );
}
