import { Type } from "typebox";
import { listChannelCommands, tagOfCommands } from "../../../operations/bots/commands.js";
import type { Api, AppOptions } from "../../api.js";
import { isCurrent } from "../../entity-tag.js";
import { listAll } from "../../long-list.js";
import { ChannelCommandsList, toChannelCommandsBody } from "../../schemas/commands.js";
import { answer } from "../../schemas/document/component.js";
import { failures } from "../../schemas/document/failures.js";
import { extension } from "../../surface.js";
import { ChannelPath, channelRef } from "../refs.js";

const ETAG = {
  ETag: { type: "string", description: "Of these commands: for `If-None-Match` of a later call." },
} as const;

/** `/v1/channels/{id}/commands` */
export function addChannelCommandRoutes(app: Api, options: AppOptions): void {
  const { store } = options;
  app.get(
    "/v1/channels/:id/commands",
    {
      schema: extension({
        operationId: "listChannelCommands",
        summary: "List the commands that bots offer in a channel you hold",
        description:
          "Of all enabled bots that are attached to it, other than as `reader`, and offer some. With `If-None-Match` the answer is 304, without a body, while nothing has changed.",
        params: ChannelPath,
        headers: Type.Object({
          "If-None-Match": Type.Optional(Type.String({ description: "The `ETag` of an earlier answer." })),
        }),
        response: {
          200: { ...answer(ChannelCommandsList, "The commands, by bot, oldest bot first."), headers: ETAG },
          304: { description: "Nothing has changed.", headers: ETAG, type: "null" },
          ...failures(404),
        },
      }),
    },
    async (request, reply) => {
      const channel = channelRef(request);
      const etag = `"${await tagOfCommands(store, channel)}"`;
      reply.header("etag", etag);
      if (isCurrent(request.headers["if-none-match"], etag)) return reply.code(304).send();
      return await listAll(request, reply, options, {
        read: (limit, after) => listChannelCommands(store, channel.channelId, limit, after),
        idOf: ({ botId }) => botId,
        toBody: toChannelCommandsBody,
      });
    },
  );
}
