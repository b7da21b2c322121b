import { randomBytes } from "node:crypto";
import { partitionOf } from "../../domain/feed.js";
import {
  type FeedChannel,
  type FeedEvent,
  type FeedState,
  FIRST_FEED_KEY,
  feedActor,
  KEYS_PER_FEED,
} from "../feed-store.js";
import { omitNulls } from "../omit-nulls.js";
import type { Database } from "./binding.js";
import type { SliceVerbs, Verbs } from "./verbs.js";

/** SQLite has one writer, so more partitions would only make more rows. */
const PARTITIONS = 1;

export interface FeedRow {
  feedId: string;
  firstKey: number;
  partitions: number;
}

/** An event that may be on a page, with its rank among those of all partitions. */
interface Candidate {
  partition: number;
  number: number;
  postKey: number;
  age: number;
}

interface EventRow {
  id: string;
  eventType: string | null;
  payload: string;
  size: number;
  createdAt: number;
  channelKey: number;
  /** Of an event that belongs to no channel. */
  ownerUserId: string | null;
  actedBy: number | null;
  botId: string | null;
}

interface ChannelRow {
  id: string;
  externalId: string | null;
  ownerUserId: string;
}

export function feedVerbs(
  db: Database,
): Pick<Verbs, "switchFeed" | "hasFeed" | "attachFeed"> & Pick<SliceVerbs, "readFeed"> {
  const findFeed = feedFinder(db);
  const selectLast = db.prepare("SELECT first_key AS firstKey FROM feed WHERE id = 1");
  const putFeed = db.prepare(
    "INSERT OR REPLACE INTO feed (id, feed_id, first_key, partitions) VALUES (1, ?, ?, ?)",
  );
  const insertLane = db.prepare("INSERT INTO lanes (bot_key) VALUES (?)");
  const removeLane = db.prepare("DELETE FROM lanes WHERE bot_key = ?");
  const removeConsumers = db.prepare("DELETE FROM consumers WHERE bot_key = ?");
  const rememberRemoved = db.prepare("INSERT INTO removed_bots (bot_key) VALUES (?)");
  const selectChannels = db.prepare(`
    SELECT channel_key AS channelKey, owner_user_id AS ownerUserId FROM channels
    WHERE channel_key > ? ORDER BY channel_key LIMIT +?`);
  const attach = feedAttacher(db);
  return {
    switchFeed(isOn) {
      const feed = findFeed();
      if (isOn === (feed !== undefined)) return;
      if (feed) {
        putFeed.run(feed.feedId, feed.firstKey, 0);
        for (const key of keysOf(feed)) {
          removeLane.run(key);
          removeConsumers.run(key);
          rememberRemoved.run(key);
        }
        return;
      }
      const last = selectLast.get() as { firstKey: number } | undefined;
      const firstKey = last ? last.firstKey + KEYS_PER_FEED : FIRST_FEED_KEY;
      const made = { feedId: randomBytes(8).toString("hex"), firstKey, partitions: PARTITIONS };
      putFeed.run(made.feedId, made.firstKey, made.partitions);
      for (const key of keysOf(made)) insertLane.run(key);
    },

    hasFeed: () => findFeed() !== undefined,

    attachFeed(from, limit) {
      if (!findFeed()) return undefined;
      const channels = selectChannels.all(from, limit) as { channelKey: number; ownerUserId: string }[];
      for (const { channelKey, ownerUserId } of channels) attach(channelKey, ownerUserId);
      return channels.length === limit ? channels.at(-1)?.channelKey : undefined;
    },

    readFeed: feedReader(db),
  };
}

function feedReader(db: Database): SliceVerbs["readFeed"] {
  const findFeed = feedFinder(db);
  const selectEnds = db.prepare(`
    SELECT l.last_update_id AS head, ifnull(
      (SELECT u.update_id FROM updates u WHERE u.bot_key = l.bot_key ORDER BY u.update_id LIMIT 1),
      l.last_update_id + 1) AS tail
    FROM lanes l WHERE l.bot_key >= ? AND l.bot_key < ? ORDER BY l.bot_key`);
  const selectPositions = db.prepare(`
    SELECT position FROM consumers WHERE bot_key >= ? AND bot_key < ? AND name = ? ORDER BY bot_key`);
  const selectNext = db.prepare(`
    SELECT update_id AS number, post_key AS postKey FROM updates
    WHERE bot_key = ? AND update_id > ? ORDER BY update_id LIMIT +?`);
  const selectEvent = db.prepare(`
    SELECT id, event_type AS eventType, payload, octet_length(payload) AS size, created_at AS createdAt,
      abs(channel_key) AS channelKey, nullif(owner_user_id, '') AS ownerUserId, acted_by AS actedBy,
      (SELECT b.id FROM bots b WHERE b.bot_key = posts.author_key) AS botId
    FROM posts WHERE post_key = ?`);
  const selectChannel = db.prepare(`
    SELECT id, external_id AS externalId, owner_user_id AS ownerUserId FROM channels WHERE channel_key = ?`);

  const stateOf = (feed: FeedRow): FeedState => {
    const ends = selectEnds.all(feed.firstKey, feed.firstKey + feed.partitions) as {
      head: number;
      tail: number;
    }[];
    return {
      feedId: feed.feedId,
      heads: ends.map(({ head }) => head),
      tails: ends.map(({ tail }) => tail),
    };
  };

  /**
   * An event's rank is its key, since keys rise in the order of appending. In a log copied from PostgreSQL they do not
   * always, so the rank is the highest key up to the event in its log.
   */
  const candidatesOf = (feed: FeedRow, positions: readonly number[], limit: number): Candidate[] =>
    keysOf(feed)
      .flatMap((key, partition) => {
        const next = selectNext.all(key, positions[partition] ?? 0, limit) as Pick<
          Candidate,
          "number" | "postKey"
        >[];
        let age = 0;
        return next.map(({ number, postKey }): Candidate => {
          age = Math.max(age, postKey);
          return { partition, number, postKey, age };
        });
      })
      .toSorted((a, b) => a.age - b.age || a.partition - b.partition || a.number - b.number)
      .slice(0, limit);

  const findChannel = (channelKey: number): FeedChannel | undefined => {
    const row = selectChannel.get(channelKey) as ChannelRow | undefined;
    return row && omitNulls<FeedChannel>(row);
  };

  const positionsOf = ({ firstKey, partitions }: FeedRow, name: string): number[] =>
    (selectPositions.all(firstKey, firstKey + partitions, name) as { position: number }[]).map(
      ({ position }) => position,
    );

  return (after, limit, maxBytes) => {
    const feed = findFeed();
    if (!feed) return undefined;
    const positions = "consumer" in after ? positionsOf(feed, after.consumer) : after;
    if ("consumer" in after && positions.length === 0) return undefined;
    const candidates = candidatesOf(feed, positions, limit);
    // Most events of a page belong to a few channels.
    const channels = new Map<number, FeedChannel | undefined>();
    const items: FeedEvent[] = [];
    let bytes = 0;
    for (const { partition, number, postKey } of candidates) {
      const row = selectEvent.get(postKey) as EventRow;
      const { id, eventType, payload, size, createdAt, channelKey, actedBy, botId } = row;
      if (items.length > 0 && bytes + size > maxBytes) break;
      bytes += size;
      if (!channels.has(channelKey)) channels.set(channelKey, findChannel(channelKey));
      const channel = channels.get(channelKey);
      const ownerUserId = channel?.ownerUserId ?? row.ownerUserId ?? undefined;
      items.push({
        id,
        partition,
        number,
        ...(eventType !== null && { eventType }),
        payload,
        createdAt,
        ...(ownerUserId !== undefined && { ownerUserId }),
        ...feedActor(actedBy, botId ?? undefined, ownerUserId),
        ...(channel && { channel }),
      });
    }
    const state = stateOf(feed);
    const from = state.heads.map((_, partition) => positions[partition] ?? 0);
    return { ...state, positions: from, items, bytes, isCut: items.length < candidates.length };
  };
}

function keysOf({ firstKey, partitions }: FeedRow): number[] {
  return Array.from({ length: partitions }, (_, partition) => firstKey + partition);
}

/** @returns finds the feed; undefined while it is off */
export function feedFinder(db: Database): () => FeedRow | undefined {
  const select = db.prepare(
    "SELECT feed_id AS feedId, first_key AS firstKey, partitions FROM feed WHERE id = 1 AND partitions > 0",
  );
  return () => select.get() as FeedRow | undefined;
}

/** Lets the feed, if it is on, hear what happens in a channel. */
export function feedAttacher(db: Database): (channelKey: number, ownerUserId: string) => void {
  const findFeed = feedFinder(db);
  const insert = db.prepare(`
    INSERT OR IGNORE INTO attachments (channel_key, bot_key, role, attached_by, post_filter, hears_custom)
    VALUES (?, ?, 'feed', '', 0, 0)`);
  return (channelKey, ownerUserId) => {
    const feed = findFeed();
    if (feed) insert.run(channelKey, feed.firstKey + partitionOf(ownerUserId, feed.partitions));
  };
}
