import { type FeedCursor, isPositionOf } from "../../domain/feed.js";
import { MAX_FEED_CONSUMERS } from "../../domain/limits.js";
import type { FeedConsumer } from "../feed-store.js";
import { omitNulls } from "../omit-nulls.js";
import type { Database } from "./binding.js";
import { type FeedReader, type FeedRow, feedFinder } from "./feed.js";
import type { SliceVerbs, Verbs } from "./verbs.js";

type FeedConsumerVerbs = Pick<
  Verbs,
  "openFeedConsumer" | "moveFeedConsumer" | "listFeedConsumers" | "deleteFeedConsumer" | "noteFeedPolls"
> &
  Pick<SliceVerbs, "readConsumedFeed">;

/** A consumer in one partition. */
interface ConsumerRow extends Omit<FeedConsumer, "positions" | "lastPolledAt"> {
  slot: number;
  position: number;
  lastPolledAt: number | null;
}

/** A consumer of the feed is a row of `consumers` in each partition, with the same slot. */
export function feedConsumerVerbs(db: Database, readFeed: FeedReader): FeedConsumerVerbs {
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
    UPDATE consumers SET position = ?1 WHERE bot_key = ?2 AND name = ?3 AND position <> ?1`);
  const consumersWhere = (condition: string) =>
    db.prepare(`
    SELECT c.slot, c.name, c.position, max(0, l.last_update_id - c.position) AS lag, c.created_at AS createdAt,
      c.last_polled_at AS lastPolledAt
    FROM consumers c JOIN lanes l USING (bot_key)
    WHERE c.bot_key >= ? AND c.bot_key < ? AND ${condition} ORDER BY c.bot_key, c.slot`);
  const selectAll = consumersWhere("true");
  const selectOne = consumersWhere("c.name = ?");
  const selectHeads = db.prepare(`
    SELECT last_update_id AS head FROM lanes WHERE bot_key >= ? AND bot_key < ? ORDER BY bot_key`);
  const remove = db.prepare("DELETE FROM consumers WHERE bot_key >= ? AND bot_key < ? AND name = ?");
  const notePoll = db.prepare(`
    UPDATE consumers SET last_polled_at = max(ifnull(last_polled_at, 0), ?)
    WHERE bot_key >= ? AND bot_key < ? AND name = ?`);

  /** The first and last key of the feed's logs; an empty range while it is off. */
  const range = (feed: FeedRow | undefined = findFeed()): [number, number] => {
    const { firstKey, partitions } = feed ?? { firstKey: 0, partitions: 0 };
    return [firstKey, firstKey + partitions];
  };
  const find = (feed: FeedRow, name: string): FeedCursor | undefined => {
    const rows = selectPositions.all(...range(feed), name) as { position: number }[];
    if (rows.length === 0) return undefined;
    return { feedId: feed.feedId, positions: rows.map(({ position }) => position) };
  };

  return {
    readConsumedFeed(name, limit, maxBytes) {
      const feed = findFeed();
      const found = feed && find(feed, name);
      return found && readFeed(found.positions, limit, maxBytes);
    },

    openFeedConsumer(name, now) {
      const feed = findFeed();
      if (!feed) return undefined;
      const found = find(feed, name);
      if (found) return found;
      const taken = new Set((selectSlots.all(feed.firstKey) as { slot: number }[]).map(({ slot }) => slot));
      let slot = 1;
      while (taken.has(slot)) slot += 1;
      if (slot > MAX_FEED_CONSUMERS) return "too many";
      insert.run(slot, name, now, ...range(feed));
      return find(feed, name);
    },

    moveFeedConsumer(name, cursor, rewind) {
      const feed = findFeed();
      if (!feed) return undefined;
      const heads = (selectHeads.all(...range(feed)) as { head: number }[]).map(({ head }) => head);
      if (!isPositionOf(cursor, { feedId: feed.feedId, heads })) return { refused: "another feed" };
      const { positions: current = [] } = find(feed, name) ?? {};
      const isBack = current.some((position, partition) => position > (cursor.positions[partition] ?? 0));
      if (isBack && !rewind) return { refused: "backwards" };
      for (const [partition, position] of cursor.positions.entries()) {
        move.run(position, feed.firstKey + partition, name);
      }
      const [moved] = consumersOf(selectOne.all(...range(feed), name) as ConsumerRow[]);
      return moved ?? { refused: "no consumer" };
    },

    listFeedConsumers: () =>
      consumersOf(selectAll.all(...range()) as ConsumerRow[]).toSorted((a, b) => a.createdAt - b.createdAt),

    deleteFeedConsumer: (name) => Number(remove.run(...range(), name).changes) > 0,

    noteFeedPolls(polls) {
      for (const { name, at } of polls) notePoll.run(at, ...range(), name);
    },
  };
}

/** @param rows of any consumers, by partition */
function consumersOf(rows: readonly ConsumerRow[]): FeedConsumer[] {
  const bySlot = new Map<number, FeedConsumer>();
  for (const { slot, position, ...consumer } of rows) {
    const known = bySlot.get(slot);
    known?.positions.push(position);
    if (known) known.lag += consumer.lag;
    else bySlot.set(slot, omitNulls<FeedConsumer>({ ...consumer, positions: [position] }));
  }
  return [...bySlot.values()];
}
