import { rotateToken } from "../../../../operations/bots/rotate-token.js";
import type { Api, AppOptions } from "../../../api.js";
import { BotTokenBody, toBotTokenBody } from "../../../schemas/bot.js";
import { answer } from "../../../schemas/document/component.js";
import { failures } from "../../../schemas/document/failures.js";
import { BotPath, botRef } from "../../refs.js";

/** `/v1/bot-api/bots/{id}/token` */
export function addTokenRoutes(app: Api, { store }: AppOptions): void {
  app.post(
    "/v1/bot-api/bots/:id/token",
    {
      schema: {
        operationId: "rotateBotToken",
        summary: "Give a bot a new token and refuse the old one",
        description:
          "The new token is in this answer only. From the moment of the answer the old one is refused.",
        params: BotPath,
        response: { 200: answer(BotTokenBody, "The new token, which is shown this once."), ...failures(404) },
      },
    },
    async (request, reply) => {
      const token = await rotateToken(store, botRef(request));
      reply.header("cache-control", "no-store");
      return toBotTokenBody(token);
    },
  );
}
