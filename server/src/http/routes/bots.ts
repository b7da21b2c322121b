import { InvalidInput } from "../../domain/errors.js";
import { isId } from "../../domain/ids.js";
import { found } from "../../operations/found.js";
import type { Api, AppOptions } from "../api.js";
import { answer } from "../schemas/document/component.js";
import { failures } from "../schemas/document/failures.js";
import {
  BotProfileBody,
  BotProfilePage,
  ListedBotsQuery,
  toFullProfileBody,
  toListedPage,
  toProfilePage,
} from "../schemas/listing.js";
import { extension } from "../surface.js";
import { BotPath, idFrom } from "./refs.js";

/** `/v1/bots` and `/v1/bots/{id}` */
export function addListedBotRoutes(app: Api, { store, caps }: AppOptions): void {
  const { review = "off" } = caps.attaching;
  app.get(
    "/v1/bots",
    {
      schema: extension({
        operationId: "listListedBots",
        summary: "List the bots that every owner may attach",
        description: "Listed bots of all owners, page by page with `cursor`, oldest first.",
        querystring: ListedBotsQuery,
        response: { 200: answer(BotProfilePage, "The bots, oldest first."), ...failures(400) },
      }),
    },
    async ({ owner, query }) => {
      const page = toListedPage(query, cursorOf(query));
      return toProfilePage(await store.listListedBots(owner.userId, review, page));
    },
  );

  app.get(
    "/v1/bots/:id",
    {
      schema: extension({
        operationId: "getBotProfile",
        summary: "Get what every owner may see of a listed bot",
        description:
          "A bot that is listed, yours, or in a channel that you hold. All others look as if they did not exist.",
        params: BotPath,
        response: { 200: answer(BotProfileBody, "The bot."), ...failures(404) },
      }),
    },
    async ({ owner, params }) =>
      toFullProfileBody(found(await store.findProfile(owner.userId, review, idFrom(params.id)), "bot")),
  );
}

/** @throws InvalidInput when the cursor is none of ours */
export function cursorOf({ cursor }: { cursor?: string }): string | undefined {
  if (cursor !== undefined && !isId(cursor))
    throw new InvalidInput("cursor must be the next_cursor of the page before", "invalid_cursor");
  return cursor;
}
