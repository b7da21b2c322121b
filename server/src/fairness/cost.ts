/**
 * What work costs, in microseconds of the store's writer or of the event loop, whichever is the scarcer for it. The
 * figures are rough: they only have to put a post to a thousand bots and a read of one row in proportion.
 */

/** A request that reads or writes a few rows. */
export const SMALL_REQUEST_US = 60;
/** A change with a transaction of its own, which has one of the database's few connections until it is on the disk. */
export const CHANGE_US = 500;
/** A request that reads a page, or writes to many rows. */
export const LIST_US = 1_500;
/** A request that reads many pages, or searches texts. */
export const SEARCH_US = 5_000;

/** To send an update, and to record what became of it. */
export const ATTEMPT_US = 150;

/** Erasing the next few hundred rows of what was deleted. */
export const ERASE_STEP_US = 3_000;

/** One number of a list that is parsed, sorted and stored. */
export const NUMBER_US = 2;
/** To check one item of a batch, and to find where it goes. */
export const BATCH_ITEM_US = 3;
const POST_US = 25;
/** A log's entry, with the log's new head: mostly the pages of the database that it changes. */
const LISTENER_US = 12;
/** Encoding and sending an answer: 2.5 ms for a page of 256 KiB. */
const BYTE_US = 0.01;

/** A post, an event, or a change that is told to so many logs. */
export function costOfEvent(listeners: number): number {
  return POST_US + listeners * LISTENER_US;
}

export function costOfBytes(bytes: number): number {
  return bytes * BYTE_US;
}
