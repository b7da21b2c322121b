import { createBot } from "../../../operations/bots/create-bot.js";
import { deleteBot } from "../../../operations/bots/delete-bot.js";
import { disableBot, enableBot } from "../../../operations/bots/disable-bot.js";
import { editBot } from "../../../operations/bots/edit-bot.js";
import { found } from "../../../operations/found.js";
import type { Api, AppOptions } from "../../api.js";
import { changesOf } from "../../requests/changes.js";
import {
  BotBody,
  BotList,
  BotWithTokenBody,
  CreateBotRequest,
  EditBotRequest,
  toBotBody,
  toBotTokenBody,
} from "../../schemas/bot.js";
import { DeleteStatusBody } from "../../schemas/delivery/webhook.js";
import { answer, ref } from "../../schemas/document/component.js";
import { failures } from "../../schemas/document/failures.js";
import { extension } from "../../surface.js";
import { answerBots, BotPageQuery } from "../bot-page.js";
import { BotPath, botRef, ownerActor } from "../refs.js";

const BOT_CHANGES = changesOf(EditBotRequest, BotBody);

/** `/v1/bot-api/bots` and `/v1/bot-api/bots/{id}` */
export function addBotRoutes(app: Api, options: AppOptions): void {
  const { store, standings } = options;
  app.get(
    "/v1/bot-api/bots",
    {
      schema: {
        operationId: "listBots",
        summary: "List the bots you own",
        description:
          "Disabled ones included: all of them in one answer, or page by page with `limit` and `after`.",
        querystring: BotPageQuery,
        response: { 200: answer(BotList, "Your bots, oldest first."), ...failures(400) },
      },
    },
    (request, reply) =>
      answerBots(request, reply, options, {
        read: (page) => store.listBots(request.owner.userId, page),
        idOf: ({ id }) => id,
        toBody: toBotBody,
      }),
  );

  app.post(
    "/v1/bot-api/bots",
    {
      schema: {
        operationId: "createBot",
        summary: "Create a bot",
        description:
          "Creates a bot account with a token of its own. The token is in this answer only: the service stores a hash of it.",
        body: ref(CreateBotRequest),
        response: {
          201: answer(BotWithTokenBody, "The bot and its token, which is shown this once."),
          ...failures(400),
        },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const draft = {
        ...ownerActor(request),
        username: body.username,
        displayName: body.display_name,
        description: body.description,
        metadata: body.metadata,
        visibility: body.visibility,
      };
      const { bots } = await standings.capsOf(draft.ownerUserId);
      const { bot, token } = await createBot(store, draft, bots);
      reply.code(201).header("cache-control", "no-store");
      return { bot: toBotBody(bot), token: toBotTokenBody(token) };
    },
  );

  app.get(
    "/v1/bot-api/bots/:id",
    {
      schema: {
        operationId: "getBot",
        summary: "Get a bot",
        description: "The bot as it was created and changed, with the URL of its webhook if it has one.",
        params: BotPath,
        response: { 200: answer(BotBody, "The bot."), ...failures(404) },
      },
    },
    async (request) => toBotBody(found(await store.findBot(botRef(request)), "bot")),
  );

  app.patch(
    "/v1/bot-api/bots/:id",
    {
      schema: extension({
        operationId: "editBot",
        summary: "Change a bot's display name, description, metadata or visibility",
        description: "Fields that are left out stay as they are.",
        params: BotPath,
        body: BOT_CHANGES.body,
        response: { 200: answer(BotBody, "The bot as it is now."), ...failures(400, 404) },
      }),
    },
    async (request) => {
      BOT_CHANGES.check(request.body);
      const { display_name: displayName, description, metadata, visibility } = request.body;
      const isReviewed = options.caps.attaching.review === "required";
      const changes = { displayName, description, metadata, visibility, isReviewed };
      return toBotBody(await editBot(store, botRef(request), changes));
    },
  );

  app.delete(
    "/v1/bot-api/bots/:id",
    {
      schema: extension({
        operationId: "deleteBot",
        summary: "Delete a bot with its token, attachments and updates; its posts stay",
        description:
          "Its token is refused from then on, and nothing is delivered any more. This cannot be undone.",
        params: BotPath,
        response: { 200: answer(DeleteStatusBody, "The bot is gone."), ...failures(404) },
      }),
    },
    async (request) => {
      await deleteBot(store, botRef(request));
      return { status: "deleted" };
    },
  );

  app.post(
    "/v1/bot-api/bots/:id/disable",
    {
      schema: extension({
        operationId: "disableBot",
        summary: "Refuse a bot's token and stop its deliveries; its updates are still recorded",
        description:
          "The bot's calls get 401 and its webhook receives nothing until it is enabled again, but for what its owner then has sent at once (`testWebhook`, `sendUpdateAgain`), which is refused when the platform disabled it. Disabling it again changes nothing.",
        params: BotPath,
        response: { 200: answer(BotBody, "The bot, with `disabled_at`."), ...failures(404) },
      }),
    },
    async (request) => toBotBody(await disableBot(store, botRef(request))),
  );

  app.post(
    "/v1/bot-api/bots/:id/enable",
    {
      schema: extension({
        operationId: "enableBot",
        summary: "Take a disabled bot back into service",
        description:
          "Its token works again, and what was recorded meanwhile is delivered. What the platform disabled, only the platform enables.",
        params: BotPath,
        response: { 200: answer(BotBody, "The bot, without `disabled_at`."), ...failures(403, 404) },
      }),
    },
    async (request) => toBotBody(await enableBot(store, botRef(request))),
  );
}
