import type { PostOrigin } from "../../../domain/events/bot-loop.js";
import { READ_ONLY_ROLE } from "../../../domain/events/channel.js";
import { POST_CREATED, type StoredEvent } from "../../../domain/events/event.js";
import { decodePost, type Post } from "../../../domain/events/post.js";
import { NO_NEW_POSTS } from "../../../domain/events/subscription.js";
import { AFTER_ALL_IDS } from "../../../domain/ids.js";
import { byChannel, type PostColumns } from "../../shared/post-columns.js";
import { type MembershipRow, membershipOf } from "../../shared/rows/membership-row.js";
import type { PostReader } from "../../store.js";
import type { Database } from "../binding.js";
import { feedAppender } from "../feed/feed-log.js";
import { sliceReader } from "../logs/slices.js";
import type { AppendedPosts, Verbs } from "../verbs.js";
import { idempotencyKeys } from "./idempotency-keys.js";
import { type GrownLog, logAppender, type StoredPosts } from "./log-appender.js";

type PostVerbs = Pick<Verbs, "appendPosts" | "findPost" | "findMembership" | "listPosts" | "listPostOrigins">;

interface Publisher extends MembershipRow {
  channelKey: number;
  /** Null for an owner. */
  botKey: number | null;
  /** The owner of a bot in a channel of another owner, else null: what it writes there is erased with its owner. */
  awayFrom: string | null;
}

interface PostRow {
  payload: string;
  createdAt: number;
  revision: number | null;
  editedAt: number | null;
}

/** Stands for a channel's key when a log got posts of several channels. */
const OF_SEVERAL = 0;

/** The newest revision of a post `p`, of which `e` is the row of edited_posts. */
const POST = `ifnull(e.payload, p.payload) AS payload, p.created_at AS createdAt, e.revision, e.edited_at AS editedAt`;

/** The owner of a bot `b` that is in the channel `c` of another owner. */
export const AWAY_FROM = "nullif(b.owner_user_id, c.owner_user_id) AS awayFrom";

export function postVerbs(db: Database): PostVerbs {
  const selectHeldChannel = db.prepare(`
    SELECT channel_key AS channelKey, NULL AS botKey, NULL AS role, NULL AS attachedAt, NULL AS awayFrom
    FROM channels WHERE id = ? AND owner_user_id = ?`);
  const selectAttachedChannel = db.prepare(`
    SELECT c.channel_key AS channelKey, b.bot_key AS botKey, a.role, a.attached_at AS attachedAt, ${AWAY_FROM}
    FROM channels c JOIN attachments a USING (channel_key) JOIN bots b USING (bot_key)
    WHERE c.id = ?1 AND b.id = ?2 AND b.disabled_at IS NULL AND b.token_hash = ifnull(?3, b.token_hash)`);
  const selectMembership = db.prepare(`
    SELECT a.role, a.attached_at AS attachedAt
    FROM channels c JOIN attachments a USING (channel_key) JOIN bots b USING (bot_key) WHERE c.id = ? AND b.id = ?`);
  const insertPost = db.prepare(
    "INSERT INTO events (id, channel_key, created_at, payload, author_key, acted_by, cause, owner_user_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
  );
  const appendToLogs = logAppender(db);
  const appendToFeed = feedAppender(db);
  const keys = idempotencyKeys(db);
  const selectChannelKey = db.prepare("SELECT channel_key AS channelKey FROM channels WHERE id = ?");
  const selectPostId = db.prepare(
    "SELECT id FROM events WHERE channel_key = ? AND is_listed IN (0, 1) AND id = ?",
  );
  const selectPost = db.prepare(`
    SELECT ${POST}, p.author_key AS authorKey
    FROM events p LEFT JOIN edited_posts e USING (event_key) WHERE p.channel_key = ? AND p.is_listed = 1 AND p.id = ?`);
  const selectOrigins = db.prepare(`
    SELECT p.created_at AS createdAt, (SELECT b.id FROM bots b WHERE b.bot_key = p.author_key) AS botId,
      p.author_key IS NULL OR (
        SELECT a.post_filter < ${NO_NEW_POSTS} FROM attachments a
        WHERE a.channel_key = p.channel_key AND a.bot_key = p.author_key) AS isCounted
    FROM events p WHERE p.channel_key = (SELECT channel_key FROM channels WHERE id = ?) AND p.is_listed = 1 ORDER BY p.id DESC LIMIT +?`);
  const readPosts = sliceReader(
    db,
    POST,
    `FROM events p LEFT JOIN edited_posts e USING (event_key)
    WHERE p.channel_key = ? AND p.is_listed = 1 AND p.id < ? ORDER BY p.id DESC LIMIT +?`,
    "ifnull(e.payload, p.payload)",
  );
  const readOldest = sliceReader(
    db,
    POST,
    `FROM events p LEFT JOIN edited_posts e USING (event_key)
    WHERE p.channel_key = ? AND p.is_listed = 1 AND p.id > ? ORDER BY p.id LIMIT +?`,
    "ifnull(e.payload, p.payload)",
  );

  /** The publisher with its channel and role, if it holds the channel or is attached to it. */
  const findPublisher = (posts: PostColumns, publisher: number): Publisher | undefined => {
    const channelId = posts.channelIds[publisher] as string;
    const botId = posts.botIds[publisher] ?? null;
    const row =
      botId === null
        ? selectHeldChannel.get(channelId, posts.ownerUserIds[publisher] ?? null)
        : selectAttachedChannel.get(channelId, botId, posts.tokenHashes[publisher] ?? null);
    return row as Publisher | undefined;
  };

  /** The event that was stored earlier under a post's idempotency key. A new key is stored. */
  const findEarlier = (
    posts: PostColumns,
    index: number,
    { channelKey, botKey }: Publisher,
    underWay: Map<string, StoredEvent>,
  ) => {
    const key = posts.idempotencyKeys?.[index] ?? null;
    if (key === null) return undefined;
    const ownerUserId = posts.ownerUserIds[posts.publisherOf[index] as number] ?? null;
    const author = botKey === null ? { ownerUserId: ownerUserId as string } : { botKey };
    const id = posts.ids[index] as string;
    const payload = posts.payloads[index] as string;
    const createdAt = posts.createdAts[index] as number;
    const event = { id, eventType: POST_CREATED, payload, createdAt };
    return keys.use({ targetKey: channelKey, author, key }, event, underWay);
  };

  /** Stores all posts of a channel one after the other, so that their keys are consecutive. */
  const storeIn = (
    channelKey: number,
    indexes: readonly number[],
    { ids, createdAts, payloads, mentions, publisherOf, actors, causes }: PostColumns,
    publishers: readonly (Publisher | undefined)[],
  ): StoredPosts => {
    let lastKey = 0;
    let lastPostAt = 0;
    const authors = indexes.map((index) => publishers[publisherOf[index] as number]);
    for (const [n, index] of indexes.entries()) {
      const createdAt = createdAts[index] as number;
      const { lastInsertRowid } = insertPost.run(
        ids[index] as string,
        channelKey,
        createdAt,
        payloads[index] as string,
        authors[n]?.botKey ?? null,
        actors[publisherOf[index] as number] as number,
        causes?.[index] ?? null,
        authors[n]?.awayFrom ?? null,
      );
      lastKey = Number(lastInsertRowid);
      lastPostAt = Math.max(lastPostAt, createdAt);
    }
    return {
      channelKey,
      firstKey: lastKey - indexes.length + 1,
      lastKey,
      lastPostAt,
      authorKeys: authors.map((author) => author?.botKey ?? null),
      mentions: mentions && indexes.map((index) => mentions[index] ?? null),
    };
  };

  return {
    /** The posts of one channel are appended to its bots' logs together: a busy channel costs each lane one write. */
    appendPosts(posts) {
      const publishers = posts.channelIds.map((_, publisher) => findPublisher(posts, publisher));
      const earlier = new Map<number, StoredEvent>();
      const readOnly = new Set<number>();
      const underWay = new Map<string, StoredEvent>();
      const channelKeys = posts.publisherOf.map((number, index) => {
        const publisher = publishers[number];
        if (publisher?.role === READ_ONLY_ROLE) {
          readOnly.add(index);
          return null;
        }
        const stored = publisher && posts.idempotencyKeys && findEarlier(posts, index, publisher, underWay);
        if (stored) earlier.set(index, stored);
        return stored ? null : (publisher?.channelKey ?? null);
      });
      const appended: AppendedPosts = {
        channelKeys,
        ...(earlier.size > 0 && { earlier }),
        ...(readOnly.size > 0 && { readOnly }),
        sourceKeys: [],
        botIds: [],
        lastUpdateIds: [],
        updateCounts: [],
        areClaimable: [],
      };
      const addLog = (channelKey: number, log: GrownLog): void => {
        appended.sourceKeys.push(channelKey);
        appended.botIds.push(log.botId);
        appended.lastUpdateIds.push(log.lastUpdateId);
        appended.updateCounts.push(log.updateCount);
        appended.areClaimable.push(log.isClaimable);
        if (log.isFurtherClaimable === undefined) return;
        appended.areFurtherClaimable ??= new Map();
        appended.areFurtherClaimable.set(appended.areClaimable.length - 1, log.isFurtherClaimable);
      };
      const stored = [...byChannel(channelKeys.keys(), channelKeys)].map(([channelKey, indexes]) => {
        const one = storeIn(channelKey, indexes, posts, publishers);
        for (const log of appendToLogs(one)) addLog(channelKey, log);
        return one;
      });
      for (const log of appendToFeed(stored)) addLog(OF_SEVERAL, log);
      return appended;
    },

    findPost(reader, channelId, postId) {
      const publisher = findReader(reader, channelId);
      if (!publisher) return "no channel";
      const row = selectPost.get(publisher.channelKey, postId) as
        | (PostRow & { authorKey: number | null })
        | undefined;
      if (!row) return undefined;
      const isOwn = publisher.botKey !== null && publisher.botKey === row.authorKey;
      const membership = membershipOf(publisher);
      return { post: toPost(row), isOwn, ...(membership && { membership }) };
    },

    findMembership(botId, channelId) {
      const found = selectMembership.get(channelId, botId) as MembershipRow | undefined;
      return found && membershipOf(found);
    },

    listPosts(channelId, limit, from = AFTER_ALL_IDS, maxBytes) {
      const channel = selectChannelKey.get(channelId) as { channelKey: number } | undefined;
      if (!channel) return { items: [], bytes: 0, isCut: false };
      const { channelKey } = channel;
      if (typeof from === "string" && from !== AFTER_ALL_IDS && !selectPostId.get(channelKey, from))
        return undefined;
      const { items, ...slice } =
        typeof from === "string"
          ? readPosts(maxBytes, channelKey, from, limit)
          : readOldest(maxBytes, channelKey, from.after ?? "", limit);
      return { ...slice, items: (items as PostRow[]).map(toPost) };
    },

    listPostOrigins(channelId, limit) {
      const rows = selectOrigins.all(channelId, limit) as (PostOrigin & { isCounted: 0 | 1 | null })[];
      return rows.filter(({ isCounted }) => isCounted).map(({ botId, createdAt }) => ({ botId, createdAt }));
    },
  };

  function findReader(reader: PostReader, channelId: string): Publisher | undefined {
    const row =
      "botId" in reader
        ? selectAttachedChannel.get(channelId, reader.botId, null)
        : selectHeldChannel.get(channelId, reader.ownerUserId);
    return row as Publisher | undefined;
  }
}

function toPost({ payload, createdAt, revision, editedAt }: PostRow): Post {
  return decodePost(payload, createdAt, revision ?? 1, editedAt ?? undefined);
}
