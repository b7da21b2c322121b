import { POST_DELETED, POST_EDITED } from "../../../domain/events/event.js";
import { erasePayload } from "../../../domain/events/post.js";
import { changerOf } from "../../shared/change-keys.js";
import type { PostChange, PostDeletion, PostRevision } from "../../store.js";
import type { Database } from "../binding.js";
import { eventWriter } from "../channels/channel-events.js";
import { listeners } from "../channels/listeners.js";
import { editEraser } from "../upkeep/remains.js";
import type { EventVerbs } from "../verbs.js";
import { idempotencyKeys } from "./idempotency-keys.js";

type PostEditVerbs = Pick<EventVerbs, "editPost" | "deletePost">;

/** Edits of a post that are erased in the call that deletes it. */
const EDITS_ERASED_AT_ONCE = 500;

/** A bot that edits or deletes a post. */
interface Editor {
  key: number;
  ownerUserId: string;
}

interface StoredPost {
  postKey: number;
  channelKey: number;
  ownerUserId: string;
  payload: string;
}

export function postEditVerbs(db: Database): PostEditVerbs {
  const selectPost = db.prepare(`
    SELECT p.event_key AS postKey, p.channel_key AS channelKey, c.owner_user_id AS ownerUserId, p.payload
    FROM channels c JOIN events p USING (channel_key) WHERE c.id = ? AND p.is_listed = 1 AND p.id = ?`);
  const selectRevision = db.prepare("SELECT revision, payload FROM edited_posts WHERE event_key = ?");
  const putRevision = db.prepare(`
    INSERT INTO edited_posts (event_key, revision, edited_at, payload) VALUES (?, ?, ?, ?)
    ON CONFLICT (event_key) DO UPDATE SET revision = excluded.revision, edited_at = excluded.edited_at, payload = excluded.payload`);
  const removeRevision = db.prepare("DELETE FROM edited_posts WHERE event_key = ?");
  const selectBot = db.prepare("SELECT bot_key AS key, owner_user_id AS ownerUserId FROM bots WHERE id = ?");
  const takeOut = db.prepare(
    "UPDATE events SET is_listed = 0, payload = ?, cause = NULL WHERE event_key = ?",
  );
  const rememberPost = db.prepare("INSERT INTO erased_posts (event_key, owner_user_id) VALUES (?, ?)");
  const eraseEdits = editEraser(db);
  const { ofChange } = listeners(db);
  const writeEvent = eventWriter(db);
  const keys = idempotencyKeys(db);

  const findPost = (channelId: string, postId: string) =>
    selectPost.get(channelId, postId) as StoredPost | undefined;

  const findBot = (botId: string | undefined) =>
    botId === undefined ? undefined : (selectBot.get(botId) as Editor | undefined);

  /** @returns whether the change has a key */
  const keepKey = (
    { postId, event, idempotencyKey }: PostRevision | PostDeletion,
    change: PostChange,
    { channelKey, ownerUserId }: StoredPost,
    editorKey: number | undefined,
  ): boolean => {
    if (idempotencyKey === undefined) return false;
    const changer =
      editorKey === undefined
        ? `${changerOf(change, postId, "owner")} ${ownerUserId}`
        : `${changerOf(change, postId, "bot")} ${editorKey}`;
    keys.keep({ targetKey: channelKey, author: { changer }, key: idempotencyKey }, event);
    return true;
  };

  return {
    editPost(edit) {
      const { channelId, postId, replaces, payload, answered = "", editedAt, event } = edit;
      const { mentions, editorBotId, actor } = edit;
      const post = findPost(channelId, postId);
      if (!post) return { result: undefined, heads: [] };
      const { postKey, channelKey } = post;
      const edited = selectRevision.get(postKey) as { revision: number; payload: string } | undefined;
      const newest = edited ?? { revision: 1, payload: post.payload };
      if (newest.revision !== replaces || !newest.payload.includes(answered))
        return { result: "outdated", heads: [] };
      putRevision.run(postKey, replaces + 1, editedAt, payload);
      const editorKey = findBot(editorBotId)?.key;
      const botKeys = ofChange(channelKey, POST_EDITED, mentions).filter((key) => key !== editorKey);
      const isKeyed = keepKey(edit, "edit", post, editorKey);
      // An edit that no bot hears is not stored as an event, unless it has a key; only the post has it.
      const context = { channelKey, subjectKey: postKey, actor, actorKey: editorKey };
      const heads = isKeyed || botKeys.length > 0 ? writeEvent(event, context, botKeys) : [];
      return { result: true, heads };
    },

    deletePost(deletion) {
      const { channelId, postId, event, mentions, editorBotId, actor } = deletion;
      const post = findPost(channelId, postId);
      if (!post) return { result: undefined, heads: [] };
      const { postKey, channelKey, ownerUserId, payload } = post;
      takeOut.run(erasePayload(payload), postKey);
      removeRevision.run(postKey);
      const isMore = eraseEdits(postKey, EDITS_ERASED_AT_ONCE);
      if (isMore) rememberPost.run(postKey, ownerUserId);
      const editor = findBot(editorBotId);
      const editorKey = editor?.key;
      const botKeys = ofChange(channelKey, POST_DELETED, mentions).filter((key) => key !== editorKey);
      const isKeyed = keepKey(deletion, "deletion", post, editorKey);
      // In a channel of another owner the event has the bot's owner, with whom its cause is erased. Of a bot that is deleted by
      // now nothing would find the cause again, so it is not kept.
      const awayFrom = editor && editor.ownerUserId !== ownerUserId ? editor.ownerUserId : undefined;
      const isLost = editorBotId !== undefined && !editor;
      const told = isLost ? { ...event, cause: undefined } : event;
      const context = { channelKey, ownerUserId: awayFrom, actor, actorKey: editorKey };
      const heads = isKeyed || botKeys.length > 0 ? writeEvent(told, context, botKeys) : [];
      return { result: { ownerUserId, isMore }, heads, erasedIds: [postId] };
    },
  };
}
