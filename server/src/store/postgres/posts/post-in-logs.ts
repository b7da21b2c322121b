import type { Store } from "../../store.js";
import { type Database, type Statement, uuid } from "../connection/connection.js";

/**
 * Transactions take the keys of their events before they lock the logs (see sweep-marks.ts), so neighbours in a log may
 * be in the wrong order. A post is looked for among this many updates on each side of where the binary search ends: as
 * many as the largest batch has. It is not found if more updates than that overtook its transaction.
 */
const OUT_OF_ORDER_UPDATES = 1_000;

/**
 * $1 and $2: the channel and the post, $3: the bots, $4: the updates on each side. One binary search for all logs together: where is the first update
 * that points at the post or a later one?
 *
 * @param isBefore SQL: whether an `entry` is of an event before the `post`
 */
const selectNumbers = (name: string, isBefore: string): Statement => ({
  name,
  text: `
    WITH RECURSIVE post AS (
      SELECT event_key, id FROM events
      WHERE channel_key = (SELECT channel_key FROM channels WHERE id = $1) AND is_listed AND id = $2),
    search AS (
      SELECT w.n, l.bot_key, oldest.number AS low, l.last_update_id + 1 AS high
      FROM unnest($3::uuid[]) WITH ORDINALITY w (id, n)
      CROSS JOIN LATERAL (SELECT bot_key FROM bots WHERE id = w.id OFFSET 0) b
      CROSS JOIN LATERAL (SELECT bot_key, last_update_id FROM lanes WHERE bot_key = b.bot_key OFFSET 0) l
      CROSS JOIN LATERAL (
        SELECT e.number FROM entries e WHERE e.log_key = l.bot_key ORDER BY e.number LIMIT 1) oldest
      UNION ALL
      SELECT s.n, s.bot_key,
        CASE WHEN ${isBefore} THEN entry.number + 1 ELSE s.low END,
        CASE WHEN ${isBefore} THEN s.high ELSE (s.low + s.high) / 2 END
      FROM search s CROSS JOIN post
      LEFT JOIN LATERAL (
        SELECT e.number, e.event_key FROM entries e
        WHERE e.log_key = s.bot_key AND e.number >= (s.low + s.high) / 2 ORDER BY e.number LIMIT 1) entry ON true
      WHERE s.low < s.high)
    SELECT s.n AS ordinal, found.number AS "updateId"
    FROM search s CROSS JOIN post
    CROSS JOIN LATERAL (
      SELECT near.number FROM (
        SELECT e.number, e.event_key FROM entries e
        WHERE e.log_key = s.bot_key AND e.number >= s.low - $4 AND e.number <= s.low + $4
        ORDER BY e.number OFFSET 0) near
      WHERE near.event_key = post.event_key LIMIT 1) found
    WHERE s.low >= s.high`,
});
const BY_KEY = selectNumbers("select-post-in-logs", "entry.event_key < post.event_key");
const BY_ID = selectNumbers(
  "select-post-in-logs-by-id",
  "(SELECT p.id FROM events p WHERE p.event_key = entry.event_key) < post.id",
);

/**
 * Finds posts in logs without an index: the keys that a log points at rise with its numbers, except between neighbours; and except in logs of an owner
 * who came from another cell, where bots of this one were in their channels. There ids do, which are made in the order of time.
 */
export function postInLogsVerbs(db: Database): Pick<Store, "findPostInLogs"> {
  return {
    async findPostInLogs(channelId, postId, botIds) {
      const numbers = new Map<string, number>();
      for (const statement of [BY_KEY, BY_ID]) {
        const sought = botIds.filter((botId) => !numbers.has(botId));
        if (sought.length === 0) break;
        const values = [uuid(channelId), uuid(postId), sought.map(uuid), OUT_OF_ORDER_UPDATES];
        const rows = await db.query<{ ordinal: number; updateId: number }>(statement, values);
        for (const { ordinal, updateId } of rows) numbers.set(sought[ordinal - 1] ?? "", updateId);
      }
      return botIds.map((botId) => numbers.get(botId));
    },
  };
}
