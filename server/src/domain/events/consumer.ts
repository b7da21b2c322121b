import { MAX_DONE_UPDATES } from "../limits.js";
import type { FeedCursor } from "./feed.js";

/** A header: from where on the log is kept, when what follows a reader's position has expired. */
export const LOG_TAIL_HEADER = "Botyard-Log-Tail";

/** How far a reader has handled a log: everything up to `position`, and the numbers of `done` beyond it. */
export interface ConsumerPosition {
  position: number;
  /** Ascending, all above `position`, never with `position + 1`. At most {@link MAX_DONE_UPDATES}. */
  done: number[];
}

/** A named position in a bot's log that the service keeps. Times are milliseconds since the Unix epoch. */
export interface Consumer extends ConsumerPosition {
  /** Spelled as at its creation; compared without case, like a username. */
  name: string;
  /** Numbers up to the end of the log that are not handled. */
  lag: number;
  createdAt: number;
  /** Within some seconds of the last poll; absent before the first. */
  lastPolledAt?: number;
}

/** A consumer of the feed: in each partition it has a position of its own. */
export interface FeedConsumer extends FeedCursor, Omit<Consumer, keyof ConsumerPosition> {}

/** Where a consumer is moved to. */
export interface ConsumerMove {
  position: number;
  /**
   * Numbers above `position` that are handled too; lower ones are ignored. They are added to those already stored,
   * unless the move rewinds.
   */
  done: readonly number[];
  /** Whether the move replaces the stored position and its `done`, even by a lower position. */
  rewind: boolean;
}

/** The same in the feed. */
export interface FeedMove extends FeedCursor {
  rewind: boolean;
  /** Where the consumer has to be; one that is elsewhere stays there. Anywhere, or nowhere yet, when left out. */
  from?: readonly number[];
}

/** Why a consumer was not moved. */
export type MoveRefusal =
  | { refused: "another feed" }
  | { refused: "backwards"; position: number }
  | { refused: "beyond the log"; head: number }
  | { refused: "too many done" }
  | { refused: "too many consumers" };

export function isRefusal(moved: object): moved is MoveRefusal {
  return "refused" in moved;
}

/** Whether all consumers of a bot have handled an update that no webhook delivers; `unknown` while the bot has none. */
export const READINGS = ["handled", "not_handled", "unknown"] as const;
export type Reading = (typeof READINGS)[number];

/**
 * An update that its bot's program failed to handle, and tries no more. The consumer has moved past it. Times are milliseconds since
 * the Unix epoch.
 */
export interface GivenUp {
  updateId: number;
  /** The consumer that the program reads for, in lower case. */
  consumer: string;
  /** The program's own words. */
  error: string;
  givenUpAt: number;
  /** When the owner asked for it to be handled again; absent before, and once the program has given it up again. */
  handedInAt?: number;
}

/** A poll of a consumer. */
export interface ConsumerPoll {
  /** The bot; `FEED` for a consumer of the feed. */
  botId: string;
  name: string;
  at: number;
}

/**
 * The position after a move: forward only, unless the move rewinds, and never beyond the end of the log. Numbers in
 * `done` that follow the position without a gap advance it.
 *
 * @param current undefined for a consumer that does not exist yet
 * @param head the last number of the log
 */
export function applyMove(
  current: ConsumerPosition | undefined,
  { position, done, rewind }: ConsumerMove,
  head: number,
): ConsumerPosition | MoveRefusal {
  if (Math.max(position, ...done) > head) return { refused: "beyond the log", head };
  const kept = rewind ? undefined : current;
  if (kept && position < kept.position && done.length === 0) {
    return { refused: "backwards", position: kept.position };
  }
  const all = [...new Set([...(kept?.done ?? []), ...done])].toSorted((a, b) => a - b);
  // A worker that reports what it has done need not know how far the others have come.
  let reached = Math.max(position, kept?.position ?? 0);
  const beyond = all.filter((number) => {
    if (number === reached + 1) reached = number;
    return number > reached;
  });
  return beyond.length > MAX_DONE_UPDATES
    ? { refused: "too many done" }
    : { position: reached, done: beyond };
}

/** What a lag is counted by: the last number of a log, and the numbers that it skipped last; null when it never did. */
export interface LogExtent {
  head: number;
  gapFrom: number | null;
  gapThrough: number | null;
}

/** How many updates of a log a consumer has not handled. */
export function lagOf(
  { position, done }: ConsumerPosition,
  { head, gapFrom, gapThrough }: LogExtent,
): number {
  const skipped = Math.max(0, (gapThrough ?? 0) - Math.max((gapFrom ?? 1) - 1, position));
  return Math.max(0, head - position - done.length - skipped);
}

/** By the consumer that is furthest behind, as {@link lagOf} counts. */
export function readingOf(updateId: number, consumers: readonly ConsumerPosition[]): Reading {
  if (consumers.length === 0) return "unknown";
  const isHandled = consumers.every(({ position, done }) => updateId <= position || done.includes(updateId));
  return isHandled ? "handled" : "not_handled";
}
