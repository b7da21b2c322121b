import { EVENTS_COUNTED_PER_STEP } from "../../../domain/limits.js";
import type { Database, Statement } from "../connection/connection.js";
import { INCARNATION } from "../connection/incarnation.js";
import { type Settling, settlingSince } from "./settling.js";
import { LAST_EVENT_KEY } from "./sweep-marks.js";

const BEGIN: Statement = {
  name: "begin-kept-count",
  text: "INSERT INTO kept_count (id, event_key) VALUES (1, 0) ON CONFLICT DO NOTHING",
};
const SELECT_HEAD: Statement = {
  name: "select-head-to-count-kept",
  text: `
    SELECT ${LAST_EVENT_KEY} AS head, ${INCARNATION} AS incarnation, EXISTS (SELECT FROM kept_count) AS "hasBegun"`,
};
/**
 * Counts the next events up to the key $1, at most $2, in the incarnation $3 in which that key was read, as they are now; then what was changed
 * of those that were counted before. A change of an event that is counted here is in what was read, if its row is there too: both were
 * written in one transaction.
 */
const COUNT: Statement = {
  name: "count-kept-bytes",
  text: `
    WITH position AS (SELECT event_key FROM kept_count FOR UPDATE),
    looked AS (
      SELECT event_key, channel_key, octet_length(payload)
        + coalesce((SELECT octet_length(e.payload) FROM edited_posts e WHERE e.event_key = p.event_key), 0) AS bytes
      FROM events p
      WHERE event_key > (SELECT event_key FROM position) AND event_key <= $1::bigint AND ${INCARNATION} = $3
      ORDER BY event_key LIMIT $2),
    through AS (
      SELECT greatest((SELECT event_key FROM position), CASE
        WHEN (SELECT count(*) FROM looked) < $2 AND ${INCARNATION} = $3 THEN $1::bigint
        ELSE (SELECT max(event_key) FROM looked) END) AS event_key),
    changed AS (
      DELETE FROM kept_changes WHERE event_key <= (SELECT event_key FROM through) RETURNING owner_user_id, event_key, bytes),
    counted AS (
      INSERT INTO owner_kept AS k (owner_user_id, bytes)
      SELECT owner_user_id, sum(bytes) FROM (
        SELECT coalesce((SELECT owner_user_id FROM channels c WHERE c.channel_key = l.channel_key),
          (SELECT owner_user_id FROM removed_channels c WHERE c.channel_key = l.channel_key)) AS owner_user_id, bytes
        FROM (SELECT channel_key, sum(bytes) AS bytes FROM looked GROUP BY channel_key) l
        UNION ALL
        SELECT owner_user_id, bytes FROM changed WHERE event_key <= (SELECT event_key FROM position)) d
      WHERE owner_user_id IS NOT NULL GROUP BY owner_user_id HAVING sum(bytes) <> 0 ORDER BY owner_user_id
      ON CONFLICT (owner_user_id) DO UPDATE SET bytes = k.bytes + excluded.bytes)
    UPDATE kept_count SET event_key = (SELECT event_key FROM through) RETURNING (SELECT count(*) FROM looked) AS count`,
};
const DROP_EMPTY: Statement = {
  name: "drop-empty-kept-bytes",
  text: "DELETE FROM owner_kept WHERE bytes = 0",
};

/** A step of counting what owners keep. @returns whether there may be more */
export function keptCounts(db: Database): () => Promise<boolean> {
  let target: Settling | undefined;
  return async () => {
    if (!target) {
      const [start] = await db.query<Settling & { hasBegun: boolean }>(SELECT_HEAD);
      if (!start) return false;
      // Before it is asked who writes: whoever writes later notes what they change.
      if (!start.hasBegun) await db.query(BEGIN);
      target = await settlingSince(db, start);
    }
    if (!(await target.hasSettled())) return true;
    const [row] = await db.query<{ count: number }>(COUNT, [
      target.head,
      EVENTS_COUNTED_PER_STEP,
      target.incarnation,
    ]);
    if (row?.count === EVENTS_COUNTED_PER_STEP) return true;
    target = undefined;
    await db.query(DROP_EMPTY);
    return false;
  };
}
