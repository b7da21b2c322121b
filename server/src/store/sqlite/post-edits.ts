import { POST_DELETED, POST_EDITED } from "../../domain/event.js";
import { channelOf, erasePayload } from "../../domain/post.js";
import type { Database } from "./binding.js";
import { eventWriter } from "./channel-events.js";
import { sweepPosition } from "./event-sweep.js";
import { listeners } from "./listeners.js";
import type { EventVerbs } from "./verbs.js";

type PostEditVerbs = Pick<EventVerbs, "editPost" | "deletePost" | "erasePosts">;

/** Edits of a post that are erased in the call that deletes it. */
const EDITS_ERASED_AT_ONCE = 500;

interface StoredPost {
  postKey: number;
  channelKey: number;
  payload: string;
}

interface ErasedRow extends Pick<StoredPost, "postKey" | "payload"> {
  eventType?: string | null;
}

export function postEditVerbs(db: Database): PostEditVerbs {
  const selectPost = db.prepare(`
    SELECT p.post_key AS postKey, p.channel_key AS channelKey, p.payload
    FROM channels c JOIN posts p USING (channel_key) WHERE c.id = ? AND p.id = ?`);
  const selectRevision = db.prepare("SELECT revision FROM edited_posts WHERE post_key = ?");
  const putRevision = db.prepare(`
    INSERT OR REPLACE INTO edited_posts (post_key, revision, edited_at, payload) VALUES (?, ?, ?, ?)`);
  const removeRevision = db.prepare("DELETE FROM edited_posts WHERE post_key = ?");
  const selectBotKey = db.prepare("SELECT bot_key AS key FROM bots WHERE id = ?");
  const takeOut = db.prepare("UPDATE posts SET channel_key = -channel_key, payload = ? WHERE post_key = ?");
  const selectEdits = db.prepare(`
    SELECT post_key AS postKey, payload FROM posts WHERE subject_key = ? ORDER BY post_key DESC LIMIT +?`);
  /** Clears `subject_key`, so that an erased edit is not found again. */
  const eraseEdit = db.prepare("UPDATE posts SET payload = ?, subject_key = NULL WHERE post_key = ?");
  const rememberPost = db.prepare("INSERT OR IGNORE INTO erased_posts (post_key) VALUES (?)");
  const selectErasedPost = db.prepare("SELECT post_key AS postKey FROM erased_posts LIMIT 1");
  const forgetPost = db.prepare("DELETE FROM erased_posts WHERE post_key = ?");
  const selectRemovedChannel = db.prepare("SELECT channel_key AS channelKey FROM removed_channels LIMIT 1");
  const selectOfChannel = db.prepare(`
    SELECT post_key AS postKey, payload, event_type AS eventType FROM posts WHERE channel_key IN (?1, -?1) LIMIT +?2`);
  const eraseOfChannel = db.prepare(`
    UPDATE posts SET payload = ?, channel_key = 0, subject_key = NULL WHERE post_key = ?`);
  const removeEvent = db.prepare("DELETE FROM posts WHERE post_key = ?");
  const removeKeys = db.prepare(`
    DELETE FROM idempotency_keys WHERE (target_key, author, key) IN (
      SELECT target_key, author, key FROM idempotency_keys WHERE target_key = ? ORDER BY target_key, author, key LIMIT +?)`);
  const sweptThrough = sweepPosition(db);
  const forgetChannel = db.prepare("DELETE FROM removed_channels WHERE channel_key = ?");
  const { ofChange } = listeners(db);
  const writeEvent = eventWriter(db);

  const findPost = (channelId: string, postId: string) =>
    selectPost.get(channelId, postId) as StoredPost | undefined;

  const keyOfBot = (botId: string | undefined): number | undefined =>
    botId === undefined ? undefined : (selectBotKey.get(botId) as { key: number } | undefined)?.key;

  /** @returns whether there may be more */
  const eraseEdits = (postKey: number, limit: number): boolean => {
    const edits = selectEdits.all(postKey, limit) as ErasedRow[];
    for (const edit of edits) eraseEdit.run(erasePayload(edit.payload), edit.postKey);
    return edits.length === limit;
  };

  /** Below the position of the sweep no log points at an event, and the sweep does not return. */
  const removeIfSwept = (postKey: number): void => {
    if (postKey <= sweptThrough("events")) removeEvent.run(postKey);
  };

  /** @returns whether there may be more */
  const eraseChannel = (channelKey: number, limit: number): { isMore: boolean; erasedId?: string } => {
    const events = selectOfChannel.all(channelKey, limit) as ErasedRow[];
    for (const { postKey, payload, eventType } of events) {
      eraseOfChannel.run(erasePayload(payload, eventType), postKey);
      removeRevision.run(postKey);
      removeIfSwept(postKey);
    }
    const isMore = events.length === limit || Number(removeKeys.run(channelKey, limit).changes) === limit;
    const channelId = channelOf(events);
    return { isMore, ...(channelId !== undefined && { erasedId: channelId }) };
  };

  return {
    editPost({ channelId, postId, replaces, payload, editedAt, event, mentions, editorBotId }) {
      const post = findPost(channelId, postId);
      if (!post) return { result: undefined, heads: [] };
      const { postKey, channelKey } = post;
      const newest = selectRevision.get(postKey) as { revision: number } | undefined;
      if ((newest?.revision ?? 1) !== replaces) return { result: "outdated", heads: [] };
      putRevision.run(postKey, replaces + 1, editedAt, payload);
      const editorKey = keyOfBot(editorBotId);
      const botKeys = ofChange(channelKey, POST_EDITED, mentions).filter((key) => key !== editorKey);
      // An edit that no bot hears is not stored as an event; only the post has it.
      const heads = botKeys.length > 0 ? writeEvent(event, { channelKey, subjectKey: postKey }, botKeys) : [];
      return { result: true, heads };
    },

    deletePost({ channelId, postId, event, mentions, editorBotId }) {
      const post = findPost(channelId, postId);
      if (!post) return { result: undefined, heads: [] };
      const { postKey, channelKey, payload } = post;
      takeOut.run(erasePayload(payload), postKey);
      removeRevision.run(postKey);
      const isMore = eraseEdits(postKey, EDITS_ERASED_AT_ONCE);
      if (isMore) rememberPost.run(postKey);
      else removeIfSwept(postKey);
      const editorKey = keyOfBot(editorBotId);
      const botKeys = ofChange(channelKey, POST_DELETED, mentions).filter((key) => key !== editorKey);
      const heads = botKeys.length > 0 ? writeEvent(event, { channelKey }, botKeys) : [];
      return { result: isMore, heads, erasedId: postId };
    },

    erasePosts(limit) {
      const post = selectErasedPost.get() as { postKey: number } | undefined;
      if (post) {
        if (eraseEdits(post.postKey, limit)) return { result: true, heads: [] };
        forgetPost.run(post.postKey);
        removeIfSwept(post.postKey);
        return { result: true, heads: [] };
      }
      const channel = selectRemovedChannel.get() as { channelKey: number } | undefined;
      if (!channel) return { result: false, heads: [] };
      const { isMore, ...erased } = eraseChannel(channel.channelKey, limit);
      if (!isMore) forgetChannel.run(channel.channelKey);
      return { result: true, heads: [], ...erased };
    },
  };
}
