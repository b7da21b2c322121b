import { attachBot } from "../../../../operations/bots/attach-bot.js";
import { detachBot } from "../../../../operations/bots/detach-bot.js";
import { found } from "../../../../operations/found.js";
import type { Api, AppOptions } from "../../../api.js";
import { listAll } from "../../../long-list.js";
import { acceptMissingBody } from "../../../requests/json-body.js";
import {
  AttachBotRequest,
  AttachChannelResultBody,
  BotChannelList,
  toAttachChannelResultBody,
  toBotChannelBody,
} from "../../../schemas/channel.js";
import { DeleteStatusBody } from "../../../schemas/delivery/webhook.js";
import { answer, ref } from "../../../schemas/document/component.js";
import { failures } from "../../../schemas/document/failures.js";
import { extension } from "../../../surface.js";
import { BotChannelPath, BotPath, botRef, idFrom } from "../../refs.js";

/** `/v1/bot-api/bots/{id}/channels` */
export function addAttachmentRoutes(app: Api, options: AppOptions): void {
  const { store } = options;
  app.get(
    "/v1/bot-api/bots/:id/channels",
    {
      schema: {
        operationId: "listBotChannels",
        summary: "List the channels a bot is attached to",
        description: "The channels in which the bot may post, and whose posts it receives.",
        params: BotPath,
        response: { 200: answer(BotChannelList, "The channels, oldest first."), ...failures(404) },
      },
    },
    async (request, reply) => {
      const bot = found(await store.findBot(botRef(request)), "bot");
      return await listAll(request, reply, options, {
        read: (limit, after) => store.listBotChannels(bot.id, limit, after),
        idOf: ({ id }) => id,
        toBody: (channel) => toBotChannelBody(channel, bot.ownerUserId),
      });
    },
  );

  app.register(async (attaching: Api) => {
    acceptMissingBody(attaching);
    addAttachRoute(attaching, options);
  });

  app.delete(
    "/v1/bot-api/bots/:id/channels/:channelId",
    {
      schema: extension({
        operationId: "detachBot",
        summary: "Take a bot out of a channel",
        description:
          "The bot gets no further updates from the channel. Those it has stay. The holder of the channel may do so, and the owner of the bot.",
        params: BotChannelPath,
        response: { 200: answer(DeleteStatusBody, "The bot is detached."), ...failures(404) },
      }),
    },
    async (request) => {
      await detachBot(store, botRef(request), idFrom(request.params.channelId));
      return { status: "detached" };
    },
  );
}

function addAttachRoute(app: Api, { store, caps }: AppOptions): void {
  app.post(
    "/v1/bot-api/bots/:id/channels/:channelId",
    {
      schema: {
        operationId: "attachBot",
        summary: "Attach a bot to one of your channels, as moderator",
        description:
          "The bot is yours, or a listed one of another owner. From then on the bot may post in the channel, and every post in it becomes an update of the bot. A bot that is attached as `reader`, a role of Botyard alone, gets the updates only: its posts, and changes of earlier ones, are refused.",
        params: BotChannelPath,
        body: ref(AttachBotRequest),
        response: {
          200: answer(
            AttachChannelResultBody,
            "The bot is attached; attaching again changes the role, if one is given.",
          ),
          ...failures(400, 404),
        },
      },
    },
    async (request) => {
      const channelId = idFrom(request.params.channelId);
      const { role } = request.body;
      return toAttachChannelResultBody(
        await attachBot(store, botRef(request), channelId, caps.attaching, role),
      );
    },
  );
}
