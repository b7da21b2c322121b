import { MENTIONS_ONLY, OTHERS_ONLY } from "../../../domain/events/subscription.js";
import { FEED, FIRST_FEED_KEY } from "../../parts/feed-store.js";
import type { LogHead } from "../../store.js";
import type { Database } from "../binding.js";
import { furtherLanes } from "../lanes/further-lanes.js";

/** Stored posts of one channel, with consecutive keys, to be appended to the logs of its bots. */
export interface StoredPosts {
  channelKey: number;
  firstKey: number;
  lastKey: number;
  lastPostAt: number;
  /** For each post the bot that published it; null for an owner. */
  authorKeys: readonly (number | null)[];
  /** For each post the usernames that it mentions, separated by spaces; undefined when no post mentions any. */
  mentions: readonly (string | null)[] | undefined;
}

/** A log that grew, and by how many updates. */
export type GrownLog = LogHead & { updateCount: number };

interface Lane {
  botKey: number;
  botId: string;
  lastUpdateId: number;
  isOpen: 0 | 1;
  dueAt: number | null;
  restingUntil: number;
}

type AttachedLane = Lane & { postFilter: number };

/** The id is null for a log of the feed. */
type AdvancedLane = Pick<Lane, "botKey" | "lastUpdateId" | "isOpen"> & { botId: string | null };

const LANE = `l.bot_key AS botKey, b.id AS botId, l.last_update_id AS lastUpdateId, l.is_open AS isOpen, l.due_at AS dueAt,
  l.resting_until AS restingUntil`;

/** The bots of the channel ?3 that hear every post, or every one by others. */
const HEAR_POSTS = `
  SELECT a.bot_key FROM attachments a INDEXED BY attachments_by_filter
  WHERE a.channel_key = ?3 AND a.post_filter < ${MENTIONS_ONLY} AND a.bot_key < ${FIRST_FEED_KEY}`;
/** The same without the bots of the JSON array ?4. */
const HEAR_POSTS_BUT_THESE = `${HEAR_POSTS} AND a.bot_key NOT IN (SELECT value FROM json_each(?4))`;
/** The bots of the JSON array ?3. */
const THESE = "SELECT value AS bot_key FROM json_each(?3)";

/**
 * Appends posts of a channel to the logs of the bots that hear them, and wakes their lanes.
 *
 * For a channel with one bot, plain statements change its row, which saves the thread a tenth of its work for such a
 * post. With more bots, two statements change the rows of all bots, which costs half as much for each.
 */
export function logAppender(db: Database): (posts: StoredPosts) => GrownLog[] {
  const selectTwoLanes = db.prepare(`
    SELECT ${LANE}, a.post_filter AS postFilter
    FROM attachments a INDEXED BY attachments_by_filter CROSS JOIN lanes l USING (bot_key) CROSS JOIN bots b USING (bot_key)
    WHERE a.channel_key = ? AND a.post_filter < ${MENTIONS_ONLY} LIMIT 2`);
  const selectFilter = db.prepare(`
    SELECT post_filter AS postFilter FROM attachments WHERE channel_key = ? AND bot_key = ?`);
  const selectAnyByMention = db.prepare(`
    SELECT 1 FROM attachments INDEXED BY attachments_by_filter
    WHERE channel_key = ? AND post_filter BETWEEN ${MENTIONS_ONLY} AND ${MENTIONS_ONLY | OTHERS_ONLY} LIMIT 1`);
  const selectMentioned = db.prepare(`
    SELECT a.bot_key AS botKey, a.post_filter AS postFilter
    FROM json_each(?1) m CROSS JOIN bots b ON b.username = m.value
    CROSS JOIN attachments a ON a.channel_key = ?2 AND a.bot_key = b.bot_key
    WHERE a.post_filter BETWEEN ${MENTIONS_ONLY} AND ${MENTIONS_ONLY | OTHERS_ONLY}`);
  const toLane = laneAppender(db);
  const toAll = setAppender(db, HEAR_POSTS);
  const toAllBut = setAppender(db, HEAR_POSTS_BUT_THESE);

  const keysOf = ({ firstKey, authorKeys }: StoredPosts, butOf?: number): number[] =>
    authorKeys.flatMap((author, index) =>
      butOf !== undefined && author === butOf ? [] : [firstKey + index],
    );

  /** Authors of these posts that do not hear their own posts. */
  const authorsExcludingOwnPosts = ({ channelKey, authorKeys }: StoredPosts): number[] =>
    [...new Set(authorKeys)].filter((author): author is number => {
      if (author === null) return false;
      const row = selectFilter.get(channelKey, author) as { postFilter: number } | undefined;
      return row?.postFilter === OTHERS_ONLY;
    });

  const toMany = (posts: StoredPosts): GrownLog[] => {
    const excluding = authorsExcludingOwnPosts(posts);
    if (excluding.length === 0) return toAll(posts, posts.channelKey);
    const others = toAllBut(posts, posts.channelKey, JSON.stringify(excluding));
    return others.concat(
      ...excluding.map((botKey) => toLane(botKey, keysOf(posts, botKey), posts.lastPostAt)),
    );
  };

  const toMentioned = (posts: StoredPosts, mentions: readonly (string | null)[]): GrownLog[] => {
    const { channelKey, firstKey, authorKeys, lastPostAt } = posts;
    if (!selectAnyByMention.get(channelKey)) return [];
    const keysByBot = new Map<number, number[]>();
    for (const [index, usernames] of mentions.entries()) {
      if (usernames === null) continue;
      const mentioned = selectMentioned.all(JSON.stringify(usernames.split(" ")), channelKey) as Pick<
        AttachedLane,
        "botKey" | "postFilter"
      >[];
      for (const { botKey, postFilter } of mentioned) {
        if (postFilter & OTHERS_ONLY && authorKeys[index] === botKey) continue;
        const keys = keysByBot.get(botKey);
        if (keys) keys.push(firstKey + index);
        else keysByBot.set(botKey, [firstKey + index]);
      }
    }
    return [...keysByBot].flatMap(([botKey, keys]) => toLane(botKey, keys, lastPostAt));
  };

  return (posts) => {
    const [lane, another] = selectTwoLanes.all(posts.channelKey) as AttachedLane[];
    let grown: GrownLog[] = [];
    if (another) {
      grown = toMany(posts);
    } else if (lane) {
      const keys = keysOf(posts, lane.postFilter === OTHERS_ONLY ? lane.botKey : undefined);
      grown = toLane(lane, keys, posts.lastPostAt);
    }
    return posts.mentions ? grown.concat(toMentioned(posts, posts.mentions)) : grown;
  };
}

/** Appends one event to the logs of these bots, and of the feed. */
export function eventAppender(db: Database) {
  const toThese = setAppender(db, THESE);
  return (eventKey: number, createdAt: number, botKeys: readonly number[]): LogHead[] =>
    botKeys.length === 0
      ? []
      : toThese({ firstKey: eventKey, lastKey: eventKey, lastPostAt: createdAt }, JSON.stringify(botKeys));
}

function laneAppender(db: Database) {
  const selectLane = db.prepare(
    `SELECT ${LANE} FROM lanes l JOIN bots b USING (bot_key) WHERE l.bot_key = ?`,
  );
  const insertEntry = db.prepare("INSERT INTO entries (log_key, number, event_key) VALUES (?, ?, ?)");
  const advanceLane = db.prepare(`
    UPDATE lanes SET last_update_id = ?1, last_update_at = max(ifnull(last_update_at, 0), ?2) WHERE bot_key = ?3`);
  const wakeLane = db.prepare("UPDATE lanes SET due_at = ? WHERE bot_key = ?");
  const further = furtherLanes(db);

  return (bot: Lane | number, keys: readonly number[], lastPostAt: number): GrownLog[] => {
    const lane = typeof bot === "number" ? (selectLane.get(bot) as Lane | undefined) : bot;
    if (!lane || keys.length === 0) return [];
    const { botKey, botId, isOpen, dueAt, restingUntil } = lane;
    let { lastUpdateId } = lane;
    for (const key of keys) insertEntry.run(botKey, ++lastUpdateId, key);
    advanceLane.run(lastUpdateId, lastPostAt, botKey);
    const sendableAt = Math.max(lastPostAt, restingUntil);
    // A held lane stays due, so its index entry need not change.
    if (isOpen && (dueAt === null || dueAt > sendableAt)) wakeLane.run(sendableAt, botKey);
    const isFurtherClaimable = further.wake(botKey, lastPostAt);
    const head = { botId, lastUpdateId, isClaimable: isOpen === 1, updateCount: keys.length };
    return [isFurtherClaimable === undefined ? head : { ...head, isFurtherClaimable }];
  };
}

/**
 * Appends the same events to the logs of many bots.
 *
 * @param bots SQL that selects their keys, with parameters from ?3 on
 */
function setAppender(db: Database, bots: string) {
  const further = furtherLanes(db);
  const advanceLanes = db.prepare(`
    UPDATE lanes SET
      last_update_id = last_update_id + ?1,
      last_update_at = max(ifnull(last_update_at, 0), ?2),
      due_at = CASE WHEN is_open THEN min(ifnull(due_at, max(?2, resting_until)), max(?2, resting_until)) END
    WHERE bot_key IN (${bots})
    RETURNING bot_key AS botKey, last_update_id AS lastUpdateId, is_open AS isOpen,
      (SELECT id FROM destinations WHERE destination_key = lanes.bot_key) AS botId`);
  const insertEntries = db.prepare(`
    INSERT INTO entries (log_key, number, event_key)
    SELECT h.bot_key, l.last_update_id - (?2 - p.event_key), p.event_key
    FROM (${bots}) h CROSS JOIN lanes l ON l.bot_key = h.bot_key CROSS JOIN events p
    WHERE p.event_key BETWEEN ?1 AND ?2`);

  return (
    { firstKey, lastKey, lastPostAt }: Pick<StoredPosts, "firstKey" | "lastKey" | "lastPostAt">,
    ...botsParameters: (string | number)[]
  ): GrownLog[] => {
    const updateCount = lastKey - firstKey + 1;
    const advanced = advanceLanes.all(updateCount, lastPostAt, ...botsParameters) as AdvancedLane[];
    insertEntries.run(firstKey, lastKey, ...botsParameters);
    return advanced.map(({ botKey, botId, lastUpdateId, isOpen }) => {
      const head = { botId: botId ?? FEED, lastUpdateId, isClaimable: isOpen === 1, updateCount };
      const isFurtherClaimable = further.wake(botKey, lastPostAt);
      return isFurtherClaimable === undefined ? head : { ...head, isFurtherClaimable };
    });
  };
}
