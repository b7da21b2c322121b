import type { FeedCursor } from "../../domain/feed.js";
import { MAX_FEED_CONSUMERS } from "../../domain/limits.js";
import type { FeedConsumer } from "../feed-store.js";
import { present } from "../present.js";
import type { Database } from "./binding.js";
import { feedFinder } from "./feed.js";
import type { Verbs } from "./verbs.js";

type FeedConsumerVerbs = Pick<
  Verbs,
  | "findFeedConsumer"
  | "openFeedConsumer"
  | "moveFeedConsumer"
  | "listFeedConsumers"
  | "deleteFeedConsumer"
  | "noteFeedPolls"
>;

/** A consumer in one partition. */
interface ConsumerRow extends Omit<FeedConsumer, "positions" | "lastPolledAt"> {
  slot: number;
  position: number;
  lastPolledAt: number | null;
}

/** A consumer of the feed is a row of `consumers` in each partition, with the same slot. */
export function feedConsumerVerbs(db: Database): FeedConsumerVerbs {
  const findFeed = feedFinder(db);
  const selectPositions = db.prepare(`
    SELECT position FROM consumers WHERE bot_key >= ? AND bot_key < ? AND name = ? ORDER BY bot_key`);
  const selectSlots = db.prepare("SELECT slot FROM consumers WHERE bot_key = ? ORDER BY slot");
  const insert = db.prepare(`
    INSERT INTO consumers (bot_key, slot, name, position, created_at)
    SELECT l.bot_key, ?1, ?2, ifnull(
      (SELECT u.update_id - 1 FROM updates u WHERE u.bot_key = l.bot_key ORDER BY u.update_id LIMIT 1),
      l.last_update_id), ?3
    FROM lanes l WHERE l.bot_key >= ?4 AND l.bot_key < ?5`);
  const move = db.prepare(`
    UPDATE consumers SET position = CASE WHEN ?1 THEN ?2 ELSE max(position, ?2) END WHERE bot_key = ?3 AND name = ?4`);
  const selectAll = db.prepare(`
    SELECT c.slot, c.name, c.position, max(0, l.last_update_id - c.position) AS lag, c.created_at AS createdAt,
      c.last_polled_at AS lastPolledAt
    FROM consumers c JOIN lanes l USING (bot_key) WHERE c.bot_key >= ? AND c.bot_key < ? ORDER BY c.bot_key, c.slot`);
  const remove = db.prepare("DELETE FROM consumers WHERE bot_key >= ? AND bot_key < ? AND name = ?");
  const notePoll = db.prepare(`
    UPDATE consumers SET last_polled_at = max(ifnull(last_polled_at, 0), ?)
    WHERE bot_key >= ? AND bot_key < ? AND name = ?`);

  /** The range of the keys of its logs; empty while it is off. */
  const range = (): [number, number] => {
    const { firstKey, partitions } = findFeed() ?? { firstKey: 0, partitions: 0 };
    return [firstKey, firstKey + partitions];
  };

  const find = (name: string): FeedCursor | undefined => {
    const feed = findFeed();
    if (!feed) return undefined;
    const rows = selectPositions.all(...range(), name) as { position: number }[];
    if (rows.length === 0) return undefined;
    return { feedId: feed.feedId, positions: rows.map(({ position }) => position) };
  };

  return {
    findFeedConsumer: find,

    openFeedConsumer(name, now) {
      const feed = findFeed();
      if (!feed) return undefined;
      const found = find(name);
      if (found) return found;
      const taken = new Set((selectSlots.all(feed.firstKey) as { slot: number }[]).map(({ slot }) => slot));
      let slot = 1;
      while (taken.has(slot)) slot += 1;
      if (slot > MAX_FEED_CONSUMERS) return "too many";
      insert.run(slot, name, now, ...range());
      return find(name);
    },

    moveFeedConsumer(name, { feedId, positions }: FeedCursor, rewind) {
      const feed = findFeed();
      if (feed?.feedId !== feedId) return false;
      const moved = positions.map(
        (position, partition) =>
          move.run(rewind ? 1 : 0, position, feed.firstKey + partition, name).changes === 1,
      );
      return moved.some(Boolean);
    },

    listFeedConsumers() {
      const bySlot = new Map<number, FeedConsumer>();
      for (const row of selectAll.all(...range()) as ConsumerRow[]) {
        const { slot, position, ...consumer } = row;
        const known = bySlot.get(slot);
        known?.positions.push(position);
        if (known) known.lag += row.lag;
        else bySlot.set(slot, present<FeedConsumer>({ ...consumer, positions: [position] }));
      }
      return [...bySlot.values()].toSorted((a, b) => a.createdAt - b.createdAt);
    },

    deleteFeedConsumer: (name) => Number(remove.run(...range(), name).changes) > 0,

    noteFeedPolls(polls) {
      for (const { name, at } of polls) notePoll.run(at, ...range(), name);
    },
  };
}
