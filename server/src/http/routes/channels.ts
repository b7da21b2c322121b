import { Type } from "typebox";
import { createChannel } from "../../operations/channels/create-channel.js";
import { deleteChannel } from "../../operations/channels/delete-channel.js";
import { editChannel } from "../../operations/channels/edit-channel.js";
import { found } from "../../operations/found.js";
import type { Api, AppOptions } from "../api.js";
import { findBotsInLoop } from "../limits/bot-loop-limit.js";
import { changesOf } from "../requests/changes.js";
import {
  ChannelBody,
  ChannelList,
  CreateChannelRequest,
  EditChannelRequest,
  toChannelBody,
} from "../schemas/channel.js";
import { DeleteStatusBody } from "../schemas/delivery/webhook.js";
import { answer, ref } from "../schemas/document/component.js";
import { failures } from "../schemas/document/failures.js";
import { limitOf, queryOf } from "../schemas/values/scalars.js";
import { ExternalId } from "../schemas/values/text.js";
import { extension } from "../surface.js";
import { positionAfter } from "./list-position.js";
import { ChannelPath, channelRef, ownerActor } from "./refs.js";

const CHANNEL_CHANGES = changesOf(EditChannelRequest, ChannelBody);

/** `/v1/channels` and `/v1/channels/{id}` */
export function addChannelRoutes(app: Api, { store, caps, standings }: AppOptions): void {
  app.get(
    "/v1/channels",
    {
      schema: extension({
        operationId: "listChannels",
        summary: "List the channels you hold",
        description: "Page by page with `after`.",
        querystring: queryOf({
          limit: limitOf("Most channels to return."),
          after: Type.Optional(
            Type.String({
              description: "A channel id: only channels after it, also when it was deleted since.",
            }),
          ),
          external_id: Type.Optional(ExternalId),
        }),
        response: { 200: answer(ChannelList, "Your channels, oldest first."), ...failures(400) },
      }),
    },
    async ({ owner, query: { limit, after, external_id: externalId } }) => {
      if (externalId !== undefined) {
        const channel = await store.findExternalChannel(owner.userId, externalId);
        return { items: channel ? [toChannelBody(channel)] : [] };
      }
      const channels = await store.listChannels(owner.userId, limit, positionAfter(after, "channel"));
      return { items: channels.map(toChannelBody) };
    },
  );

  app.post(
    "/v1/channels",
    {
      schema: extension({
        operationId: "createChannel",
        summary: "Create a channel",
        description: "You hold it from then on, and may attach your bots to it.",
        body: ref(CreateChannelRequest),
        response: { 201: answer(ChannelBody, "The channel."), ...failures(400) },
      }),
    },
    async (request, reply) => {
      const { slug, title, description, external_id: externalId, metadata } = request.body;
      const draft = { ...ownerActor(request), slug, title, description, externalId, metadata };
      const { channels } = await standings.capsOf(draft.ownerUserId);
      const channel = await createChannel(store, draft, channels);
      reply.code(201);
      return toChannelBody(channel);
    },
  );

  app.get(
    "/v1/channels/:id",
    {
      schema: extension({
        operationId: "getChannel",
        summary: "Get a channel you hold",
        description: "Only its holder sees a channel here.",
        params: ChannelPath,
        response: { 200: answer(ChannelBody, "The channel."), ...failures(404) },
      }),
    },
    async (request) => {
      const channel = found(await store.findChannel(channelRef(request)), "channel");
      const loop = await findBotsInLoop(store, channel.id, caps.botLoopPosts);
      return { ...toChannelBody(channel), ...(loop.size > 0 && { bots_in_loop: [...loop] }) };
    },
  );

  app.patch(
    "/v1/channels/:id",
    {
      schema: extension({
        operationId: "editChannel",
        summary: "Change a channel's title, description or metadata",
        description: "Fields that are left out stay as they are. The slug cannot be changed.",
        params: ChannelPath,
        body: CHANNEL_CHANGES.body,
        response: { 200: answer(ChannelBody, "The channel as it is now."), ...failures(400, 404) },
      }),
    },
    async (request) => {
      CHANNEL_CHANGES.check(request.body);
      const { title, description, metadata } = request.body;
      return toChannelBody(await editChannel(store, channelRef(request), { title, description, metadata }));
    },
  );

  app.delete(
    "/v1/channels/:id",
    {
      schema: extension({
        operationId: "deleteChannel",
        summary: "Delete a channel",
        description:
          "Detaches its bots and erases its posts, also in the updates that were recorded; with many posts that takes a while. Its slug is free again.",
        params: ChannelPath,
        response: { 200: answer(DeleteStatusBody, "The channel is gone."), ...failures(404) },
      }),
    },
    async (request) => {
      await deleteChannel(store, channelRef(request));
      return { status: "deleted" };
    },
  );
}
