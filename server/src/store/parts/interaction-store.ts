import type { NewEvent, StoredEvent } from "../../domain/events/event.js";
import type { ChannelRef, OwnerActor, PostRevision, PostToAppend } from "./verb-shapes.js";

/** An interaction as an event, for the log of one bot. */
export interface InteractionToAppend extends OwnerActor {
  channelId: string;
  botId: string;
  event: NewEvent;
  idempotencyKey?: string | undefined;
  /** The log by which a bot of another cell gets it, in the order of the channel. */
  outboxId?: string | undefined;
}

/** Why an interaction is not stored: the caller has no such channel, the bot is not in it, only reads it, or is disabled. */
export type InteractionRefusal = "no channel" | "not attached" | "read only" | "disabled";

/** Who reads an interaction: the holder of its channel, or the bot that it is for. */
export type InteractionReader = ChannelRef | { botId: string };

/** An interaction with its responses, oldest first, as events. */
export interface StoredInteraction {
  interaction: StoredEvent;
  /** Of its bot. */
  username: string;
  responses: StoredEvent[];
}

/** A response as an event, and the post or the edit that it is, if it is one. */
export interface ResponseToAppend {
  interactionId: string;
  channelId: string;
  botId: string;
  /** The token must still be the bot's. */
  tokenHash?: string | undefined;
  event: NewEvent;
  idempotencyKey: string | undefined;
  post?: PostToAppend | undefined;
  edit?: PostRevision | undefined;
}

/**
 * Why a response is not stored: its time is over; there are as many as may be; the bot is not attached to the channel, or only as
 * reader; the post to edit is gone, or has another revision by now.
 */
export type ResponseRefusal = "expired" | "too many" | "not attached" | "read only" | "no post" | "outdated";

/** The part of the store for interactions: events for one bot, and what it responds. */
export interface InteractionStore {
  /** Stores an interaction and appends it to the bot's log, whatever that subscribes to. */
  appendInteraction(interaction: InteractionToAppend): Promise<true | StoredEvent | InteractionRefusal>;
  findInteraction(reader: InteractionReader, id: string): Promise<StoredInteraction | undefined>;
  /** A response in a channel. */
  findResponse(channel: ChannelRef, id: string): Promise<StoredEvent | undefined>;
  /**
   * Stores a response, appends it to the feed, and stores the post or the edit that it is: all of it, or nothing.
   *
   * @returns what was stored earlier under the same idempotency key; undefined without such an interaction for this bot, also when it was
   *   erased, and when the bot is disabled or has another token
   */
  appendResponse(response: ResponseToAppend): Promise<true | StoredEvent | ResponseRefusal | undefined>;
}
