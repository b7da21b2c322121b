import { Type } from "typebox";
import { putDirectChannel } from "../../../operations/channels/put-direct-channel.js";
import type { Api, AppOptions } from "../../api.js";
import { acceptMissingBody } from "../../requests/json-body.js";
import { ChannelBody, PutDirectChannelRequest, toChannelBody } from "../../schemas/channel.js";
import { answer, ref } from "../../schemas/document/component.js";
import { failures } from "../../schemas/document/failures.js";
import { extension } from "../../surface.js";
import { idFrom, ownerActor } from "../refs.js";

const DirectPath = Type.Object({ botId: Type.String({ description: "Bot id." }) });

/** `/v1/channels/direct/{botId}` */
export function addDirectChannelRoutes(app: Api, options: AppOptions): void {
  app.register(async (direct: Api) => {
    acceptMissingBody(direct);
    addPutRoute(direct, options);
  });
}

function addPutRoute(app: Api, { store, caps, standings }: AppOptions): void {
  app.put(
    "/v1/channels/direct/:botId",
    {
      schema: extension({
        operationId: "putDirectChannel",
        summary: "Get the direct channel with a bot, or create it",
        description:
          "A channel with one of your bots, for one user of your product or for none. A new one has the bot attached at once; where it was detached since, it is attached again. Safe to repeat, also at the same moment: there is one channel for each bot and user.",
        params: DirectPath,
        body: ref(PutDirectChannelRequest),
        response: {
          200: answer(ChannelBody, "The channel there was, as it was."),
          201: answer(ChannelBody, "The new channel."),
          ...failures(400, 404),
        },
      }),
    },
    async (request, reply) => {
      const { user, title } = request.body;
      const draft = { ...ownerActor(request), botId: idFrom(request.params.botId), user, title };
      const { channels } = await standings.capsOf(draft.ownerUserId);
      const { channel, isNew } = await putDirectChannel(store, draft, {
        perOwner: channels,
        ...caps.attaching,
      });
      reply.code(isNew ? 201 : 200);
      return toChannelBody(channel);
    },
  );
}
