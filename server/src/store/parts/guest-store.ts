import type { Cause } from "../../domain/events/cause.js";
import type { BotRole } from "../../domain/events/channel.js";

/** What is told to other cells of a change, in the transaction of that change: see `store/cells/guests/changes.ts`. */
export interface ChangeNotice {
  /** JSON. */
  payload: string;
  /** The log that gets it; all logs of changes of the cell when left out. */
  logId?: string | undefined;
  /** Whether the payload gets what the change changes, too, as an entry of the audit log has it in `changes`; nothing when it changes nothing. */
  isAudited?: boolean;
}

/** A log that is carried to another cell: an outbox or a log of changes. See `store/cells/guests/guests.ts`. */
export interface CarriedLog {
  botId: string;
  ownerUserId: string;
  /** Its last number, and up to which one all of it was carried. */
  head: number;
  position: number;
}

/** An entry of such a log: an event, where it happened and which bot caused it, if one did. */
export interface CarriedEntry {
  number: number;
  id: string;
  /** Null of a post. */
  eventType: string | null;
  payload: string;
  createdAt: number;
  cause: Cause | null;
  channelId: string | null;
  authorBotId: string | null;
  /** The owner of that bot, when the channel is another's, as the cell of the log has it. */
  madeBy: string | null;
  /** The bot for which it is, of an interaction, and whose it is, as the cell of the log has it. */
  subjectBotId: string | null;
  subjectOwner: string | null;
}

/** An entry of such a log. */
export interface CarriedRef {
  botId: string;
  number: number;
}

/** Of an entry that is to be carried, what decides when that is done. */
export interface UncarriedEntry {
  number: number;
  /** Whose turn it takes: the holder's of its channel, in a log of changes whoever the change says; null when there is nothing to be carried. */
  owner: string | null;
  /** Posts are carried together, others each by itself. */
  isPost: boolean;
}

/** What is known of an entry where it is carried to. */
export interface CarriedState {
  id: string;
  /** The owner of its channel there. */
  host: string;
  /** Whether a bot is in its channel there. */
  isHeard: boolean;
  /** Whether it was carried before. */
  isKnown: boolean;
  /** Whether the bot that posted it, if one did, may post there. */
  mayPost: boolean;
}

/** A bot that is in a channel. */
export interface GuestAttachment {
  channelId: string;
  botId: string;
  role: BotRole;
  attachedAt: number;
}

/** A channel, and which of some bots are in it. */
export interface GuestRoom {
  channelId: string;
  ownerUserId: string;
  bots: Omit<GuestAttachment, "channelId">[];
}

/** The kind of the entries of a log of changes, and the field of their payload that says whose turn each takes. */
export const CHANGED = "guest.changed";
export const TURN_OF = "turnOf";

/** The consumer of such a log that says how far it was carried. */
export const RELAY = "relay";

/** The part of the store for what stands in a cell for bots and channels of another one. Without cells there is nothing. */
export interface GuestStore {
  /** Outboxes and logs of changes: at most one of each for each other cell. */
  listOutboxes(): Promise<CarriedLog[]>;
  /** Those of a channel. */
  listOutboxesIn(channelId: string): Promise<string[]>;
  /** What is above a number in one of these, ascending. */
  listUncarried(botId: string, after: number, limit: number): Promise<UncarriedEntry[]>;
  /** Of what takes the turns of an owner in these, the highest number that is not carried; nothing of a log where all is. */
  findLastUncarried(botIds: readonly string[], owner: string): Promise<CarriedRef[]>;
  /** Which of these are not carried. */
  areUncarried(entries: readonly CarriedRef[]): Promise<boolean[]>;
  /** Those entries of a log that are there, ascending. */
  readCarried(botId: string, numbers: readonly number[]): Promise<CarriedEntry[]>;
  /** The owners of the channels that a bot is in, of those that stand for channels of other cells. */
  listHostsOf(botId: string): Promise<string[]>;
  /** Which of these bots are in these channels; nothing of a channel that is not there. */
  findGuestsIn(channelIds: readonly string[], botIds: readonly string[]): Promise<GuestRoom[]>;
  /** Takes entries that were carried out of their log; changes are deleted with them, since they name owners, of whom nothing may stay. */
  removeCarried(botId: string, numbers: readonly number[]): Promise<void>;
  /** What is known here of entries of another cell; nothing of those in channels that are not. */
  findCarried(
    entries: readonly { channelId: string; id: string; authorBotId: string | null }[],
  ): Promise<CarriedState[]>;
}
