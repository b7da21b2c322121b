import { createHash } from "node:crypto";
import { POST_CREATED } from "../../../domain/events/event.js";
import type { Subscription } from "../../../domain/events/subscription.js";

/**
 * A bot in a channel of another cell is a guest there. The channel's cell has a row for the bot, and the bot's cell one for the channel, with the
 * same ids and with owners that are no user ids: so all statements find the bot and the channel side by side, as if both were at home.
 *
 * What is said between two cells is in logs, whose owners and ids say for which cell they are: an outbox has what happens in channels, a log of
 * changes what may be another now of bots.
 */

/** What an outbox hears in its channels. */
export const OUTBOX_HEARS: Subscription = { eventTypes: ["*"], posts: "all", ownPosts: true };
/** What happens is carried to the bot itself. That its guest hears posts at all counts where bots answer each other. */
export const GUEST_HEARS: Subscription = { eventTypes: [POST_CREATED], posts: "mentions", ownPosts: false };

/** Whose the bots and channels are that stand in other cells for those of an owner. The owner may be moved. */
export const guestOwnerOf = (ownerUserId: string): string => `\u0001 ${ownerUserId}`;

/** The inverse. */
export const ownerOfGuests = (guestOwner: string): string => guestOwner.slice(2);

/**
 * For which user a direct channel is, where the bot lives: each holder has one channel for a user, whose id only the holder may know.
 *
 * @param userId undefined of the holder's own channel with the bot
 */
export const guestUserOf = (holder: string, userId = ""): string =>
  guestOwnerOf(createHash("sha256").update(`${holder} ${userId}`).digest("hex"));

/** A log that is carried to a cell, as a bot that nobody has made. */
export interface LogBot {
  id: string;
  ownerUserId: string;
}

/** What the ids of those logs begin with, and no id that is made does. */
const LOG_ID = "00000000-0000-7000-";

const OUTBOX = "\u0002";
const CHANGES = "\u0003";

const idFor = (kind: number, cell: number): string =>
  `${LOG_ID}${(0x8000 + kind).toString(16)}-${cell.toString(16).padStart(12, "0")}`;

/** Hears all that happens in channels that have guests from the cell with this number. */
export const outboxFor = (cell: number): LogBot => ({ id: idFor(0, cell), ownerUserId: `${OUTBOX}${cell}` });

/** Is told what may have changed of bots that are guests in the cell with this number. */
export const changesFor = (cell: number): LogBot => ({
  id: idFor(1, cell),
  ownerUserId: `${CHANGES}${cell}`,
});

export const isLogId = (botId: string): boolean => botId.startsWith(LOG_ID);

/** Whether something stands for what is in another cell, by its owner. */
export const isGuest = (owner: string): boolean => owner !== "" && owner < " ";

/** The number of the cell for which a log is, by its owner; undefined for another owner. */
export function cellOfLog(owner: string): number | undefined {
  return isOutbox(owner) || isChanges(owner) ? Number(owner.slice(1)) : undefined;
}

export const isOutbox = (owner: string): boolean => owner.startsWith(OUTBOX);

export const isChanges = (owner: string): boolean => owner.startsWith(CHANGES);
