import { InvalidInput } from "../../domain/errors.js";
import type { Cause } from "../../domain/events/cause.js";
import {
  type EventTarget,
  isCustom,
  RESERVED_PREFIXES,
  type StoredEvent,
} from "../../domain/events/event.js";
import type { Author } from "../../domain/events/post.js";
import { newId } from "../../domain/ids.js";
import { MAX_EVENT_PAYLOAD_BYTES } from "../../domain/limits.js";
import type { EventToAppend, Store } from "../../store/store.js";
import { encodeJson } from "../encode-json.js";
import { notFound } from "../found.js";
import { authorOf, notAttached, type PostUser, readOnly } from "./publish-post.js";

/** A custom event and its target. */
export type EventDraft = Pick<EventToAppend, "ownerUserId" | "isPlatform" | "to" | "idempotencyKey"> & {
  eventType: string;
  payload: Record<string, unknown>;
  /** For whom the owner emits it. */
  user?: PostUser | undefined;
  cause?: Cause | undefined;
};

/** A custom event of a bot, for the others of a channel. */
export type BotEventDraft = Pick<EventDraft, "eventType" | "payload" | "idempotencyKey" | "cause"> & {
  channelId: string;
};

export interface Emitted {
  event: StoredEvent;
  to: EventTarget;
  /** Whether it was emitted by an earlier call with the same key. */
  isReplayed: boolean;
}

/**
 * Emits a custom event: it is durable, and in the log of every bot that hears it, when this resolves.
 *
 * @throws InvalidInput when the type is reserved; when the payload is too large, nested too deeply or has
 *   text that receivers may refuse; when it has an `author` although `user` is given
 * @throws NotFound when the channel or the bot is not the owner's
 */
export async function emitEvent(store: Store, draft: EventDraft): Promise<Emitted> {
  const { ownerUserId, isPlatform, to, eventType, idempotencyKey, cause } = draft;
  refuseReserved(eventType);
  const payload = encodeJson(authored(draft), "payload", MAX_EVENT_PAYLOAD_BYTES);
  const event = { id: newId(), eventType, payload, createdAt: Date.now() };
  const stored = await store.appendEvent({
    ownerUserId,
    isPlatform,
    to,
    event: { ...event, cause },
    idempotencyKey,
  });
  if (stored === false) throw notFound("botId" in to ? "bot" : "channel");
  return stored === true ? { event, to, isReplayed: false } : { event: stored, to, isReplayed: true };
}

/** The bot that emits; its token must still be its own. */
export interface EmittingBot {
  botId: string;
  username: string;
  tokenHash: string;
}

/**
 * The same in the name of a bot, for the others of a channel; with the bot as its author.
 *
 * @throws InvalidInput as {@link emitEvent}, and when the payload has an `author`
 * @throws Forbidden when the bot is not attached to the channel, or only as reader
 */
export async function emitByBot(
  store: Store,
  { botId, username, tokenHash }: EmittingBot,
  { channelId, eventType, payload: given, idempotencyKey, cause }: BotEventDraft,
): Promise<Emitted> {
  refuseReserved(eventType);
  const author = authorOf({ botId, username });
  const payload = encodeJson(withAuthor(given, author), "payload", MAX_EVENT_PAYLOAD_BYTES);
  const event = { id: newId(), eventType, payload, createdAt: Date.now() };
  const emitted = { ...event, cause };
  const stored = await store.appendBotEvent({ botId, tokenHash, channelId, event: emitted, idempotencyKey });
  if (stored === false) throw notAttached();
  if (stored === "read only") throw readOnly();
  const to = { channelId };
  return stored === true ? { event, to, isReplayed: false } : { event: stored, to, isReplayed: true };
}

function refuseReserved(eventType: string): void {
  if (!isCustom(eventType)) {
    throw new InvalidInput(
      `event_type must not begin with ${RESERVED_PREFIXES.join(", ")}: those are the service's own`,
      "reserved_event_type",
    );
  }
}

/** The payload with its author, in the same field as in a post's payload. */
function authored({ payload, user, ownerUserId }: EventDraft): Record<string, unknown> {
  return user ? withAuthor(payload, authorOf({ ownerUserId, username: ownerUserId, user })) : payload;
}

function withAuthor(payload: Record<string, unknown>, author: Author): Record<string, unknown> {
  if (Object.hasOwn(payload, "author")) {
    throw new InvalidInput(
      "payload has an author already: leave one of the two authors out",
      "conflicting_parameters",
    );
  }
  return { ...payload, author };
}
