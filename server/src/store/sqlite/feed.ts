import { randomBytes } from "node:crypto";
import { partitionOf } from "../../domain/feed.js";
import type { Slice } from "../../domain/page.js";
import { type FeedEvent, type FeedState, FIRST_FEED_KEY, KEYS_PER_FEED } from "../feed-store.js";
import type { Database } from "./binding.js";
import type { SliceVerbs, Verbs } from "./verbs.js";

/** One process writes one log at a time: more partitions would only make more rows. */
const PARTITIONS = 1;

interface FeedRow {
  feedId: string;
  firstKey: number;
  partitions: number;
}

/** An event on its way into a page: how old it is among those of all partitions, and how large. */
interface Candidate {
  partition: number;
  number: number;
  postKey: number;
  size: number;
}

interface EventRow {
  eventType: string | null;
  payload: string;
  createdAt: number;
  channelId: string | null;
  externalId: string | null;
  ownerUserId: string | null;
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
  const selectEnds = db.prepare(`
    SELECT l.last_update_id AS head, ifnull(
      (SELECT u.update_id FROM updates u WHERE u.bot_key = l.bot_key ORDER BY u.update_id LIMIT 1),
      l.last_update_id + 1) AS tail
    FROM lanes l WHERE l.bot_key >= ? AND l.bot_key < ? ORDER BY l.bot_key`);
  const selectNext = db.prepare(`
    SELECT u.update_id AS number, u.post_key AS postKey, octet_length(p.payload) AS size
    FROM updates u JOIN posts p USING (post_key)
    WHERE u.bot_key = ? AND u.update_id > ? ORDER BY u.update_id LIMIT +?`);
  const selectEvent = db.prepare(`
    SELECT p.event_type AS eventType, p.payload, p.created_at AS createdAt,
      c.id AS channelId, c.external_id AS externalId, c.owner_user_id AS ownerUserId
    FROM posts p LEFT JOIN channels c ON c.channel_key = abs(p.channel_key) WHERE p.post_key = ?`);

  const keysOf = ({ firstKey, partitions }: FeedRow): number[] =>
    Array.from({ length: partitions }, (_, partition) => firstKey + partition);

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

  const eventOf = ({ partition, number, postKey }: Candidate): FeedEvent => {
    const { eventType, payload, createdAt, channelId, externalId, ownerUserId } = selectEvent.get(
      postKey,
    ) as EventRow;
    const channel = channelId !== null &&
      ownerUserId !== null && { id: channelId, ...(externalId !== null && { externalId }), ownerUserId };
    return {
      partition,
      number,
      ...(eventType !== null && { eventType }),
      payload,
      createdAt,
      ...(channel && { channel }),
    };
  };

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

    readFeed(positions, limit, maxBytes) {
      const feed = findFeed();
      if (!feed) return undefined;
      const candidates = keysOf(feed)
        .flatMap((key, partition) =>
          (selectNext.all(key, positions[partition] ?? 0, limit) as Omit<Candidate, "partition">[]).map(
            (candidate): Candidate => ({ partition, ...candidate }),
          ),
        )
        // Keys of events rise in the order in which they were appended.
        .toSorted((a, b) => a.postKey - b.postKey || a.partition - b.partition)
        .slice(0, limit);
      const { items, bytes, isCut } = fitting(candidates, maxBytes);
      return { ...stateOf(feed), items: items.map(eventOf), bytes, isCut };
    },
  };
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

function fitting(candidates: readonly Candidate[], maxBytes: number): Slice<Candidate> {
  let bytes = 0;
  let count = 0;
  for (const { size } of candidates) {
    if (count > 0 && bytes + size > maxBytes) break;
    bytes += size;
    count += 1;
  }
  return { items: candidates.slice(0, count), bytes, isCut: count < candidates.length };
}
