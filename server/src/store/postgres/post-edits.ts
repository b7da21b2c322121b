import { POST_DELETED, POST_EDITED } from "../../domain/event.js";
import { channelOf, erasePayload } from "../../domain/post.js";
import { patternsOf } from "../../domain/subscription.js";
import type { GrowingVerbs } from "../verbs.js";
import { type Database, type Statement, uuid } from "./connection.js";
import type { DatabaseClock } from "./database-clock.js";
import { sweptThrough } from "./event-sweep.js";
import { REMOVE_KEYS } from "./idempotency-keys.js";
import { hearChangeIn } from "./listeners.js";
import { APPEND_EVENT, eventValues, HEADS, type HeadRows, headsOf, storeEvent } from "./log-growth.js";

type PostEditVerbs = Pick<GrowingVerbs, "editPost" | "deletePost" | "erasePosts">;

/** Edits of a post that are erased in the call that deletes it. */
const EDITS_ERASED_AT_ONCE = 500;

/** The post, locked, so that concurrent edits wait for each other. $6: the channel, $7: the post. */
const POST = `
    post AS (
      SELECT p.post_key, p.channel_key FROM posts p
      WHERE p.channel_key = (SELECT channel_key FROM channels WHERE id = $6) AND p.id = $7 FOR UPDATE)`;

/**
 * $8: the revision that is replaced, $9: the payload, $10: the time, $11: patterns, $12: mentions, $13: the bot that
 * edits.
 *
 * The revision is compared after the lock, with what another edit may just have written. An edit that no bot hears is
 * not stored as an event; only the post has it.
 */
const EDIT: Statement = {
  name: "edit-post",
  text: `
    WITH ${POST},
    revised AS (
      INSERT INTO edited_posts AS e (post_key, revision, edited_at, payload)
      SELECT post_key, $8::integer + 1, $10::bigint, $9 FROM post
      ON CONFLICT (post_key) DO UPDATE
        SET revision = excluded.revision, edited_at = excluded.edited_at, payload = excluded.payload
        WHERE e.revision = $8::integer
      RETURNING post_key),
    hearing AS (
      SELECT h.bot_key FROM (
        ${hearChangeIn("(SELECT channel_key FROM post)", "$11", "$12")}) h
      WHERE h.bot_key IS DISTINCT FROM (SELECT bot_key FROM bots WHERE id = $13)),
    stored AS (${storeEvent(
      "-post.channel_key",
      "post.post_key",
      "post JOIN revised USING (post_key) JOIN hearing ON true",
    )}),
    ${APPEND_EVENT}
    SELECT EXISTS (SELECT FROM revised) AS "isRevised", ${HEADS} FROM post`,
};
/** $8: the erased payload, $9: patterns, $10: mentions, $11: the bot that deletes. */
const DELETE: Statement = {
  name: "delete-post",
  text: `
    WITH ${POST},
    taken AS (
      UPDATE posts SET channel_key = -post.channel_key, payload = $8 FROM post WHERE posts.post_key = post.post_key),
    unrevised AS (DELETE FROM edited_posts WHERE post_key = (SELECT post_key FROM post)),
    remembered AS (INSERT INTO erased_posts (post_key) SELECT post_key FROM post),
    hearing AS (
      SELECT h.bot_key FROM (${hearChangeIn("(SELECT channel_key FROM post)", "$9", "$10")}) h
      WHERE h.bot_key IS DISTINCT FROM (SELECT bot_key FROM bots WHERE id = $11)),
    stored AS (${storeEvent("-post.channel_key", "NULL::bigint", "post JOIN hearing ON true")}),
    ${APPEND_EVENT}
    SELECT post_key AS "postKey", ${HEADS} FROM post`,
};
const SELECT_PAYLOAD: Statement = {
  name: "select-payload-of-post",
  text: `
    SELECT payload FROM posts
    WHERE channel_key = (SELECT channel_key FROM channels WHERE id = $1) AND id = $2`,
};
const SELECT_ERASED: Statement = {
  name: "select-erased-post",
  text: `SELECT post_key AS "postKey" FROM erased_posts ORDER BY post_key LIMIT 1`,
};
const SELECT_EDITS: Statement = {
  name: "select-edits",
  text: `
    SELECT post_key AS "postKey", payload FROM posts WHERE subject_key = $1 ORDER BY post_key DESC LIMIT $2`,
};
/** Clears `subject_key`, so that an erased edit is not found again. */
const ERASE_EDITS: Statement = {
  name: "erase-edits",
  text: `
    UPDATE posts p SET payload = e.payload, subject_key = NULL
    FROM unnest($1::bigint[], $2::text[]) AS e (post_key, payload) WHERE p.post_key = e.post_key`,
};
/**
 * Also removes the revision of an edit that committed while the deletion waited for it. Below the position of the sweep
 * no log points at the post, and the sweep does not return, so the post itself is removed too.
 */
const FORGET_ERASED: Statement = {
  name: "forget-erased-post",
  text: `
    WITH unrevised AS (DELETE FROM edited_posts WHERE post_key = $1),
    removed AS (DELETE FROM posts WHERE post_key = $1 AND post_key <= ${sweptThrough("'events'")})
    DELETE FROM erased_posts WHERE post_key = $1`,
};
const SELECT_REMOVED: Statement = {
  name: "select-removed-channel",
  text: `SELECT channel_key AS "channelKey" FROM removed_channels ORDER BY channel_key LIMIT 1`,
};
const SELECT_OF_CHANNEL: Statement = {
  name: "select-events-of-channel",
  text: `
    (SELECT post_key AS "postKey", payload, event_type AS "eventType" FROM posts WHERE channel_key = $1 LIMIT $2)
    UNION ALL
    (SELECT post_key, payload, event_type FROM posts WHERE channel_key = -$1::bigint LIMIT $2)
    LIMIT $2`,
};
const ERASE_OF_CHANNEL: Statement = {
  name: "erase-events-of-channel",
  text: `
    WITH unrevised AS (DELETE FROM edited_posts WHERE post_key = ANY ($1::bigint[])),
    swept AS (SELECT ${sweptThrough("'events'")} AS through),
    removed AS (DELETE FROM posts WHERE post_key = ANY ($1::bigint[]) AND post_key <= (SELECT through FROM swept))
    UPDATE posts p SET payload = e.payload, channel_key = 0, subject_key = NULL
    FROM unnest($1::bigint[], $2::text[]) AS e (post_key, payload)
    WHERE p.post_key = e.post_key AND p.post_key > (SELECT through FROM swept)`,
};
const FORGET_REMOVED: Statement = {
  name: "forget-removed-channel",
  text: "DELETE FROM removed_channels WHERE channel_key = $1",
};

interface ErasedRow {
  postKey: number;
  payload: string;
  eventType?: string | null;
}

export function postEditVerbs(db: Database, clock: DatabaseClock): PostEditVerbs {
  const erase = async (statement: Statement, rows: readonly ErasedRow[]): Promise<void> => {
    if (rows.length === 0) return;
    await db.query(statement, [
      rows.map(({ postKey }) => postKey),
      rows.map(({ payload, eventType }) => erasePayload(payload, eventType)),
    ]);
  };

  /** @returns whether there may be more */
  const eraseEdits = async (postKey: number, limit: number): Promise<boolean> => {
    const edits = await db.query<ErasedRow>(SELECT_EDITS, [postKey, limit]);
    await erase(ERASE_EDITS, edits);
    if (edits.length === limit) return true;
    await db.query(FORGET_ERASED, [postKey]);
    return false;
  };

  return {
    async editPost({ channelId, postId, replaces, payload, editedAt, event, mentions, editorBotId }) {
      const [row] = await db.query<{ isRevised: boolean; heads: HeadRows }>(EDIT, [
        ...eventValues(event),
        clock.aheadMs(),
        uuid(channelId),
        uuid(postId),
        replaces,
        payload,
        editedAt,
        patternsOf(POST_EDITED),
        [...mentions],
        editorBotId ? uuid(editorBotId) : null,
      ]);
      if (!row) return { result: undefined, heads: [] };
      return { result: row.isRevised ? true : "outdated", heads: headsOf(row.heads) };
    },

    async deletePost({ channelId, postId, event, mentions, editorBotId }) {
      const ref = [uuid(channelId), uuid(postId)];
      const [stored] = await db.query<{ payload: string }>(SELECT_PAYLOAD, ref);
      if (!stored) return { result: undefined, heads: [] };
      const [row] = await db.query<{ postKey: number; heads: HeadRows }>(DELETE, [
        ...eventValues(event),
        clock.aheadMs(),
        ...ref,
        erasePayload(stored.payload),
        patternsOf(POST_DELETED),
        [...mentions],
        editorBotId ? uuid(editorBotId) : null,
      ]);
      if (!row) return { result: undefined, heads: [] };
      const isMore = await eraseEdits(row.postKey, EDITS_ERASED_AT_ONCE);
      return { result: isMore, heads: headsOf(row.heads), erasedId: postId };
    },

    async erasePosts(limit) {
      const [post] = await db.query<{ postKey: number }>(SELECT_ERASED);
      if (post) {
        await eraseEdits(post.postKey, limit);
        return { result: true, heads: [] };
      }
      const [channel] = await db.query<{ channelKey: number }>(SELECT_REMOVED);
      if (!channel) return { result: false, heads: [] };
      const events = await db.query<ErasedRow>(SELECT_OF_CHANNEL, [channel.channelKey, limit]);
      await erase(ERASE_OF_CHANNEL, events);
      const channelId = channelOf(events);
      const erased = { result: true, heads: [], ...(channelId !== undefined && { erasedId: channelId }) };
      if (events.length === limit) return erased;
      const keys = await db.query(REMOVE_KEYS, [channel.channelKey, limit]);
      if (keys.length < limit) await db.query(FORGET_REMOVED, [channel.channelKey]);
      return erased;
    },
  };
}
