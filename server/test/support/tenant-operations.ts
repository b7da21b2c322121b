import type { operations } from "./contract.js";

type Operation = (typeof operations)[number];

/** Operations that are 400 for a bot without a webhook. */
const NEEDS_WEBHOOK = new Set(["pauseWebhook", "resumeWebhook", "rotateWebhookSecret", "testWebhook"]);

/** The statuses of an operation that is allowed. Whether a bot has an update or a consumer yet is not modelled. */
export function allowedFor({ path, operationId }: Operation, mayBeForeign: boolean): number[] {
  if (NEEDS_WEBHOOK.has(operationId)) return [200, 400];
  if (operationId === "sendNamedWebhookUpdateAgain") return [400, 404];
  if (operationId === "putNamedWebhook") return [200];
  // A walk may not have set it, or not have the update; or it has been skipped before.
  if (path.includes("/webhooks/{name}")) return [200, ...(operationId.startsWith("skip") ? [400] : []), 404];
  // Nothing is delivered in a walk, and of a bot without a webhook nothing can be.
  if (operationId === "sendUpdateAgain") return [400, 404];
  // A walk may have skipped the update before.
  if (operationId === "skipUpdate") return [200, 400, 404];
  if (operationId === "getExternalChannel" || path.includes("{updateId}") || operationId === "deleteConsumer")
    return [200, 404];
  // A walk may edit one post more often than five times in a second.
  if (operationId === "editChannelPost" || operationId === "editBotPost") return [200, 429];
  // At most so many within a minute.
  if (operationId === "exportOwner") return [200, 429];
  // A walk has no components, and so no interactions: those of others are in interactions.test.ts and interaction-responses.test.ts.
  if (/nteraction/.test(operationId)) return mayBeForeign ? [400] : [404];
  // The walk does not confirm.
  if (operationId === "eraseOwner") return [400];
  return mayBeForeign ? [200, 400] : [200, 201];
}

/** A valid body of an operation, with a text of its own; undefined for those without a body. */
export function bodyFor(operationId: string, text: string, channelId: string): object | undefined {
  switch (operationId) {
    case "createBot":
      return { username: text };
    case "createChannel":
      return { slug: text, title: text };
    case "editBot":
      return { display_name: text };
    case "editChannel":
      return { title: text };
    case "putExternalChannel":
      return { title: text };
    case "putDirectChannel":
      return { user: { id: text, username: text } };
    case "putExternalChannels":
      return { channels: [{ external_id: text, title: text }] };
    case "createPosts":
      return { posts: [{ channel_id: channelId, body: text }] };
    case "emitEvents":
      return { events: [{ channel_id: channelId, event_type: "ticket.opened", payload: { text } }] };
    case "attachBot":
      return { role: /[02468]$/.test(text) ? "reader" : "moderator" };
    case "putChannelBots":
      return { bot_ids: [] };
    case "putAlerts":
    case "putNamedWebhook":
    case "putWebhook":
      return { url: `http://127.0.0.1:1/${text}`, secret_token: text };
    case "moveConsumer":
      return { position: 0, rewind: true };
    case "giveUpUpdate":
      return { error: text };
    case "handInGivenUp":
      return { all: true };
    case "moveFeedConsumer":
      return { cursor: "AXrcL3SG8B7FCw" };
    case "eraseOwner":
      return { confirm: text };
    case "createBotPost":
    case "createChannelPost":
    case "editBotPost":
    case "editChannelPost":
      return { body: text };
    case "emitMyEvent":
    case "emitChannelEvent":
    case "emitBotEvent":
      return { event_type: "ticket.opened", payload: { text } };
    case "putSubscription":
    case "putMySubscription":
      return { event_types: ["*"] };
    case "putMyCommands":
      return { commands: [{ name: "say", description: text }] };
    case "createInteraction":
      return {
        kind: "component",
        user: { id: text, username: text },
        component: { id: text },
        post: { id: channelId },
      };
    case "respondToInteraction":
      return { type: "private", body: text };
    case "previewSubscription":
      return { event_types: ["*"], channel_id: channelId };
    default:
      return undefined;
  }
}
