import type { FailedAttempt } from "../../domain/delivery/attempt.js";
import type { KeptCounts } from "../../domain/delivery/timeline.js";
import type { DeliveryState, DeliveryStats, TrackedUpdate, Update } from "../../domain/events/update.js";
import type { HistoryStep, WebhookRef } from "./verb-shapes.js";

/** Numbers of a log that were left out because some of them may have been given out before a loss of data. */
export interface LogGap {
  from: number;
  through: number;
}

/** The part of the store that reads the logs of bots and the results of their deliveries. */
export interface LogStore {
  /** A bot's updates numbered above `offset`, ascending. Never skips one that becomes visible later. */
  readUpdates(botId: string, offset: number, limit: number, maxBytes?: number): Promise<Update[]>;
  /** The last number in a bot's log; undefined without such a bot. A higher offset was given out before a loss of data. */
  readLogHead(botId: string): Promise<number | undefined>;
  /**
   * The oldest number that is kept in a bot's log; when nothing is kept, the next number that will be assigned.
   *
   * @returns undefined without such a bot
   */
  readLogTail(botId: string): Promise<number | undefined>;
  /** The numbers that a bot's log skipped last, which no update has; undefined when it never skipped any. */
  readLogGap(botId: string): Promise<LogGap | undefined>;
  /**
   * Finds times in a bot's log: for each, the number after the last update that was recorded before it. Expired updates
   * count as recorded before.
   *
   * @param times milliseconds since the Unix epoch, ascending; each is a binary search of the log
   */
  findNumbersAt(botId: string, times: readonly number[]): Promise<number[]>;
  /**
   * The history of a bot's log at a destination, newest first: only updates numbered below `before`, when that is given. The id of the bot is
   * that of its webhook `default`.
   */
  listRecentUpdates(
    destinationId: string,
    limit: number,
    before?: number,
    maxBytes?: number,
  ): Promise<TrackedUpdate[]>;
  /** One step of reading the updates of that history that are in one state. */
  listUpdatesInState(
    destinationId: string,
    state: DeliveryState,
    limit: number,
    before?: number,
    maxBytes?: number,
  ): Promise<HistoryStep>;
  /**
   * Updates with at least one failed attempt, delivered since or not, the one that failed last first; those behind the
   * update `before` when that is given.
   *
   * @returns undefined when `before` is no such update
   */
  listDeliveryErrors(
    destinationId: string,
    limit: number,
    before?: number,
    maxBytes?: number,
  ): Promise<TrackedUpdate[] | undefined>;
  /**
   * The last failed attempts of an update at a destination, at most `MAX_KEPT_ATTEMPTS`, oldest first.
   *
   * @returns undefined when the log has no such update
   */
  listFailedAttempts(destinationId: string, updateId: number): Promise<FailedAttempt[] | undefined>;
  /** Counts of the attempts at a destination since the moment `from`, by minutes, and by hours where they are older than a day. */
  readTimeline(destinationId: string, from: number): Promise<KeptCounts[]>;
  /**
   * The counters of a webhook, beside those of its bot's log. In constant time, however long the log.
   *
   * @returns undefined without such a bot or webhook
   */
  readStats(ref: WebhookRef): Promise<DeliveryStats | undefined>;
}
