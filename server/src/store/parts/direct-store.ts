import type { AttachConditions } from "../../domain/bots/listing.js";
import type { AttachRefusal, Channel } from "../../domain/events/channel.js";
import type { StoredEvent } from "../../domain/events/event.js";
import type { OwnerActor } from "./verb-shapes.js";

/** What there is at most one direct channel of. */
export interface DirectRef {
  ownerUserId: string;
  botId: string;
  /** The owner's own id of the user; left out for the channel that is for no user. */
  userId?: string | undefined;
}

export interface NewDirectChannel extends Channel, OwnerActor {
  directBotId: string;
}

/** The most channels that an owner may have, and what attaching a bot is bound to. */
export interface ChannelRules extends AttachConditions {
  perOwner: number;
}

/** Why no direct channel is made: there is one; the owner has too many channels; the bot may not be attached to another one. */
export type DirectRefusal = "there" | "too many channels" | AttachRefusal;

/** The part of the store for direct channels: each is with one bot, and for one user or none. */
export interface DirectStore {
  findDirectChannel(direct: DirectRef): Promise<Channel | undefined>;
  /**
   * Makes a direct channel and attaches its bot, which gets the event if it subscribes to it: all of it, or nothing.
   *
   * @returns undefined when the bot is neither the owner's nor listed
   */
  createDirectChannel(
    channel: NewDirectChannel,
    event: StoredEvent,
    rules: ChannelRules,
  ): Promise<Channel | DirectRefusal | undefined>;
}
