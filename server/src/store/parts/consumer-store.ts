import type {
  Consumer,
  ConsumerMove,
  ConsumerPoll,
  ConsumerPosition,
  FeedConsumer,
  FeedMove,
  GivenUp,
  MoveRefusal,
} from "../../domain/events/consumer.js";
import type { FeedCursor } from "../../domain/events/feed.js";
import type { Update } from "../../domain/events/update.js";
import type { Audited } from "./audit-store.js";
import type { FEED } from "./feed-store.js";

/** A consumer's position and the updates above it, those in `done` included. */
export interface ConsumedRead extends ConsumerPosition {
  updates: Update[];
}

/** A position in a log: in the feed one in each of its partitions. */
export type PositionIn<Log> = Log extends typeof FEED ? FeedCursor : ConsumerPosition;
export type ConsumerIn<Log> = Log extends typeof FEED ? FeedConsumer : Consumer;
export type MoveIn<Log> = Log extends typeof FEED ? FeedMove : ConsumerMove;

/**
 * The part of the store that is about consumers: named positions in a log. `log` is the bot whose log it is, or {@link
 * FEED}; there is no such log without the bot, and while the feed is off. A name is compared without case.
 */
export interface ConsumerStore {
  /** @returns undefined without such a consumer */
  findConsumer<Log extends string>(log: Log, name: string): Promise<PositionIn<Log> | undefined>;
  /**
   * The position of a bot's consumer and, read with it, the updates above that, ascending. The feed's: `readFeed`.
   *
   * @returns undefined without such a consumer
   */
  readConsumed(
    botId: string,
    name: string,
    limit: number,
    maxBytes?: number,
  ): Promise<ConsumedRead | undefined>;
  /**
   * Finds a consumer or creates it. A new one begins at the oldest that is kept; that of a bot after everything that
   * another consumer of the bot has handled and that its webhook has been sent and need not send again.
   *
   * @returns undefined without such a log; "too many" when it has `MAX_CONSUMERS_PER_LOG`
   */
  openConsumer<Log extends string>(
    log: Log,
    name: string,
    now: number,
  ): Promise<PositionIn<Log> | "too many" | undefined>;
  /**
   * Moves a consumer, or creates it there; in the feed in all partitions or in none. Of two concurrent moves the higher
   * number wins.
   *
   * @returns undefined without such a log, and when it is not where the move says
   */
  moveConsumer<Log extends string>(
    log: Log,
    name: string,
    to: MoveIn<Log>,
    now: number,
  ): Promise<ConsumerIn<Log> | MoveRefusal | undefined>;
  /** The consumers of a log, by creation, oldest first; none without such a log. */
  listConsumers<Log extends string>(log: Log): Promise<ConsumerIn<Log>[]>;
  /** @returns false without such a consumer */
  deleteConsumer(log: string, name: string, by?: Audited): Promise<boolean>;
  /** Stores when consumers were last polled. */
  noteConsumerPolls(polls: readonly ConsumerPoll[]): Promise<void>;
  /**
   * Stores that a process reads for a bot's consumer, unless another one does.
   *
   * @param reader what the process calls itself
   * @param until how long it is taken to read on; the past when it has stopped
   * @returns the other one; undefined when there is none, and without such a consumer
   */
  holdConsumer(
    botId: string,
    name: string,
    reader: string,
    until: number,
    now: number,
  ): Promise<string | undefined>;
}

/** The part about the updates that the programs of bots have given up. */
export interface GivenUpStore {
  /**
   * Lists an update as given up, or says of one in the list that it was given up again. The list has those
   * with a bot's `MAX_GIVEN_UP_PER_BOT` highest numbers.
   *
   * @returns false without such an update
   */
  giveUpUpdate(
    botId: string,
    updateId: number,
    consumer: string,
    error: string,
    now: number,
  ): Promise<boolean>;
  /** What a bot's programs gave up, the highest numbers first. An update leaves the list when it expires. */
  listGivenUp(botId: string): Promise<GivenUp[]>;
  /**
   * Asks for these to be handled again, by each program that gave them up; without numbers for all that are listed.
   *
   * @returns how many
   */
  handInGivenUp(
    botId: string,
    updateIds: readonly number[] | undefined,
    now: number,
    by?: Audited,
  ): Promise<number>;
  /** @returns false when it is not in the list */
  forgetGivenUp(botId: string, updateId: number, consumer: string): Promise<boolean>;
}
