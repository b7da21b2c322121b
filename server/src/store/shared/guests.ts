/** What stands for something of another cell has an owner whose name begins with a control character, which no user id has. */
export const isGuest = (owner: string): string => `ascii(${owner}) BETWEEN 1 AND 31`;
/**
 * The numbers of the log of a guest, which nobody reads, begin here once its owner was moved from there, or comes there: no log of a bot has so many. So
 * what the guest hears does not get into the way of what comes with the bot.
 */
export const GUEST_NUMBERS = 2 ** 50;
/**
 * SQL: whether somebody writes to a channel themselves that is another cell's, of which this is a copy. They have not heard that its holder was
 * moved there. What is carried is written without a token.
 */
export const isCopyFor = (owner: string, tokenHash: string): string =>
  `(${tokenHash} IS NOT NULL AND ${isGuest(owner)})`;
/** Whether it stands for a bot or a channel, and is no log. */
export const isStandIn = (owner: string): string => `ascii(${owner}) = 1`;
/** An outbox among them is in channels, and nobody there sees it. */
export const isOutbox = (owner: string): string => `ascii(${owner}) = 2`;
/** A log of changes among them is in no channel. */
export const isChangesLog = (owner: string): string => `ascii(${owner}) = 3`;
/** Who holds channels of this owner that stand for those of another cell: as `guestOwnerOf` of `store/cells/guests/guests.ts`. */
export const guestOwner = (owner: string): string => `chr(1) || ' ' || ${owner}`;
/** For which user a copy of a direct channel is: as `guestUserOf` there. */
export const guestUser = (owner: string, user: string): string =>
  `chr(1) || ' ' || encode(sha256(convert_to(${owner} || ' ' || coalesce(${user}, ''), 'UTF8')), 'hex')`;
/** The inverse of {@link guestOwner}; of any other owner the owner. */
export const makerOf = (owner: string): string =>
  `CASE WHEN ${isStandIn(owner)} THEN substr(${owner}, 3) ELSE ${owner} END`;
