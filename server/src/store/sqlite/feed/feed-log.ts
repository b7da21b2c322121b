import { FEED, FIRST_FEED_KEY } from "../../parts/feed-store.js";
import type { Database } from "../binding.js";
import type { GrownLog } from "../posts/log-appender.js";
import { feedFinder } from "./feed.js";

/** Posts of one channel, whose keys follow each other. */
interface NewPosts {
  channelKey: number;
  firstKey: number;
  lastKey: number;
  lastPostAt: number;
}

/** @returns finds the key of the feed's log that hears what happens in a channel; undefined while the feed is off */
export function feedOfChannel(db: Database): (channelKey: number) => number | undefined {
  const select = db.prepare(
    `SELECT bot_key AS key FROM attachments WHERE channel_key = ? AND bot_key >= ${FIRST_FEED_KEY} ORDER BY bot_key DESC LIMIT 1`,
  );
  return (channelKey) => (select.get(channelKey) as { key: number } | undefined)?.key;
}

/**
 * Appends the posts of a batch to the feed's logs, those of all channels together, so that the lane of each log is
 * written once. While the feed is off, this costs one look-up for each batch.
 */
export function feedAppender(db: Database): (posts: readonly NewPosts[]) => GrownLog[] {
  const findFeed = feedFinder(db);
  const feedOf = feedOfChannel(db);
  const advance = db.prepare(`
    UPDATE lanes SET last_update_id = last_update_id + ?1, last_update_at = max(ifnull(last_update_at, 0), ?2)
    WHERE bot_key = ?3 RETURNING last_update_id AS lastUpdateId`);
  const insert = db.prepare("INSERT INTO entries (log_key, number, event_key) VALUES (?, ?, ?)");

  const append = (key: number, posts: readonly NewPosts[]): GrownLog[] => {
    const updateCount = posts.reduce((sum, { firstKey, lastKey }) => sum + lastKey - firstKey + 1, 0);
    const lastPostAt = Math.max(...posts.map((one) => one.lastPostAt));
    const lane = advance.get(updateCount, lastPostAt, key) as { lastUpdateId: number } | undefined;
    // The attachment may be of a feed that was switched off: those are removed step by step.
    if (!lane) return [];
    let number = lane.lastUpdateId - updateCount;
    for (const { firstKey, lastKey } of posts) {
      for (let postKey = firstKey; postKey <= lastKey; postKey += 1) insert.run(key, ++number, postKey);
    }
    return [{ botId: FEED, lastUpdateId: lane.lastUpdateId, isClaimable: false, updateCount }];
  };

  return (posts) => {
    if (!findFeed()) return [];
    const byLog = new Map<number, NewPosts[]>();
    for (const one of posts) {
      const key = feedOf(one.channelKey);
      if (key === undefined) continue;
      const others = byLog.get(key);
      if (others) others.push(one);
      else byLog.set(key, [one]);
    }
    return [...byLog].flatMap(([key, heard]) => append(key, heard));
  };
}
