import { decodePost } from "../../domain/post.js";
import { byChannel, type PostColumns } from "../post-columns.js";
import type { LogHead } from "../store.js";
import type { Database } from "./binding.js";
import { logAppender } from "./log-appender.js";
import { sliceReader } from "./slices.js";
import type { Appended, Verbs } from "./verbs.js";

type PostVerbs = Pick<Verbs, "appendPosts" | "listPosts">;

const AFTER_ALL_IDS = "ffffffff-ffff-ffff-ffff-ffffffffffff";

export function postVerbs(db: Database): PostVerbs {
  const selectHeldChannel = db.prepare(`
    SELECT channel_key AS channelKey FROM channels WHERE id = ? AND owner_user_id = ?`);
  const selectAttachedChannel = db.prepare(`
    SELECT c.channel_key AS channelKey
    FROM channels c JOIN attachments a USING (channel_key) JOIN bots b USING (bot_key)
    WHERE c.id = ?1 AND b.id = ?2 AND b.disabled_at IS NULL AND b.token_hash = ifnull(?3, b.token_hash)`);
  const insertPost = db.prepare(
    "INSERT INTO posts (id, channel_key, created_at, payload) VALUES (?, ?, ?, ?)",
  );
  const appendToLogs = logAppender(db);
  const selectChannelKey = db.prepare("SELECT channel_key AS channelKey FROM channels WHERE id = ?");
  const selectPost = db.prepare("SELECT id FROM posts WHERE channel_key = ? AND id = ?");
  const readPosts = sliceReader(
    db,
    "p.payload, p.created_at AS createdAt",
    "FROM posts p WHERE p.channel_key = ? AND p.id < ? ORDER BY p.id DESC LIMIT +?",
  );

  /** The key of the channel, if the publisher may post there. */
  const findPublishable = (posts: PostColumns, publisher: number): number | null => {
    const channelId = posts.channelIds[publisher] as string;
    const botId = posts.botIds[publisher] ?? null;
    const row =
      botId === null
        ? selectHeldChannel.get(channelId, posts.ownerUserIds[publisher] ?? null)
        : selectAttachedChannel.get(channelId, botId, posts.tokenHashes[publisher] ?? null);
    return (row as { channelKey: number } | undefined)?.channelKey ?? null;
  };

  /** All posts of a channel one after the other, so that their keys have no gap. */
  const appendTo = (
    channelKey: number,
    indexes: readonly number[],
    { ids, createdAts, payloads }: PostColumns,
  ): LogHead[] => {
    let lastKey = 0;
    let lastPostAt = 0;
    for (const index of indexes) {
      const createdAt = createdAts[index] as number;
      const { lastInsertRowid } = insertPost.run(
        ids[index] as string,
        channelKey,
        createdAt,
        payloads[index] as string,
      );
      lastKey = Number(lastInsertRowid);
      lastPostAt = Math.max(lastPostAt, createdAt);
    }
    return appendToLogs(channelKey, lastKey - indexes.length + 1, lastKey, lastPostAt);
  };

  return {
    /** The posts of one channel are appended to its bots' logs together: a busy channel costs each lane one write. */
    appendPosts(posts) {
      const channelKeyOf = posts.channelIds.map((_, publisher) => findPublishable(posts, publisher));
      const channelKeys = posts.publisherOf.map((publisher) => channelKeyOf[publisher] ?? null);
      const appended: Appended = {
        channelKeys,
        sourceKeys: [],
        botIds: [],
        lastUpdateIds: [],
        areClaimable: [],
      };
      for (const [channelKey, indexes] of byChannel(channelKeys.keys(), channelKeys)) {
        for (const { botId, lastUpdateId, isClaimable } of appendTo(channelKey, indexes, posts)) {
          appended.sourceKeys.push(channelKey);
          appended.botIds.push(botId);
          appended.lastUpdateIds.push(lastUpdateId);
          appended.areClaimable.push(isClaimable);
        }
      }
      return appended;
    },

    listPosts(channelId, limit, before = AFTER_ALL_IDS, maxBytes) {
      const channel = selectChannelKey.get(channelId) as { channelKey: number } | undefined;
      if (!channel) return { items: [], bytes: 0, isCut: false };
      if (before !== AFTER_ALL_IDS && !selectPost.get(channel.channelKey, before)) return undefined;
      const { items, ...slice } = readPosts(maxBytes, channel.channelKey, before, limit);
      const rows = items as { payload: string; createdAt: number }[];
      return { ...slice, items: rows.map((row) => decodePost(row.payload, row.createdAt)) };
    },
  };
}
