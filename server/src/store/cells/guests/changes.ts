import type { Channel } from "../../../domain/events/channel.js";
import type { StoredEvent } from "../../../domain/events/event.js";
import type { AuditContext, ChangeNotice, ChannelRules } from "../../store.js";
import type { Cell } from "../cell.js";
import { changesFor } from "./guests.js";

/**
 * What may be another now where a bot lives. It does not say how it is: whoever follows it looks at both cells and makes the other one like the
 * bot's. So to follow it late, or twice, is the same, and what the bot's cell decides, in its order, is what holds.
 */
export interface Change {
  /** Whose bots. */
  ownerUserId: string;
  /** All bots of the owner when left out. */
  botId?: string;
  /** Whether it is in a channel of the other cell. */
  attachment?: AttachmentChange;
}

export interface AttachmentChange {
  channelId: string;
  /** Whose the channel is. */
  holder: string;
  /** Who has attached it or taken it out there, for the feed and the audit log. */
  by: "holder" | "platform" | "bot";
  audit?: AuditContext | undefined;
  event: StoredEvent;
  /** The channel, when it is made with the bot in it. */
  direct?: { channel: Channel & { directBotId: string }; rules: ChannelRules };
}

/** @param cell the only one that has to know; all others when left out */
export const changeNotice = (change: Change, cell?: Cell): ChangeNotice => ({
  payload: JSON.stringify(change),
  ...(cell && { logId: changesFor(cell.number).id }),
});
