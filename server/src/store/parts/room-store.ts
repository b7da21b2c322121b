import type { AttachConditions } from "../../domain/bots/listing.js";
import type { BotRole, Channel } from "../../domain/events/channel.js";
import type { ChannelRef, ChannelRevision, ExternalIds, NewChannel } from "./verb-shapes.js";

/** A bot of a channel; without a role it gets that of any bot that is attached. */
export interface RoomBot {
  botId: string;
  role?: BotRole | undefined;
}

/** A channel that is made with its bots. */
export interface NewRoom extends NewChannel {
  /** What a bot that hears of itself is told: the payload of `bot.attached`. */
  notice: string;
  /** Since when its bots are in it, as of the first of many channels for all of them; since it was created when left out. */
  attachedAt?: number | undefined;
  bots: readonly RoomBot[];
}

/** A channel and its bots, by creation. */
export interface Room {
  channel: Channel;
  bots: readonly Required<RoomBot>[];
}

/**
 * What changes of the bots of a channel. What other cells are told of it has in `done` which of these changes were made, each as `RoomBotChange`.
 */
export interface RoomBotsChange extends ChannelRef {
  /** Bots that are not in it and shall be. */
  attached: readonly RoomBot[];
  /** Bots that are in it, in another role. */
  roleChanged: readonly Required<RoomBot>[];
  /** Bots that are in it and shall not be. */
  detached: readonly string[];
  createdAt: number;
  /** What each of them is told that hears of itself: the payloads of `bot.attached` and `bot.detached`. */
  notices: { attached: string; detached: string };
}

/** A change that was made of a bot in a channel. */
export interface RoomBotChange {
  /** Of its entry in the audit log. */
  id: string;
  channelId: string;
  botId: string;
  /** Left out when it was not in the channel. */
  before?: BotRole;
  /** Left out when it is not any more. */
  after?: BotRole;
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
   * @param rooms each with another external id. What the first of them tells other cells says in `made` which were made.
   * @returns for each whether it was made
   */
  createRooms(rooms: readonly NewRoom[], rules: RoomRules): Promise<boolean[]>;
  /**
   * Changes fields of channels of one owner, each as `editChannel` does, in one transaction. A channel whose fields are others than they were read
   * stays as it is.
   *
   * @param edits each of another channel. Who asks for the first one, asks for all.
   */
  editRooms(edits: readonly (ChannelRef & ChannelRevision)[]): Promise<void>;
  /**
   * Attaches bots to channels of one owner, detaches them and changes their roles, all in one transaction. A channel stays as it is when one of
   * its bots may not be attached, or is gone; why, a call for it alone says.
   *
   * @param changes each of another channel. Who asks for the first one, asks for all; its time is that of all, and so is whom it tells.
   */
  changeRoomBots(changes: readonly RoomBotsChange[], rules: AttachConditions): Promise<void>;
}
