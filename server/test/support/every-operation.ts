import { type RunningApi, startApi } from "./api.js";
import type { World } from "./api-client.js";
import { operations } from "./contract.js";

export const PLATFORM_TOKEN = "a-token-of-the-platform-0123456789";

/** For {@link PLATFORM_TOKEN} too, and with no limit that a test would reach. */
export function startApiForAll(): Promise<RunningApi> {
  return startApi({
    platform: { tokens: [PLATFORM_TOKEN], rateLimit: { burst: 100_000, perSecond: 100_000 } },
  });
}

type Operation = (typeof operations)[number];

export const isForBots = ({ tags }: Operation): boolean => tags.includes("bot-runtime");
export const isForPlatform = ({ path }: Operation): boolean => path.startsWith("/v1/platform/");
/** A bot may not know what it is not attached to: there 403 comes before 404. */
export const isOfBotsChannel = ({ path }: Operation): boolean => path.startsWith("/v1/bot-api/channels/{id}");
export const operationsWith = (status: number): Operation[] =>
  operations.filter(({ responses }) => responses[status]);

const NIL_ID = "00000000-0000-0000-0000-000000000000";

/** The path with ids in place of its parameters; `{id}` is a bot below /bots and a channel elsewhere. */
export function pathOf(
  { path }: Operation,
  ids: { botId: string; channelId: string; updateId?: string; postId?: string },
): string {
  return path
    .replace("/bots/{id}", `/bots/${ids.botId}`)
    .replace("{externalId}", ids.channelId)
    .replace("{channelId}", ids.channelId)
    .replace("{botId}", ids.botId)
    .replace("/webhooks/{name}", "/webhooks/other")
    .replace("{name}", ids.botId)
    .replace("{updateId}", ids.updateId ?? "1")
    .replace("{userId}", ids.channelId)
    .replace("{postId}", ids.postId ?? NIL_ID)
    .replace("{interactionId}", NIL_ID)
    .replace("/interactions/{id}", `/interactions/${NIL_ID}`)
    .replace("{id}", ids.channelId);
}

/** The same text in place of a bot and of a channel. */
export function noIds(id: string) {
  return { botId: id, channelId: id };
}

export function tokenFor(operation: Operation, { botToken, ownerToken }: World): string {
  if (isForPlatform(operation)) return PLATFORM_TOKEN;
  return isForBots(operation) ? botToken : ownerToken;
}

/** A body that is valid, so that what fails is what the test is about; undefined for operations without one. */
export function validBodyOf({ operationId }: Operation, mine: World): unknown {
  return VALID_BODIES[operationId]?.(mine);
}

const VALID_BODIES: Record<string, (mine: World) => unknown> = {
  createBot: () => ({ username: `unused-${Math.random()}` }),
  editBot: () => ({ description: "x" }),
  putExternalChannels: () => ({ channels: [{ external_id: "x", title: "x" }] }),
  createPosts: (mine) => ({ posts: [{ channel_id: mine.channelId, body: "x" }] }),
  emitEvents: (mine) => ({ events: [{ bot_id: mine.botId, event_type: "ticket.opened", payload: {} }] }),
  putExternalChannel: () => ({ title: "x" }),
  putDirectChannel: () => ({ user: { id: "u", username: "u" } }),
  putChannelBots: () => ({ bot_ids: [] }),
  putOwner: () => ({ metadata: {} }),
  putAlerts: () => ({ url: "https://example.com/" }),
  putFeedWebhook: () => ({ url: "https://example.com/" }),
  putNamedWebhook: () => ({ url: "https://example.com/" }),
  putWebhook: () => ({ url: "https://example.com/" }),
  createBotPost: () => ({ body: "x" }),
  createChannelPost: () => ({ body: "x" }),
  createChannel: () => ({ slug: `unused-${Date.now()}`, title: "x" }),
  editChannel: () => ({ title: "x" }),
  moveConsumer: () => ({ position: 0 }),
  giveUpUpdate: () => ({ error: "x" }),
  handInGivenUp: () => ({ all: true }),
  moveFeedConsumer: () => ({ cursor: "AXrcL3SG8B7FCw" }),
  editChannelPost: () => ({ body: "x" }),
  editBotPost: () => ({ body: "x" }),
  emitChannelEvent: () => ({ event_type: "ticket.opened", payload: {} }),
  emitMyEvent: () => ({ event_type: "ticket.opened", payload: {} }),
  emitBotEvent: () => ({ event_type: "ticket.opened", payload: {} }),
  putSubscription: () => ({ event_types: ["*"] }),
  putMySubscription: () => ({ event_types: ["*"] }),
  putMyCommands: () => ({ commands: [] }),
  createInteraction: (mine) => ({
    kind: "command",
    user: { id: "u", username: "u" },
    bot_id: mine.botId,
    command: { name: "help" },
  }),
  respondToInteraction: () => ({ type: "working" }),
  previewSubscription: (mine) => ({ event_types: ["*"], channel_id: mine.channelId }),
};
