import { InvalidInput } from "../../../domain/errors.js";
import { putExternalChannel } from "../../../operations/channels/put-external-channel.js";
import { found } from "../../../operations/found.js";
import type { Api, AppOptions } from "../../api.js";
import { isDecodable } from "../../connections/server-options.js";
import { ChannelBody, PutExternalChannelRequest, toChannelBody } from "../../schemas/channel.js";
import { answer, ref } from "../../schemas/document/component.js";
import { failures } from "../../schemas/document/failures.js";
import { extension } from "../../surface.js";
import { ExternalChannelPath, ExternalIdPath, externalIdFrom, ownerActor } from "../refs.js";

/**
 * A path that cannot be percent-decoded is taken literally, and so names nothing. As an external id it would name a
 * channel, and the same one as another path.
 */
const NOT_ENCODED = "the external id in the path must be percent-encoded UTF-8: use encodeURIComponent";

/** `/v1/channels/external/{externalId}` */
export function addExternalChannelRoutes(app: Api, { store, standings }: AppOptions): void {
  app.put(
    "/v1/channels/external/:externalId",
    {
      schema: extension({
        operationId: "putExternalChannel",
        summary: "Create or change the channel that has this id with you",
        description: "Safe to repeat, also at the same moment: there is one channel for each external id.",
        params: ExternalChannelPath,
        body: ref(PutExternalChannelRequest),
        response: {
          200: answer(ChannelBody, "The channel there was, as it is now."),
          201: answer(ChannelBody, "The new channel."),
          ...failures(400),
        },
      }),
    },
    async (request, reply) => {
      if (!isDecodable(request.originalUrl)) throw new InvalidInput(NOT_ENCODED);
      const draft = { ...request.body, ...ownerActor(request), externalId: request.params.externalId };
      const { channels } = await standings.capsOf(draft.ownerUserId);
      const { channel, isNew } = await putExternalChannel(store, draft, channels);
      reply.code(isNew ? 201 : 200);
      return toChannelBody(channel);
    },
  );

  app.get(
    "/v1/channels/external/:externalId",
    {
      schema: extension({
        operationId: "getExternalChannel",
        summary: "Get the channel that has this id with you",
        description: "Only its holder sees a channel here.",
        params: ExternalIdPath,
        response: { 200: answer(ChannelBody, "The channel."), ...failures(404) },
      }),
    },
    async ({ owner, params, originalUrl }) => {
      const externalId = found(
        isDecodable(originalUrl) ? externalIdFrom(params.externalId) : undefined,
        "channel",
      );
      return toChannelBody(found(await store.findExternalChannel(owner.userId, externalId), "channel"));
    },
  );
}
