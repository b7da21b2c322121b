import type { AttachConditions } from "../../domain/bots/listing.js";
import type { BotRole, Channel } from "../../domain/events/channel.js";
import type { ExternalIds, NewChannel } from "./verb-shapes.js";

/** A bot of a channel; without a role it gets that of any bot that is attached. */
export interface RoomBot {
  botId: string;
  role?: BotRole | undefined;
}

/** A channel that is made with its bots. */
export interface NewRoom extends NewChannel {
  /** What a bot that hears of itself is told: the payload of `bot.attached`. */
  notice: string;
  bots: readonly RoomBot[];
}

/** A channel and its bots, by creation. */
export interface Room {
  channel: Channel;
  bots: readonly Required<RoomBot>[];
}

/** What rooms are bound to. */
export interface RoomRules extends AttachConditions {
  /** The most channels that the owner may have; no bound when left out. */
  perOwner?: number | undefined;
}

/** The part of the store for many channels at once. */
export interface RoomStore {
  /**
   * The owner's channels with these external ids.
   *
   * @param botsOfEach the most bots of a channel that are read
   */
  findRooms(ids: ExternalIds, botsOfEach: number): Promise<Room[]>;
  /**
   * Makes channels of one owner and attaches their bots, all in one transaction. A channel is not made when its external id or slug is
   * taken, when one of its bots may not be attached, or when a cap may be exceeded; which of these it is, a call for this channel
   * alone says.
   *
   * @param rooms all of one time, each with another external id. What the first of them tells other cells says in `made` which were made.
   * @returns for each whether it was made
   */
  createRooms(rooms: readonly NewRoom[], rules: RoomRules): Promise<boolean[]>;
}
