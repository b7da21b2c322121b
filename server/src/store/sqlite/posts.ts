import { decodePost } from "../../domain/post.js";
import type { LogHead, PostToAppend } from "../store.js";
import type { Database } from "./binding.js";
import type { Verbs } from "./verbs.js";

type PostVerbs = Pick<Verbs, "appendPosts" | "listPosts">;

const AFTER_ALL_IDS = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** What the posts of one call add to one channel. */
interface ChannelBatch {
  channelKey: number;
  postKeys: number[];
  lastPostAt: number;
}

export function postVerbs(db: Database): PostVerbs {
  const selectHeldChannel = db.prepare(`
    SELECT channel_key AS channelKey FROM channels WHERE id = ? AND owner_user_id = ?`);
  const selectAttachedChannel = db.prepare(`
    SELECT c.channel_key AS channelKey
    FROM channels c JOIN attachments a USING (channel_key) JOIN bots b USING (bot_key)
    WHERE c.id = ? AND b.id = ? AND b.disabled_at IS NULL`);
  const insertPost = db.prepare(
    "INSERT INTO posts (id, channel_key, created_at, payload) VALUES (?, ?, ?, ?)",
  );
  const advanceLanes = db.prepare(`
    UPDATE lanes SET
      last_update_id = last_update_id + ?1,
      last_update_at = max(ifnull(last_update_at, 0), ?2),
      due_at = CASE WHEN is_open THEN min(ifnull(due_at, max(?2, resting_until)), max(?2, resting_until)) END
    WHERE bot_key IN (SELECT bot_key FROM attachments WHERE channel_key = ?3)
    RETURNING last_update_id AS lastUpdateId, (SELECT id FROM bots b WHERE b.bot_key = lanes.bot_key) AS botId`);
  const insertUpdates = db.prepare(`
    INSERT INTO updates (bot_key, update_id, post_key)
    SELECT a.bot_key, l.last_update_id - ?, ? FROM attachments a JOIN lanes l USING (bot_key) WHERE a.channel_key = ?`);
  const selectChannelKey = db.prepare("SELECT channel_key AS channelKey FROM channels WHERE id = ?");
  const selectPost = db.prepare("SELECT id FROM posts WHERE channel_key = ? AND id = ?");
  const selectPosts = db.prepare(`
    SELECT payload, created_at AS createdAt FROM posts
    WHERE channel_key = ? AND id < ? ORDER BY id DESC LIMIT ?`);

  const findPublishable = ({ channelId, author }: PostToAppend): number | undefined => {
    const row =
      "botId" in author
        ? selectAttachedChannel.get(channelId, author.botId)
        : selectHeldChannel.get(channelId, author.ownerUserId);
    return (row as { channelKey: number } | undefined)?.channelKey;
  };

  return {
    /** The posts of one channel are appended to its bots' logs together: a busy channel costs each lane one write. */
    appendPosts(posts) {
      const batches = new Map<number, ChannelBatch>();
      const publishable = new Map<string, number | undefined>();
      const stored = posts.map((post) => {
        const channelKey = lookUpOnce(publishable, `${post.channelId} ${authorKey(post)}`, () =>
          findPublishable(post),
        );
        if (channelKey === undefined) return false;
        const { lastInsertRowid } = insertPost.run(post.id, channelKey, post.createdAt, post.payload);
        const batch = batches.get(channelKey) ?? { channelKey, postKeys: [], lastPostAt: 0 };
        batch.postKeys.push(Number(lastInsertRowid));
        batch.lastPostAt = Math.max(batch.lastPostAt, post.createdAt);
        batches.set(channelKey, batch);
        return true;
      });

      const heads: LogHead[] = [];
      for (const { channelKey, postKeys, lastPostAt } of batches.values()) {
        const advanced = advanceLanes.all(postKeys.length, lastPostAt, channelKey) as LogHead[];
        if (advanced.length === 0) continue;
        for (const [index, postKey] of postKeys.entries()) {
          insertUpdates.run(postKeys.length - 1 - index, postKey, channelKey);
        }
        heads.push(...advanced);
      }
      return { stored, heads };
    },

    listPosts(channelId, limit, before = AFTER_ALL_IDS) {
      const channel = selectChannelKey.get(channelId) as { channelKey: number } | undefined;
      if (!channel) return [];
      if (before !== AFTER_ALL_IDS && !selectPost.get(channel.channelKey, before)) return undefined;
      const rows = selectPosts.all(channel.channelKey, before, limit) as {
        payload: string;
        createdAt: number;
      }[];
      return rows.map((row) => decodePost(row.payload, row.createdAt));
    },
  };
}

const authorKey = ({ author }: PostToAppend): string =>
  "botId" in author ? `bot ${author.botId}` : `owner ${author.ownerUserId}`;

function lookUpOnce<Key, Value>(known: Map<Key, Value>, key: Key, lookUp: () => Value): Value {
  if (!known.has(key)) known.set(key, lookUp());
  return known.get(key) as Value;
}
