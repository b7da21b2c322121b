import type { ActorType } from "../../domain/events/event.js";

/**
 * The lowest `bot_key` of the feed's logs, one key for each partition, far above those of all bots. Lanes are locked in
 * the order of their keys, so the feed's lanes are always locked last, after any lane of a bot. A walk over all lanes
 * includes them. The feed has no row in `bots`, so no list of bots shows it.
 */
export const FIRST_FEED_KEY = 9_000_000_000_000_000;
/** A feed that is switched on again gets new keys, higher by this. */
export const KEYS_PER_FEED = 256;

/** Stands for the feed where a bot's id names a log: in calls about consumers, and in hints. */
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
  /** True while the end of a log may have been lost in a fail-over: readers may have had numbers beyond its head. */
  isSetBack?: boolean;
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

export interface FeedChannel {
  id: string;
  externalId?: string;
  ownerUserId: string;
}

export interface FeedRead extends FeedState {
  /** For each partition the number after which the events were read. */
  positions: readonly number[];
  events: FeedEvent[];
  /** The names of cells that are left out because they are unavailable; the positions there stay. Absent when there is none. */
  away?: readonly string[];
}

/** The part of the store that is about the feed: a log of what happens in all channels, for the platform. */
export interface FeedStore {
  /**
   * Switches the feed on, empty, or off, which removes its content. A feed that is on already is not changed. New
   * channels are attached to it from then on; existing ones by {@link FeedStore.attachFeed}.
   *
   * @param hasAudit whether entries of the audit log that are written from now on are events of it; as it is when left out, and at first not
   */
  switchFeed(isOn: boolean, hasAudit?: boolean): Promise<void>;
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
   * @param from for each partition the number after which it is read, 0 when left out; or the name of a consumer
   * @returns undefined while the feed is off, and without such a consumer
   */
  readFeed(from: FeedFrom, limit: number, maxBytes?: number): Promise<FeedRead | undefined>;
}

/** For each partition a number, or a consumer, which reading does not move. */
export type FeedFrom = readonly number[] | { consumer: string };
