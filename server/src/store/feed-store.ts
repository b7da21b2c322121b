import type { FeedCursor } from "../domain/feed.js";

/**
 * The keys of the logs of the feed's partitions, where bots have theirs: far above those of all bots. So lanes, which are locked
 * in the order of their keys, are locked last when they are the feed's, by whatever an append or a change of a bot locks
 * before; and a walk over all lanes sees them too. The feed is no row of `bots`, so nothing that lists bots shows it.
 */
export const FIRST_FEED_KEY = 9_000_000_000_000_000;
/** A feed that is switched on again gets new keys, this much above those that it had. */
export const KEYS_PER_FEED = 256;

/** In place of a bot's id, in the hint that a log of the feed has grown. */
export const FEED = "feed";
/** That hint, of no particular log. */
export const FEED_GREW = { botId: FEED, lastUpdateId: 1, isClaimable: false } as const;

/** The feed, which has a log for each partition. */
export interface FeedState {
  feedId: string;
  /** For each partition the last number in its log. */
  heads: number[];
  /** For each partition the oldest number that is kept; the next one when nothing is kept. */
  tails: number[];
}

export interface FeedEvent {
  /** Counted from 0. */
  partition: number;
  /** Its number in the partition's log. */
  number: number;
  /** Left out of the most common kind, `channel.post_created`. */
  eventType?: string;
  /** JSON text. */
  payload: string;
  createdAt: number;
  /** Where it happened, if that is a channel that still exists. */
  channel?: FeedChannel;
}

export interface FeedChannel {
  id: string;
  externalId?: string;
  ownerUserId: string;
}

export interface FeedRead extends FeedState {
  /** What the events follow: for each partition a number, which is the consumer's when one is read. */
  positions: readonly number[];
  events: FeedEvent[];
}

/** The cursor is of another feed or beyond the end of this one; or there is no such consumer. */
export interface FeedMoveRefusal {
  refused: "another feed" | "no consumer";
}

/** The part of the store that is about the feed: a log of what happens in all channels, for the platform. */
export interface FeedStore {
  /**
   * Switches the feed on, empty, or off, with what it has. On stays on. Channels that are made from then on are in it; those
   * there are, by {@link FeedStore.attachFeed}.
   */
  switchFeed(isOn: boolean): Promise<void>;
  /** Whether the feed is on. */
  hasFeed(): Promise<boolean>;
  /**
   * One small step of letting the feed hear what happens in the channels there are: up to `limit` of them, from where the step
   * before ended; 0 begins. Does nothing while the feed is off.
   *
   * @returns where the next step begins, if there may be more
   */
  attachFeed(from: number, limit: number): Promise<number | undefined>;
  /**
   * The next events of all partitions, those of each in the order of its log: what happened first comes first.
   *
   * @param positions for each partition only numbers above this; all when left out
   * @returns undefined while the feed is off
   */
  readFeed(positions: readonly number[], limit: number, maxBytes?: number): Promise<FeedRead | undefined>;

  // Consumers of the feed: named positions in all of its partitions. A name is compared without case.

  /**
   * The next events of a consumer. Reading does not move it.
   *
   * @returns undefined without such a consumer, and while the feed is off
   */
  readConsumedFeed(name: string, limit: number, maxBytes?: number): Promise<FeedRead | undefined>;
  /**
   * Finds a consumer or creates it, at the oldest event that is kept.
   *
   * @returns undefined while the feed is off; "too many" when it has `MAX_FEED_CONSUMERS`
   */
  openFeedConsumer(name: string, now: number): Promise<FeedCursor | "too many" | undefined>;
  /**
   * Moves a consumer: in each partition forward only, unless it rewinds.
   *
   * @returns the consumer as it is then, or why it was not moved; undefined while the feed is off
   */
  moveFeedConsumer(
    name: string,
    to: FeedCursor,
    rewind: boolean,
  ): Promise<FeedConsumer | FeedMoveRefusal | undefined>;
  /** By creation, oldest first. */
  listFeedConsumers(): Promise<FeedConsumer[]>;
  /** @returns false without such a consumer */
  deleteFeedConsumer(name: string): Promise<boolean>;
  /** Keeps when consumers were last polled. */
  noteFeedPolls(polls: readonly FeedPoll[]): Promise<void>;
}

export interface FeedConsumer {
  /** As it was first written. */
  name: string;
  /** For each partition the last number that is handled. */
  positions: number[];
  /** Numbers up to the ends of the logs that are not handled. */
  lag: number;
  createdAt: number;
  /** Within some seconds of the last poll; absent before the first. */
  lastPolledAt?: number;
}

export interface FeedPoll {
  name: string;
  at: number;
}
