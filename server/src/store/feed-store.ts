import { type ActorType, actorOf } from "../domain/event.js";
import type { FeedCursor } from "../domain/feed.js";

/**
 * The lowest `bot_key` of the feed's logs, one key for each partition, far above those of all bots. Lanes are locked in
 * the order of their keys, so the feed's lanes are always locked last, after any lane of a bot. A walk over all lanes
 * includes them. The feed has no row in `bots`, so no list of bots shows it.
 */
export const FIRST_FEED_KEY = 9_000_000_000_000_000;
/** A feed that is switched on again gets new keys, higher by this. */
export const KEYS_PER_FEED = 256;

/** Stands for a bot's id in hints about the feed's logs. */
export const FEED = "feed";
/** The hint that the feed grew, for no particular log. */
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
  /** The id of the event, a UUID: the same for every reader, and after a copy to another engine. */
  id: string;
  /** Counted from 0. */
  partition: number;
  /** Its number in the partition's log. */
  number: number;
  /** Left out of the most common kind, `channel.post_created`. */
  eventType?: string;
  /** JSON text. */
  payload: string;
  createdAt: number;
  /** Whose channel or bot it is; left out once the channel is deleted or the owner erased. */
  ownerUserId?: string;
  /** Who did it; left out of what the service tells of itself, and of what was stored before actors were. */
  by?: Actor;
  /** Where it happened, if that is a channel that still exists. */
  channel?: FeedChannel;
}

export interface Actor {
  type: ActorType;
  /** The bot's or the owner's, while there is such a bot or owner; never the platform's. */
  id?: string;
}

/** @param botId of the bot that acted; undefined when it was deleted */
export function feedActor(
  number: number | null,
  botId: string | undefined,
  ownerUserId: string | undefined,
): { by?: Actor } {
  const type = actorOf(number);
  if (!type) return {};
  const id = type === "bot" ? botId : type === "owner" ? ownerUserId : undefined;
  return { by: { type, ...(id !== undefined && { id }) } };
}

export interface FeedChannel {
  id: string;
  externalId?: string;
  ownerUserId: string;
}

export interface FeedRead extends FeedState {
  /** For each partition the number after which the events were read; the consumer's position when a consumer is read. */
  positions: readonly number[];
  events: FeedEvent[];
}

/**
 * Why a consumer was not moved: the cursor belongs to another feed or is beyond the end of this one, or there is no
 * such consumer.
 */
export interface FeedMoveRefusal {
  refused: "another feed" | "no consumer" | "backwards";
}

/** The part of the store that is about the feed: a log of what happens in all channels, for the platform. */
export interface FeedStore {
  /**
   * Switches the feed on, empty, or off, which removes its content. A feed that is on already is not changed. New
   * channels are attached to it from then on; existing ones by {@link FeedStore.attachFeed}.
   */
  switchFeed(isOn: boolean): Promise<void>;
  /** Whether the feed is on. */
  hasFeed(): Promise<boolean>;
  /**
   * One small step of attaching the feed to existing channels: up to `limit` of them, from where the last step ended; 0
   * for the first step. Does nothing while the feed is off.
   *
   * @returns where the next step begins, if there may be more
   */
  attachFeed(from: number, limit: number): Promise<number | undefined>;
  /**
   * The next events of all partitions, the oldest first; those of each partition in the order of its log.
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
   * Finds a consumer or creates it; a new one begins at the oldest event that is kept.
   *
   * @returns undefined while the feed is off; "too many" when it has `MAX_FEED_CONSUMERS`
   */
  openFeedConsumer(name: string, now: number): Promise<FeedCursor | "too many" | undefined>;
  /**
   * Moves a consumer. Unless it rewinds, nothing is changed when it would go back in any partition.
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
  /** Stores when consumers were last polled. */
  noteFeedPolls(polls: readonly FeedPoll[]): Promise<void>;
}

export interface FeedConsumer {
  /** Spelled as at its creation. */
  name: string;
  /** For each partition the last number that is handled. */
  positions: number[];
  /** Events up to the ends of the logs that it has not handled. */
  lag: number;
  createdAt: number;
  /** Within some seconds of the last poll; absent before the first. */
  lastPolledAt?: number;
}

export interface FeedPoll {
  name: string;
  at: number;
}
