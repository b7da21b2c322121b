import type { Channel } from "../../../domain/events/channel.js";
import type { StoredEvent } from "../../../domain/events/event.js";
import {
  type AuditContext,
  type BotRef,
  type CarriedAudit,
  type ChangeNotice,
  type ChannelRules,
  type RoomBotChange,
  TURN_OF,
} from "../../store.js";
import type { Cell } from "../cell.js";
import { changesFor } from "./guests.js";

/**
 * What may be another now where a bot lives. It does not say how it is: whoever follows it looks at both cells and makes the other one like the
 * bot's. So to follow it late, or twice, is the same, and what the bot's cell decides, in its order, is what holds.
 */
export interface Change {
  /** Whose bots; those of nobody when left out. */
  ownerUserId?: string;
  /** All bots of the owner when left out. */
  botId?: string;
  /** Whether it is in a channel of the other cell. */
  attachment?: AttachmentChange;
  /** Whether bots are in many channels. */
  rooms?: RoomsChange;
  /** Which of these channels were made, with their bots. */
  made?: readonly string[];
  /** Or what was changed of bots in channels that there were. */
  done?: readonly RoomBotChange[];
  /** The entry of the audit log of somebody in the other cell, and what it has to say: nothing when nothing was changed. */
  entry?: Pick<CarriedAudit, "audit" | "target"> | undefined;
  changes?: CarriedAudit["changes"];
}

export interface AttachmentChange {
  channelId: string;
  /** Whose the channel is. */
  holder: string;
  /** Who has attached it or taken it out there, for the feed. */
  by: "holder" | "platform" | "bot";
  event: StoredEvent;
  /** The channel, when it is made with the bot in it: who does that is in the audit log as soon as it is made. */
  direct?: {
    channel: Channel & { directBotId: string };
    rules: ChannelRules;
    audit?: AuditContext | undefined;
  };
}

/** Bots of this cell that came into many channels of the other one at one time, or left them. */
export interface RoomsChange {
  holder: string;
  by: "holder" | "platform";
  createdAt: number;
  audit?: AuditContext | undefined;
  /** The bots, and whose they are. */
  makers: readonly Pick<BotRef, "ownerUserId" | "botId">[];
  /** With which bots channels were to be made. */
  attachments: readonly RoomBotChange[];
}

/** What was done, as far as it is known when it is told. */
export function doneIn({ rooms, made = [], done }: Change): readonly RoomBotChange[] {
  if (done) return done;
  const areMade = new Set(made);
  return rooms?.attachments.filter(({ channelId }) => areMade.has(channelId)) ?? [];
}

/** Whose turn it takes among what is told to that cell: whoever has changed something. */
const turnOf = ({ attachment, rooms, ownerUserId, entry }: Change): string =>
  attachment?.holder ?? rooms?.holder ?? ownerUserId ?? entry?.audit.ownerUserId ?? "";

/** @param cell the only one that has to know; all others when left out */
export const changeNotice = (change: Change, cell?: Cell): ChangeNotice => ({
  payload: JSON.stringify({ ...change, [TURN_OF]: turnOf(change) }),
  ...(change.entry && { isAudited: true }),
  ...(cell && { logId: changesFor(cell.number).id }),
});

/** The entries that a change has of whoever makes it, and of whom it is told to, whose audit logs are in two cells. */
export function auditApart(audit: AuditContext | undefined): {
  own?: AuditContext | undefined;
  told?: AuditContext | undefined;
} {
  if (!audit) return {};
  const { also, ...own } = audit;
  return { own, told: also && { ...own, ...also } };
}
