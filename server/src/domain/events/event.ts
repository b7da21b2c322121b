import type { Cause } from "./cause.js";

/** The kinds of events that the service itself emits; all others are custom events. */
export const POST_CREATED = "channel.post_created";
export const POST_EDITED = "channel.post_edited";
export const POST_DELETED = "channel.post_deleted";
export const CHANNEL_UPDATED = "channel.updated";
export const BOT_ATTACHED = "bot.attached";
export const BOT_DETACHED = "bot.detached";
export const INTERACTION_CREATED = "interaction.created";
/** Only for the feed. */
export const INTERACTION_RESPONDED = "interaction.responded";
export const WEBHOOK_FAILING = "webhook.failing";
export const WEBHOOK_RECOVERED = "webhook.recovered";
export const WEBHOOK_PAUSED = "webhook.paused";
export const AUDIT_ENTRY = "alert.audit_entry";

export const KINDS = [
  POST_CREATED,
  POST_EDITED,
  POST_DELETED,
  CHANNEL_UPDATED,
  BOT_ATTACHED,
  BOT_DETACHED,
  INTERACTION_CREATED,
  WEBHOOK_FAILING,
  WEBHOOK_RECOVERED,
  WEBHOOK_PAUSED,
  AUDIT_ENTRY,
] as const;

/** Prefixes of the service's own kinds, which custom events may not have. */
export const RESERVED_PREFIXES = ["channel.", "bot.", "interaction.", "webhook.", "alert."] as const;

/** Two to four lower-case names with dots between them: `ticket.opened`. */
export const EVENT_TYPE_PATTERN = "^[a-z][a-z0-9_]*(?:\\.[a-z][a-z0-9_]*){1,3}$";

export function isCustom(eventType: string): boolean {
  return !RESERVED_PREFIXES.some((prefix) => eventType.startsWith(prefix));
}

/** Who acts, beside in whose name: an owner or a bot with a token of their own, or the platform for an owner. */
export type ActorType = "owner" | "bot" | "platform";

/** @param actor without an owner a bot, with its own token */
export function actorType(
  actor: { botId: string } | { ownerUserId: string; isPlatform?: boolean | undefined },
): ActorType {
  if (!("ownerUserId" in actor)) return "bot";
  return actor.isPlatform ? "platform" : "owner";
}

/** How an actor is stored. */
export const ACTOR_NUMBERS: Readonly<Record<ActorType, number>> = { owner: 1, bot: 2, platform: 3 };

export function actorNumber(actor: Parameters<typeof actorType>[0]): number {
  return ACTOR_NUMBERS[actorType(actor)];
}

/** @param number null for what the service tells of itself, and for what was stored before actors were */
export function actorOf(number: number | null): ActorType | undefined {
  const types = Object.keys(ACTOR_NUMBERS) as ActorType[];
  return types.find((type) => ACTOR_NUMBERS[type] === number);
}

/** Where a custom event goes: to every bot of a channel that hears it, or to one bot. */
export type EventTarget = { channelId: string } | { botId: string };

/** An event as it is stored; rows of logs point at it. `payload` is JSON text. */
export interface StoredEvent {
  id: string;
  eventType: string;
  payload: string;
  createdAt: number;
}

/** An event to be stored. */
export interface NewEvent extends StoredEvent {
  cause?: Cause | undefined;
}
