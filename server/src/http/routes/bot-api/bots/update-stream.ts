import { found } from "../../../../operations/found.js";
import type { Api, AppOptions } from "../../../api.js";
import { isOwnerStillValid } from "../../../credentials/authentication.js";
import { eventStream, StreamHeaders, StreamQuery, sendEvents, startOf } from "../../../event-stream.js";
import { failures } from "../../../schemas/document/failures.js";
import { extension } from "../../../surface.js";
import { BotPath, botRef } from "../../refs.js";

/** `/v1/bot-api/bots/{id}/updates/stream` */
export function addUpdateStreamRoutes(app: Api, options: AppOptions): void {
  const { polls, store, ownerTokens } = options;

  app.get(
    "/v1/bot-api/bots/:id/updates/stream",
    {
      schema: extension({
        operationId: "streamBotUpdates",
        summary: "Watch a bot's updates as they are recorded, as server-sent events",
        description:
          "For an owner who watches. The stream ends when the owner token expires or the bot is deleted.",
        params: BotPath,
        querystring: StreamQuery,
        headers: StreamHeaders,
        response: { 200: eventStream, ...failures(400, 404) },
      }),
    },
    async (request, reply) => {
      const ref = botRef(request);
      const { id } = found(await store.findBot(ref), "bot");
      const offset = await startOf(store, id, request);
      /** The token may expire, or the bot be deleted. */
      const isAuthorized = async () =>
        (await isOwnerStillValid(ownerTokens, request)) && (await store.findBot(ref)) !== undefined;
      return sendEvents(reply, { follower: polls.follow(id, offset), offset, isAuthorized }, options);
    },
  );
}
