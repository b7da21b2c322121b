import type { World } from "./api-client.js";

export interface OperationWithBody {
  operationId: string;
  method: string;
  path: string;
  token: string;
  /** A valid body. */
  right: object;
}

/** Every operation with a body, with its path and a valid body. */
export function operationsWithBody(world: World): OperationWithBody[] {
  const { botToken, ownerToken, botId, channelId } = world;
  const bots = "/v1/bot-api/bots";
  return [
    { operationId: "createBot", method: "POST", path: bots, token: ownerToken, right: { username: "right" } },
    {
      operationId: "editBot",
      method: "PATCH",
      path: `${bots}/${botId}`,
      token: ownerToken,
      right: { description: "x" },
    },
    {
      operationId: "putWebhook",
      method: "PUT",
      path: `${bots}/${botId}/webhook`,
      token: ownerToken,
      right: { url: "https://example.com/" },
    },
    {
      operationId: "putNamedWebhook",
      method: "PUT",
      path: `${bots}/${botId}/webhooks/other`,
      token: ownerToken,
      right: { url: "https://example.com/" },
    },
    {
      operationId: "putAlerts",
      method: "PUT",
      path: "/v1/owner/alerts",
      token: ownerToken,
      right: { url: "https://example.com/" },
    },
    {
      operationId: "createBotPost",
      method: "POST",
      path: `/v1/bot-api/channels/${channelId}/posts`,
      token: botToken,
      right: { body: "x" },
    },
    {
      operationId: "moveConsumer",
      method: "PUT",
      path: "/v1/bot-api/consumers/main",
      token: botToken,
      right: { position: 0 },
    },
    {
      operationId: "handInGivenUp",
      method: "POST",
      path: `${bots}/${botId}/given-up/hand-in`,
      token: ownerToken,
      right: { all: true },
    },
    {
      operationId: "createChannel",
      method: "POST",
      path: "/v1/channels",
      token: ownerToken,
      right: { slug: "right", title: "x" },
    },
    {
      operationId: "editChannel",
      method: "PATCH",
      path: `/v1/channels/${channelId}`,
      token: ownerToken,
      right: { title: "x" },
    },
    {
      operationId: "putExternalChannel",
      method: "PUT",
      path: "/v1/channels/external/right",
      token: ownerToken,
      right: { title: "x" },
    },
    {
      operationId: "putDirectChannel",
      method: "PUT",
      path: `/v1/channels/direct/${botId}`,
      token: ownerToken,
      right: { user: { id: "u", username: "u" }, title: "x" },
    },
    {
      operationId: "attachBot",
      method: "POST",
      path: `${bots}/${botId}/channels/${channelId}`,
      token: ownerToken,
      right: { role: "moderator" },
    },
    {
      operationId: "putChannelBots",
      method: "PUT",
      path: `/v1/channels/${channelId}/bots`,
      token: ownerToken,
      right: { bot_ids: [botId] },
    },
    {
      operationId: "putChannelBots",
      method: "PUT",
      path: `/v1/channels/${channelId}/bots`,
      token: ownerToken,
      right: { bots: [{ id: botId, role: "moderator" }] },
    },
    {
      operationId: "createChannelPost",
      method: "POST",
      path: `/v1/channels/${channelId}/posts`,
      token: ownerToken,
      right: { body: "x" },
    },
    {
      operationId: "emitChannelEvent",
      method: "POST",
      path: `/v1/channels/${channelId}/events`,
      token: ownerToken,
      right: { event_type: "ticket.opened", payload: {} },
    },
    {
      operationId: "emitMyEvent",
      method: "POST",
      path: `/v1/bot-api/channels/${channelId}/events`,
      token: botToken,
      right: { event_type: "ticket.opened", payload: {} },
    },
    {
      operationId: "emitBotEvent",
      method: "POST",
      path: `${bots}/${botId}/events`,
      token: ownerToken,
      right: { event_type: "ticket.opened", payload: {} },
    },
    {
      operationId: "putSubscription",
      method: "PUT",
      path: `${bots}/${botId}/subscription`,
      token: ownerToken,
      right: { event_types: ["*"] },
    },
    {
      operationId: "putMySubscription",
      method: "PUT",
      path: "/v1/bot-api/subscription",
      token: botToken,
      right: { event_types: ["*"] },
    },
    {
      operationId: "putMyCommands",
      method: "PUT",
      path: "/v1/bot-api/commands",
      token: botToken,
      right: { commands: [{ name: "help", description: "x" }] },
    },
    {
      operationId: "createInteraction",
      method: "POST",
      path: `/v1/channels/${channelId}/interactions`,
      token: ownerToken,
      right: { kind: "command", user: { id: "u", username: "u" }, bot_id: botId, command: { name: "help" } },
    },
    {
      operationId: "respondToInteraction",
      method: "POST",
      path: "/v1/bot-api/interactions/00000000-0000-0000-0000-000000000000/responses",
      token: botToken,
      right: { type: "working" },
    },
    {
      operationId: "previewSubscription",
      method: "POST",
      path: `${bots}/${botId}/subscription/preview`,
      token: ownerToken,
      right: { channel_id: channelId, event_types: ["*"] },
    },
  ];
}
