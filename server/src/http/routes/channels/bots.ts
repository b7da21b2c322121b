import { type Static, Type } from "typebox";
import { InvalidInput } from "../../../domain/errors.js";
import { setChannelBots } from "../../../operations/channels/set-channel-bots.js";
import { found } from "../../../operations/found.js";
import type { RoomBot } from "../../../store/store.js";
import type { Api, AppOptions } from "../../api.js";
import {
  ChannelBotList,
  ChannelBotsChangeBody,
  PutChannelBotsRequest,
  toChannelBotBody,
  toChannelBotsChangeBody,
} from "../../schemas/channel-bots.js";
import { answer, ref } from "../../schemas/document/component.js";
import { failures } from "../../schemas/document/failures.js";
import { limitOf, queryOf } from "../../schemas/values/scalars.js";
import { extension } from "../../surface.js";
import { positionAfter } from "../list-position.js";
import { ChannelPath, channelRef, idFrom } from "../refs.js";

/** `/v1/channels/{id}/bots` */
export function addChannelBotRoutes(app: Api, { store, caps }: AppOptions): void {
  app.get(
    "/v1/channels/:id/bots",
    {
      schema: extension({
        operationId: "listChannelBots",
        summary: "List the bots that are attached to a channel you hold",
        description: "Page by page with `after`.",
        params: ChannelPath,
        querystring: queryOf({
          limit: limitOf("Most bots to return."),
          after: Type.Optional(
            Type.String({
              description: "A bot id: only bots after it, also when it was detached or deleted since.",
            }),
          ),
        }),
        response: { 200: answer(ChannelBotList, "The bots, oldest first."), ...failures(400, 404) },
      }),
    },
    async (request) => {
      const { ownerUserId, channelId } = channelRef(request);
      const { limit, after } = request.query;
      found(await store.findChannel({ ownerUserId, channelId }), "channel");
      const bots = await store.listChannelBots(channelId, limit, positionAfter(after, "bot"));
      return { items: bots.map((bot) => toChannelBotBody(bot, ownerUserId)) };
    },
  );

  app.put(
    "/v1/channels/:id/bots",
    {
      schema: extension({
        operationId: "putChannelBots",
        summary: "Attach exactly these bots to a channel you hold",
        description:
          "Attaches those that are missing, gives roles that are named and detaches all others, one after the other. When it fails in between, the same call again does the rest.",
        params: ChannelPath,
        body: ref(PutChannelBotsRequest),
        response: {
          200: answer(ChannelBotsChangeBody, "What has changed."),
          ...failures(400, 404),
        },
      }),
    },
    async (request) => {
      const bots = wishedBots(request.body);
      if (!bots) throw new InvalidInput("give bot_ids or bots: which bots shall be attached");
      return toChannelBotsChangeBody(await setChannelBots(store, channelRef(request), bots, caps.attaching));
    },
  );
}

/** As many characters as an id has. */
const MOST_SHOWN = 36;

/**
 * @returns undefined when the body has neither list
 * @throws InvalidInput when it has both, or a bot twice
 */
export function wishedBots({
  bot_ids: ids,
  bots,
}: Static<typeof PutChannelBotsRequest>): RoomBot[] | undefined {
  if (ids && bots) throw new InvalidInput("give bot_ids or bots, not both", "conflicting_parameters");
  const wished = bots ?? ids?.map((id) => ({ id }));
  if (!wished) return undefined;
  const noId = wished.find(({ id }) => idFrom(id) !== id);
  if (noId)
    throw new InvalidInput(
      `${JSON.stringify(noId.id.slice(0, MOST_SHOWN))} is no id of a bot`,
      "unknown_bot",
    );
  if (new Set(wished.map(({ id }) => id)).size < wished.length)
    throw new InvalidInput("bots must name each bot once");
  return wished.map(({ id: botId, ...role }) => ({ botId, ...role }));
}
