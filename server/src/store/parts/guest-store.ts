import type { Cause } from "../../domain/events/cause.js";

/** What is told to other cells of a change, in the transaction of that change: see `store/cells/changes.ts`. */
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
  /** Its last number, and up to which one it was carried. */
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
  /** The bot for which it is, of an interaction. */
  subjectBotId: string | null;
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

/** The kind of the entries of a log of changes. */
export const CHANGED = "guest.changed";

/** The consumer of such a log that says how far it was carried. */
export const RELAY = "relay";

/** The part of the store for what stands in a cell for bots and channels of another one. Without cells there is nothing. */
export interface GuestStore {
  /** Outboxes and logs of changes: at most one of each for each other cell. */
  listOutboxes(): Promise<CarriedLog[]>;
  /** Those of a channel. */
  listOutboxesIn(channelId: string): Promise<string[]>;
  /** What is above a number in the log of one of these, ascending. */
  readCarried(botId: string, after: number, limit: number): Promise<CarriedEntry[]>;
  /** The owners of the channels that a bot is in, of those that stand for channels of other cells. */
  listHostsOf(botId: string): Promise<string[]>;
  /** Removes what is up to a number in a log of changes. */
  removeCarried(botId: string, through: number): Promise<void>;
  /** What is known here of entries of another cell; nothing of those in channels that are not. */
  findCarried(
    entries: readonly { channelId: string; id: string; authorBotId: string | null }[],
  ): Promise<CarriedState[]>;
}
