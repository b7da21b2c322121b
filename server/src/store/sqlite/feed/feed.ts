import { randomBytes } from "node:crypto";
import { partitionOf } from "../../../domain/events/feed.js";
import { type FeedEvent, FIRST_FEED_KEY, KEYS_PER_FEED } from "../../parts/feed-store.js";
import { type FeedEventRow, feedEventOf } from "../../shared/rows/feed-rows.js";
import type { Database } from "../binding.js";
import type { SliceVerbs, Verbs } from "../verbs.js";

/** SQLite has one writer, so more partitions would only make more rows. */
const PARTITIONS = 1;

/** The keys of its logs, one for each partition. */
export interface FeedKeys {
  feedId: string;
  firstKey: number;
  lastKey: number;
  partitions: number;
}

/** The ends of a partition's log, and a consumer's position between them. */
interface End {
  head: number;
  tail: number;
  position: number | null;
}

/** An event that may be on a page, with its rank among those of all partitions. */
interface Candidate {
  partition: number;
  number: number;
  eventKey: number;
  age: number;
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
  const rememberRemoved = db.prepare(
    "INSERT INTO removed_bots (bot_key) SELECT bot_key FROM lanes WHERE bot_key BETWEEN ? AND ?",
  );
  const removeLanes = db.prepare("DELETE FROM lanes WHERE bot_key BETWEEN ? AND ?");
  const removeConsumers = db.prepare("DELETE FROM consumers WHERE bot_key BETWEEN ? AND ?");
  const selectChannels = db.prepare(`
    SELECT channel_key AS channelKey, owner_user_id AS ownerUserId FROM channels
    WHERE channel_key > ? ORDER BY channel_key LIMIT +?`);
  const setAudit = db.prepare("UPDATE feed SET has_audit = ? WHERE id = 1");
  const attach = feedAttacher(db);

  const switchOn = (): void => {
    const last = selectLast.get() as { firstKey: number } | undefined;
    const firstKey = last ? last.firstKey + KEYS_PER_FEED : FIRST_FEED_KEY;
    putFeed.run(randomBytes(8).toString("hex"), firstKey, PARTITIONS);
    for (let key = firstKey; key < firstKey + PARTITIONS; key += 1) insertLane.run(key);
  };
  const switchOff = ({ feedId, firstKey, lastKey }: FeedKeys): void => {
    putFeed.run(feedId, firstKey, 0);
    for (const change of [rememberRemoved, removeLanes, removeConsumers]) change.run(firstKey, lastKey);
  };

  return {
    switchFeed(isOn, hasAudit) {
      const feed = findFeed();
      if (isOn && !feed) switchOn();
      if (!isOn && feed) switchOff(feed);
      if (hasAudit !== undefined) setAudit.run(hasAudit ? 1 : 0);
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
  /** The position is that of the consumer ?1, if there is one. */
  const selectEnds = db.prepare(`
    SELECT l.last_update_id AS head, ifnull(
      (SELECT e.number FROM entries e WHERE e.log_key = l.bot_key ORDER BY e.number LIMIT 1),
      l.last_update_id + 1) AS tail,
      (SELECT c.position FROM consumers c WHERE c.bot_key = l.bot_key AND c.name = ?1) AS position
    FROM lanes l WHERE l.bot_key BETWEEN ?2 AND ?3 ORDER BY l.bot_key`);
  const selectNext = db.prepare(`
    SELECT number, event_key AS eventKey FROM entries
    WHERE log_key = ? AND number > ? ORDER BY number LIMIT +?`);
  /** Only an event of the feed alone, whose subject is a log, names its owner itself: in a channel the column has whose bot acted. */
  const selectEvent = db.prepare(`
    SELECT p.id, p.event_type AS eventType, p.payload, octet_length(p.payload) AS size, p.created_at AS createdAt,
      c.id AS channelId, c.external_id AS externalId,
      ifnull(c.owner_user_id, CASE WHEN p.subject_key < 0 THEN nullif(p.owner_user_id, '') END) AS ownerUserId, p.acted_by AS actedBy,
      (SELECT b.id FROM bots b WHERE b.bot_key = p.author_key) AS botId
    FROM events p LEFT JOIN channels c ON c.channel_key = p.channel_key WHERE p.event_key = ?`);

  /**
   * An event's rank is its key, since keys rise in the order of appending. In a log copied from PostgreSQL they do not
   * always, so the rank is the highest key up to the event in its log.
   */
  const candidatesOf = (feed: FeedKeys, positions: readonly number[], limit: number): Candidate[] =>
    positions
      .flatMap((position, partition) => {
        const next = selectNext.all(feed.firstKey + partition, position, limit) as Pick<
          Candidate,
          "number" | "eventKey"
        >[];
        let age = 0;
        return next.map(({ number, eventKey }): Candidate => {
          age = Math.max(age, eventKey);
          return { partition, number, eventKey, age };
        });
      })
      .toSorted((a, b) => a.age - b.age || a.partition - b.partition || a.number - b.number)
      .slice(0, limit);

  return (from, limit, maxBytes) => {
    const feed = findFeed();
    if (!feed) return undefined;
    const [name, given] = "consumer" in from ? [from.consumer, []] : [null, from];
    const ends = selectEnds.all(name, feed.firstKey, feed.lastKey) as End[];
    if (name !== null && ends[0]?.position === null) return undefined;
    const positions = ends.map(({ position }, partition) => position ?? given[partition] ?? 0);
    const candidates = candidatesOf(feed, positions, limit);
    const items: FeedEvent[] = [];
    let bytes = 0;
    for (const { partition, number, eventKey } of candidates) {
      const { size, ...row } = selectEvent.get(eventKey) as FeedEventRow & { size: number };
      if (items.length > 0 && bytes + size > maxBytes) break;
      bytes += size;
      items.push(feedEventOf({ ...row, partition, number }));
    }
    const heads = ends.map(({ head }) => head);
    const tails = ends.map(({ tail }) => tail);
    const isCut = items.length < candidates.length;
    return { feedId: feed.feedId, heads, tails, positions, items, bytes, isCut };
  };
}

/** @returns finds the feed; undefined while it is off */
export function feedFinder(db: Database): () => FeedKeys | undefined {
  const select = db.prepare(
    "SELECT feed_id AS feedId, first_key AS firstKey, first_key + partitions - 1 AS lastKey, partitions FROM feed WHERE id = 1 AND partitions > 0",
  );
  return () => select.get() as FeedKeys | undefined;
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
