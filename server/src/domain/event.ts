/** The kinds of events that the service itself emits; all others are custom events. */
export const POST_CREATED = "channel.post_created";
export const POST_EDITED = "channel.post_edited";
export const POST_DELETED = "channel.post_deleted";
export const CHANNEL_UPDATED = "channel.updated";
export const BOT_ATTACHED = "bot.attached";
export const BOT_DETACHED = "bot.detached";

export const KINDS = [
  POST_CREATED,
  POST_EDITED,
  POST_DELETED,
  CHANNEL_UPDATED,
  BOT_ATTACHED,
  BOT_DETACHED,
] as const;

/** Prefixes of the service's own kinds, which custom events may not have. */
export const RESERVED_PREFIXES = ["channel.", "bot.", "webhook.", "alert."] as const;

/** Two to four lower-case names with dots between them: `ticket.opened`. */
export const EVENT_TYPE_PATTERN = "^[a-z][a-z0-9_]*(?:\\.[a-z][a-z0-9_]*){1,3}$";

export function isCustom(eventType: string): boolean {
  return !RESERVED_PREFIXES.some((prefix) => eventType.startsWith(prefix));
}

/** An event as it is stored; rows of logs point at it. `payload` is JSON text. */
export interface StoredEvent {
  id: string;
  eventType: string;
  payload: string;
  createdAt: number;
}
