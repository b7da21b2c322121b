import { ACTOR_NUMBERS, type ActorType, POST_DELETED, POST_EDITED } from "../../../domain/events/event.js";
import { erasePayload } from "../../../domain/events/post.js";
import { patternsOf } from "../../../domain/events/subscription.js";
import { changerOf } from "../../shared/change-keys.js";
import { isGuest } from "../../shared/guests.js";
import type { EraseEdits } from "../../shared/remains.js";
import type { PostChange, PostDeletion, PostRevision } from "../../store.js";
import type { GrowingVerbs } from "../../verbs.js";
import { hearChangeIn } from "../channels/listeners.js";
import { type Database, type Statement, uuid, type Value } from "../connection/connection.js";
import type { DatabaseClock } from "../connection/database-clock.js";
import { HOLD_CHANNEL } from "../connection/holding.js";
import { APPEND_EVENT, eventValues, HEADS, type HeadRows, headsOf, storeEvent } from "../logs/log-growth.js";

type PostEditVerbs = Pick<GrowingVerbs, "editPost" | "deletePost">;

/** Edits of a post that are erased in the call that deletes it. */
const EDITS_ERASED_AT_ONCE = 500;

/** The post, locked, so that concurrent edits wait for each other. $6: the channel, $7: the post. */
const post = (condition: string) => `
    post AS (
      SELECT p.event_key, p.channel_key, p.payload FROM events p
      WHERE p.channel_key = (SELECT channel_key FROM channels WHERE id = $6) AND p.is_listed AND p.id = $7 AND ${condition} FOR UPDATE)`;

/** A copy of another cell's channel is changed only by what is carried there, which says whose it is. Others have not heard that its holder was moved. */
const isWrittenHere = (host: string) => `
        (SELECT NOT ${isGuest("owner_user_id")} OR owner_user_id = ${host}::text FROM channels WHERE id = $6)`;

/**
 * A part of a statement that keeps the idempotency key of a change, if it has one.
 *
 * @param source SQL of the post, if it is changed
 * @param key SQL of the key, `editor` of the bot that changes it, null for the channel's holder, and `changer` of whose keys these are
 */
const keyed = (source: string, key: string, editor: string, changer: string) => `
    keyed AS (
      INSERT INTO idempotency_keys (target_key, author, key, event_id, created_at)
      SELECT post.channel_key, ${changer} || coalesce(
        (SELECT bot_key FROM bots WHERE id = ${editor})::text, (SELECT owner_user_id FROM channels WHERE id = $6)), ${key}, $1::uuid, $4::bigint
      FROM ${source} WHERE ${key}::text IS NOT NULL
      ON CONFLICT (target_key, author, key) DO NOTHING),`;

/**
 * $8: the revision that is replaced, $9: the payload, $10: the time, $11: patterns, $12: mentions, $13: the bot that
 * edits, $14: who does, $15: the cause, $16: a text that the post must still have, or null.
 *
 * The revision and that text are looked for after the lock, in what another edit or an erasure may just have written. An edit that no bot hears is
 * not stored as an event, unless it has a key; only the post has it.
 *
 * @param condition SQL without which nothing is changed
 * @param hasKey whether it may have an idempotency key: $17, and in $18 whose keys these are
 */
export const editStatement = (name: string, condition: string, hasKey = false): Statement => ({
  name,
  text: `
    WITH ${post(condition)},
    revised AS (
      INSERT INTO edited_posts AS e (event_key, revision, edited_at, payload)
      SELECT event_key, $8::integer + 1, $10::bigint, $9 FROM post
      WHERE $16::text IS NULL OR $8::integer > 1 OR strpos(payload, $16) > 0
      ON CONFLICT (event_key) DO UPDATE
        SET revision = excluded.revision, edited_at = excluded.edited_at, payload = excluded.payload
        WHERE e.revision = $8::integer AND ($16::text IS NULL OR strpos(e.payload, $16) > 0)
      RETURNING event_key),
    ${hasKey ? keyed("post JOIN revised USING (event_key)", "$17", "$13", "$18::text") : ""}
    recipients AS (
      SELECT h.bot_key FROM (
        ${hearChangeIn("(SELECT channel_key FROM post)", "$11", "$12")}) h
      WHERE h.bot_key IS DISTINCT FROM (SELECT bot_key FROM bots WHERE id = $13)),
    stored AS (${storeEvent(
      "post.channel_key",
      "post.event_key",
      hasKey
        ? "post JOIN revised USING (event_key) LEFT JOIN recipients ON true WHERE recipients.bot_key IS NOT NULL OR $17::text IS NOT NULL"
        : "post JOIN revised USING (event_key) JOIN recipients ON true",
      "NULL",
      "$14::smallint, (SELECT bot_key FROM bots WHERE id = $13)",
      "$15",
    )}),
    ${APPEND_EVENT}
    SELECT EXISTS (SELECT FROM revised) AS "isRevised", ${HEADS} FROM post`,
});
/** $19: whose the channel is, of an edit that is carried. */
const EDIT = editStatement("edit-post", isWrittenHere("$19"), true);
/**
 * $8: the erased payload, $9: patterns, $10: mentions, $11: the bot that deletes, $12: who does, $13: the cause, $14: the idempotency key, $15: whose
 * keys these are, $16: whose the channel is, of a deletion that is carried.
 *
 * In a channel of another owner the event has the bot's owner, with whom its cause is erased. Of a bot that is deleted by now nothing would find the
 * cause again, so it is not kept.
 */
const DELETE: Statement = {
  name: "delete-post",
  text: `
    WITH ${post(isWrittenHere("$16"))},
    taken AS (
      UPDATE events SET is_listed = false, payload = $8, cause = NULL FROM post WHERE events.event_key = post.event_key),
    unrevised AS (DELETE FROM edited_posts WHERE event_key = (SELECT event_key FROM post)),
    holder AS (SELECT owner_user_id FROM channels WHERE id = $6),
    editor AS (
      SELECT b.bot_key, nullif(b.owner_user_id, holder.owner_user_id) AS away_from FROM bots b CROSS JOIN holder WHERE b.id = $11),
    ${keyed("post", "$14", "$11", "$15::text")}
    remembered AS (
      INSERT INTO erased_posts (event_key, owner_user_id) SELECT event_key, owner_user_id FROM post CROSS JOIN holder),
    recipients AS (
      SELECT h.bot_key FROM (${hearChangeIn("(SELECT channel_key FROM post)", "$9", "$10")}) h
      WHERE h.bot_key IS DISTINCT FROM (SELECT bot_key FROM bots WHERE id = $11)),
    stored AS (${storeEvent(
      "post.channel_key",
      "NULL::bigint",
      "post LEFT JOIN recipients ON true WHERE recipients.bot_key IS NOT NULL OR $14::text IS NOT NULL",
      "(SELECT away_from FROM editor)",
      "$12::smallint, (SELECT bot_key FROM editor)",
      "CASE WHEN $11::uuid IS NULL OR EXISTS (SELECT FROM editor) THEN $13::text END",
    )}),
    ${APPEND_EVENT}
    SELECT event_key AS "postKey", owner_user_id AS "ownerUserId", ${HEADS} FROM post CROSS JOIN holder`,
};
const SELECT_PAYLOAD: Statement = {
  name: "select-payload-of-post",
  text: `
    SELECT payload FROM events
    WHERE channel_key = (SELECT channel_key FROM channels WHERE id = $1) AND is_listed AND id = $2`,
};
export function postEditVerbs(db: Database, clock: DatabaseClock, eraseEdits: EraseEdits): PostEditVerbs {
  return {
    async editPost(revision) {
      const {
        channelId,
        postId,
        replaces,
        payload,
        answered,
        editedAt,
        event,
        mentions,
        editorBotId,
        actor,
      } = revision;
      const values = [...eventValues(event), clock.aheadMs(), uuid(channelId), uuid(postId)];
      const edit = [replaces, payload, editedAt, patternsOf(POST_EDITED), [...mentions]];
      const [, [row]] = (await db.transaction([
        [HOLD_CHANNEL, [uuid(channelId)]],
        [
          EDIT,
          [
            ...values,
            ...edit,
            editorBotId ? uuid(editorBotId) : null,
            numberOf(actor),
            event.cause ?? null,
            answered ?? null,
            ...keyValues("edit", revision),
            revision.host ?? null,
          ],
        ],
      ])) as [unknown, { isRevised: boolean; heads: HeadRows }[]];
      if (!row) return { result: undefined, heads: [] };
      return { result: row.isRevised ? true : "outdated", heads: headsOf(row.heads) };
    },

    async deletePost(deletion) {
      const { channelId, postId, event, mentions, editorBotId, actor } = deletion;
      const ref = [uuid(channelId), uuid(postId)];
      const [stored] = await db.query<{ payload: string }>(SELECT_PAYLOAD, ref);
      if (!stored) return { result: undefined, heads: [] };
      const values = [...eventValues(event), clock.aheadMs(), ...ref, erasePayload(stored.payload)];
      const recipients = [
        patternsOf(POST_DELETED),
        [...mentions],
        editorBotId ? uuid(editorBotId) : null,
        numberOf(actor),
        event.cause ?? null,
        ...keyValues("deletion", deletion),
        deletion.host ?? null,
      ];
      const [, [row]] = (await db.transaction([
        [HOLD_CHANNEL, [uuid(channelId)]],
        [DELETE, [...values, ...recipients]],
      ])) as [unknown, { postKey: number; ownerUserId: string; heads: HeadRows }[]];
      if (!row) return { result: undefined, heads: [] };
      const { postKey, ownerUserId } = row;
      const isMore = await eraseEdits(postKey, EDITS_ERASED_AT_ONCE);
      return { result: { ownerUserId, isMore }, heads: headsOf(row.heads), erasedIds: [postId] };
    },
  };
}

function numberOf(actor: ActorType | undefined): number | null {
  return actor ? ACTOR_NUMBERS[actor] : null;
}

/** The idempotency key of a change, or null, and whose keys these are, up to their own key or id. */
function keyValues(
  change: PostChange,
  { postId, editorBotId, idempotencyKey }: PostRevision | PostDeletion,
): Value[] {
  return [idempotencyKey ?? null, `${changerOf(change, postId, editorBotId ? "bot" : "owner")} `];
}
