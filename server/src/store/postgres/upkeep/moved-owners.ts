import { erasePayload } from "../../../domain/events/post.js";
import type { EraseEdits } from "../../shared/remains.js";
import { type Database, type Statement, uuid } from "../connection/connection.js";

/**
 * An owner who has left the cell, of whom the feed has no entry any more. Of each log only the one is looked at who left first, so that it takes as
 * long with any number of them.
 */
const SELECT_EXPIRED: Statement = {
  name: "select-expired-move",
  text: `
    WITH RECURSIVE logs (feed_log) AS (
      SELECT min(feed_log) FROM owner_moves
      UNION ALL
      SELECT (SELECT min(feed_log) FROM owner_moves m WHERE m.feed_log > logs.feed_log) FROM logs WHERE feed_log IS NOT NULL),
    oldest AS (
      SELECT m.* FROM logs CROSS JOIN LATERAL (
        SELECT * FROM owner_moves WHERE feed_log = logs.feed_log ORDER BY feed_through LIMIT 1) m)
    SELECT owner_user_id AS "ownerUserId", move_id AS "moveId" FROM oldest o
    WHERE NOT EXISTS (SELECT FROM entries e WHERE e.log_key = o.feed_log AND e.number <= o.feed_through) LIMIT 1`,
};
/** From then on they are erased like channels that were deleted. $1: the owner, $2: the move, $3: how many. */
const RELEASE_CHANNELS: Statement = {
  name: "release-moved-channels",
  text: `
    UPDATE removed_channels SET id = NULL, external_id = NULL WHERE channel_key = ANY (ARRAY(
      SELECT channel_key FROM removed_channels
      WHERE owner_user_id = $1 AND id IS NOT NULL AND EXISTS (SELECT FROM owner_moves WHERE owner_user_id = $1 AND move_id = $2)
      LIMIT $3 FOR UPDATE))
    RETURNING channel_key`,
};
/** $1: the owner, $2: the move. */
const FORGET_MOVE: Statement = {
  name: "forget-expired-move",
  text: `
    WITH forgotten AS (
      UPDATE owner_moves SET feed_log = NULL, feed_through = NULL
      WHERE owner_user_id = $1 AND move_id = $2 AND NOT EXISTS (
        SELECT FROM removed_channels WHERE owner_user_id = $1 AND id IS NOT NULL)
      RETURNING owner_user_id)
    DELETE FROM moved_bots b USING forgotten WHERE b.owner_user_id = forgotten.owner_user_id`,
};
/** $1: an owner who is erased. */
export const FORGET_BOTS: Statement = {
  name: "forget-moved-bots",
  text: "DELETE FROM moved_bots WHERE owner_user_id = $1",
};

/** $1: the owner, $2: the channel. */
const RELEASE_CHANNEL: Statement = {
  name: "release-moved-channel",
  text: "UPDATE removed_channels SET id = NULL, external_id = NULL WHERE owner_user_id = $1 AND id = $2",
};
/** $1: the owner, $2: the channel, $3: the post. */
const POST = `
      SELECT p.event_key, p.payload, c.owner_user_id FROM removed_channels c JOIN events p USING (channel_key)
      WHERE c.owner_user_id = $1 AND c.id = $2 AND p.is_listed AND p.id = $3`;
const SELECT_POST: Statement = {
  name: "select-moved-post",
  text: POST,
};
/** $4: the erased payload. */
const ERASE_POST: Statement = {
  name: "erase-moved-post",
  text: `
    WITH post AS (${POST} FOR UPDATE OF p),
    unrevised AS (DELETE FROM edited_posts WHERE event_key = (SELECT event_key FROM post)),
    remembered AS (
      INSERT INTO erased_posts (event_key, owner_user_id) SELECT event_key, owner_user_id FROM post ON CONFLICT DO NOTHING)
    UPDATE events p SET is_listed = false, payload = $4, cause = NULL FROM post WHERE p.event_key = post.event_key
    RETURNING p.event_key AS "postKey"`,
};
const EDITS_PER_STEP = 500;

/**
 * One small step: lets the upkeep erase what the feed had of owners who have left the cell, once it has expired there.
 *
 * @returns whether there may be more
 */
export async function forgetMoved(db: Database, limit: number): Promise<boolean> {
  const [found] = await db.query<{ ownerUserId: string; moveId: string }>(SELECT_EXPIRED);
  if (!found) return false;
  const move = [found.ownerUserId, uuid(found.moveId)];
  if ((await db.query(RELEASE_CHANNELS, [...move, limit])).length < limit) await db.query(FORGET_MOVE, move);
  return true;
}

/** @returns the verb `eraseMoved` */
export function movedErasure(db: Database, eraseEdits: EraseEdits) {
  return async (ownerUserId: string, channelId: string, postId?: string): Promise<void> => {
    const channel = [ownerUserId, uuid(channelId)];
    if (postId === undefined) return void (await db.query(RELEASE_CHANNEL, channel));
    const ref = [...channel, uuid(postId)];
    const [stored] = await db.query<{ payload: string }>(SELECT_POST, ref);
    if (!stored) return;
    const [post] = await db.query<{ postKey: number }>(ERASE_POST, [...ref, erasePayload(stored.payload)]);
    while (post && (await eraseEdits(post.postKey, EDITS_PER_STEP)));
  };
}
