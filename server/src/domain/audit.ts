/** Who changed something: an owner or a bot with a token of their own, or the platform, for an owner or for itself. */
export interface AuditActor {
  type: "owner" | "bot" | "platform";
  /** The owner's user id or the bot's id; `platform`. */
  id: string;
  /** Tells the actor's tokens apart, and is no secret. */
  tokenId: string;
}

/** What was changed. A kind is added here when a verb changes something new. */
export interface AuditTarget {
  type: AuditTargetType;
  /** The id of the bot, channel or post; of an attachment, a webhook or a consumer that of its bot; an owner's user id; the product's id of a user; `feed`. */
  id: string;
  /** Of an attachment and of a post. */
  channelId?: string | undefined;
  /** Of a webhook and of a consumer. */
  name?: string | undefined;
}

export const AUDIT_TARGET_TYPES = [
  "bot",
  "channel",
  "attachment",
  "webhook",
  "consumer",
  "post",
  "alerts",
  "feed_webhook",
  "owner",
  "user",
] as const;
export type AuditTargetType = (typeof AUDIT_TARGET_TYPES)[number];

/** A field before and after: without `before` it was not there, without `after` it no longer is; without both its value is not kept. */
export interface AuditChange {
  before?: unknown;
  after?: unknown;
}

export interface AuditEntry {
  id: string;
  /** Milliseconds since the epoch. */
  at: number;
  /** Left out of what is the platform's own. */
  ownerUserId?: string;
  by: AuditActor;
  /** The operation's id in the OpenAPI document. */
  operation: string;
  target: AuditTarget;
  requestId: string;
  changes: Record<string, AuditChange>;
}

/** An entry as owners, the platform and readers of logs get it. */
export function auditEntryBody({
  id,
  at,
  ownerUserId,
  by,
  operation,
  target,
  requestId,
  changes,
}: AuditEntry) {
  return {
    id,
    at: new Date(at).toISOString(),
    ...(ownerUserId !== undefined && { owner_user_id: ownerUserId }),
    by: { type: by.type, id: by.id, token_id: by.tokenId },
    operation,
    target: { type: target.type, id: target.id, channel_id: target.channelId, name: target.name },
    request_id: requestId,
    changes,
  };
}

/** Fields of which only the name is kept: secrets, addresses that may have one in them, and what may be long. */
export const HIDDEN_FIELDS: readonly string[] = [
  "description",
  "metadata",
  "commands",
  "token",
  "url",
  "secret",
  "settings",
  "review_note",
];
