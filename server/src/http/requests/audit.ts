import { hashBotToken } from "../../domain/bots/tokens.js";
import type { AuditContext } from "../../store/store.js";
import { givenToken } from "../credentials/authentication.js";
import type { OwnerIdentity } from "../credentials/owner-tokens.js";

/**
 * The operations whose changes are in the audit log. Those that are not: what the log of events says itself (posts, edits, events,
 * interactions), how far readers have come, and what changes nothing. A test demands one of both for each operation.
 */
const AUDITED: ReadonlySet<unknown> = new Set([
  "createBot",
  "editBot",
  "deleteBot",
  "disableBot",
  "enableBot",
  "rotateBotToken",
  "attachBot",
  "detachBot",
  "putSubscription",
  "deleteSubscription",
  "putMySubscription",
  "putMyCommands",
  "handInGivenUp",
  "deleteConsumer",
  "putWebhook",
  "putNamedWebhook",
  "deleteWebhook",
  "deleteNamedWebhook",
  "pauseWebhook",
  "pauseNamedWebhook",
  "resumeWebhook",
  "resumeNamedWebhook",
  "rotateWebhookSecret",
  "rotateNamedWebhookSecret",
  "replayWebhook",
  "replayNamedWebhook",
  "skipUpdate",
  "skipNamedWebhookUpdate",
  "createChannel",
  "editChannel",
  "deleteChannel",
  "putExternalChannel",
  "putDirectChannel",
  "putChannelBots",
  "deleteChannelPost",
  "deleteBotPost",
  "putAlerts",
  "deleteAlerts",
  "eraseOwner",
  "deleteFeedConsumer",
  "putFeedWebhook",
  "deleteFeedWebhook",
  "putExternalChannels",
  "putBotReview",
  "putOwner",
  "eraseUser",
]);

/** What the audit log takes from a request that was authenticated. */
export interface AuditedRequest {
  id: string;
  headers: { authorization?: string | undefined };
  routeOptions: { schema?: unknown };
  owner?: OwnerIdentity;
  isPlatform: boolean;
}

/** Who asks, for the audit log; undefined for an operation that is not in it. */
export function auditOf(request: AuditedRequest): AuditContext | undefined {
  const { owner, isPlatform } = request;
  const type = isPlatform ? "platform" : "owner";
  const ownerUserId = owner?.userId ?? "";
  const by = { type, id: isPlatform ? "platform" : ownerUserId } as const;
  return contextOf(request, ownerUserId, by, isPlatform ? undefined : owner?.tokenId);
}

/** The same for what the platform decides about an owner, whose entry it is too. */
export function auditAbout(request: AuditedRequest, ownerUserId: string): AuditContext | undefined {
  const audit = auditOf(request);
  return audit && { ...audit, ownerUserId };
}

/** The same for a bot that asks. */
export function auditOfBot(
  request: AuditedRequest & { bot: { id: string; ownerUserId: string } },
): AuditContext | undefined {
  const { id, ownerUserId } = request.bot;
  return contextOf(request, ownerUserId, { type: "bot", id });
}

function contextOf(
  request: AuditedRequest,
  ownerUserId: string,
  by: Omit<AuditContext["by"], "tokenId">,
  tokenId?: string,
): AuditContext | undefined {
  const { operationId: operation } = (request.routeOptions.schema ?? {}) as { operationId?: string };
  if (operation === undefined || !AUDITED.has(operation)) return undefined;
  return {
    ownerUserId,
    by: { ...by, tokenId: tokenId ?? markOfToken(request) },
    operation,
    requestId: request.id,
  };
}

/** Of 48 bits: enough to tell tokens apart, and useless for guessing one. */
const MARK_DIGITS = 12;

function markOfToken(request: AuditedRequest): string {
  return `sha256:${hashBotToken(givenToken(request) ?? "").slice(0, MARK_DIGITS)}`;
}
