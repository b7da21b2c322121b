import { EVENTS_COUNTED_PER_STEP, USAGE_KEPT_DAYS } from "../../../domain/limits.js";
import { dayOf as dayOfMs } from "../../../domain/owners/usage.js";
import type { UpkeepStep, UpkeepSteps } from "../../parts/upkeep-store.js";
import type { Remains } from "../../shared/remains.js";
import type { Database, Statement } from "../connection/connection.js";
import { INCARNATION } from "../connection/incarnation.js";
import { ADD_USAGE, dayOf, UPDATES_EVER } from "../owners/usage.js";
import { keptCounts } from "./kept-counts.js";
import { type Settling, settlingSince } from "./settling.js";
import { LAST_EVENT_KEY } from "./sweep-marks.js";

/** Without a position nothing is counted yet. */
const BEGIN_AT_FIRST: Statement = {
  name: "begin-usage-at-first",
  text: "INSERT INTO sweeps (kind, event_key) VALUES ('usage', 0) ON CONFLICT DO NOTHING",
};
/** The last key is read before the writers are, as a statement of its own: see `sweep-marks.ts`. */
const SELECT_START: Statement = {
  name: "select-usage-start",
  text: `
    SELECT (SELECT event_key FROM sweeps WHERE kind = 'usage') AS position, ${LAST_EVENT_KEY} AS head,
      ${INCARNATION} AS incarnation`,
};
/**
 * Counts the next posts up to the key $1, at most $2 events, in the incarnation $3 in which that key was read; $4: today, the day of those
 * that were imported, whose time is that of before. Of deleted bots and channels the owner is still known as long as they are not
 * erased.
 */
const COUNT_EVENTS: Statement = {
  name: "count-events",
  text: `
    WITH position AS (SELECT event_key FROM sweeps WHERE kind = 'usage' FOR UPDATE),
    looked AS (
      SELECT event_key, created_at, channel_key, author_key, event_type, acted_by, octet_length(payload) AS bytes FROM events
      WHERE event_key > (SELECT event_key FROM position) AND event_key <= $1::bigint AND ${INCARNATION} = $3
      ORDER BY event_key LIMIT $2),
    post AS (
      SELECT author_key, CASE WHEN author_key IS NULL THEN channel_key END AS channel_key,
        CASE WHEN acted_by < 0 THEN $4::integer ELSE ${dayOf("created_at")} END AS day, count(*) AS posts, sum(bytes) AS bytes
      FROM looked WHERE event_type IS NULL GROUP BY 1, 2, 3),
    owned AS (
      SELECT p.day, p.posts, p.bytes, CASE WHEN p.author_key IS NULL
          THEN coalesce((SELECT owner_user_id FROM channels c WHERE c.channel_key = p.channel_key),
            (SELECT owner_user_id FROM removed_channels c WHERE c.channel_key = p.channel_key))
          ELSE coalesce((SELECT owner_user_id FROM bots b WHERE b.bot_key = p.author_key),
            (SELECT owner_user_id FROM removed_bots b WHERE b.bot_key = p.author_key)) END AS owner_user_id
      FROM post p),
    counted AS (
      INSERT INTO owner_usage AS u (owner_user_id, day, posts, updates, deliveries, bytes)
      SELECT owner_user_id, day, sum(posts), 0, 0, sum(bytes) FROM owned WHERE owner_user_id IS NOT NULL
      GROUP BY owner_user_id, day ORDER BY owner_user_id, day
      ${ADD_USAGE})
    UPDATE sweeps SET event_key = greatest(event_key, CASE
        WHEN (SELECT count(*) FROM looked) < $2 AND ${INCARNATION} = $3 THEN $1::bigint
        ELSE (SELECT max(event_key) FROM looked) END)
    WHERE kind = 'usage' RETURNING (SELECT count(*) FROM looked) AS count`,
};

/** Destinations that one step looks at. */
const DESTINATIONS_PER_STEP = 500;
/**
 * Counts by how much the counters of the destinations after the key $1 have risen, and those of their logs; $2: how many, $3: now. What has no
 * count yet, from before there were any, begins with the present one. A log that last grew on an earlier day did so all of it.
 */
const COUNT_DESTINATIONS: Statement = {
  name: "count-destinations",
  text: `
    WITH walked AS (
      SELECT destination_key FROM destinations WHERE destination_key > $1::bigint ORDER BY destination_key LIMIT $2),
    risen AS (
      SELECT d.destination_key
      FROM walked w CROSS JOIN LATERAL (SELECT * FROM destinations WHERE destination_key = w.destination_key OFFSET 0) d
      CROSS JOIN LATERAL (SELECT * FROM lanes WHERE bot_key = d.log_key OFFSET 0) l
      WHERE (SELECT true FROM bots b WHERE b.bot_key = d.log_key)
        AND (d.delivered_count IS DISTINCT FROM d.counted_deliveries
          OR (d.destination_key = d.log_key AND ${UPDATES_EVER} IS DISTINCT FROM d.counted_updates))),
    locked AS (
      SELECT * FROM destinations WHERE destination_key = ANY (ARRAY(SELECT destination_key FROM risen))
      ORDER BY destination_key FOR UPDATE),
    due AS (
      SELECT d.destination_key, d.log_key, d.owner_user_id, d.delivered_count, d.counted_deliveries, d.counted_updates, ${UPDATES_EVER} AS updates,
        ${dayOf("least($3::bigint, coalesce(d.last_delivered_at, $3))")} AS delivered_on,
        ${dayOf("least($3::bigint, coalesce(l.last_update_at, $3))")} AS updated_on
      FROM locked d CROSS JOIN LATERAL (SELECT * FROM lanes WHERE bot_key = d.log_key OFFSET 0) l),
    noted AS (
      UPDATE destinations d SET counted_deliveries = due.delivered_count, counted_updates = due.updates
      FROM due WHERE d.destination_key = due.destination_key
      RETURNING due.*),
    counted AS (
      INSERT INTO owner_usage AS u (owner_user_id, day, posts, updates, deliveries, bytes)
      SELECT owner_user_id, day, 0, sum(updates), sum(deliveries), 0 FROM (
        SELECT owner_user_id, delivered_on AS day, 0 AS updates, delivered_count - counted_deliveries AS deliveries FROM noted
        UNION ALL
        SELECT owner_user_id, updated_on, updates - counted_updates, 0 FROM noted WHERE destination_key = log_key) c
      GROUP BY owner_user_id, day HAVING sum(updates) <> 0 OR sum(deliveries) <> 0 ORDER BY owner_user_id, day
      ${ADD_USAGE})
    SELECT max(destination_key) AS through, count(*) AS count FROM walked`,
};
const DROP_OLD: Statement = {
  name: "drop-old-usage",
  text: `
    DELETE FROM owner_usage WHERE (day, owner_user_id) IN (
      SELECT day, owner_user_id FROM owner_usage WHERE day < $1 ORDER BY day, owner_user_id LIMIT $2)`,
};

/** What is forgotten is asked anew, and takes longer. */
const MAX_HEADS = 1_000;

export interface UsageCounts {
  /** Counts the posts that there are, a step at a time. @returns whether there may be more */
  countPosts(now: number): Promise<boolean>;
  /**
   * Whether all posts are counted that there were when this was asked first of something, or else counts some of them. To be asked of what was
   * removed before it is erased, since whose its posts are is erased with it: that all were counted a moment ago may be of a moment before.
   */
  areCounted(remains: Remains, now: number): Promise<boolean>;
  count: UpkeepSteps<Promise<UpkeepStep>>["count"];
}

export function usageCounts(db: Database): UsageCounts {
  let target: Settling | undefined;
  let walkedThrough = 0;
  /** The last event when it was asked first, by what is to be erased. */
  const heads = new Map<string, number>();
  const countKept = keptCounts(db);

  /** @returns undefined when all posts are counted */
  const nextTarget = async (): Promise<Settling | undefined> => {
    const [start] = await db.query<Settling & { position: number | null }>(SELECT_START);
    if (!start || (start.position ?? 0) >= start.head) return undefined;
    if (start.position === null) await db.query(BEGIN_AT_FIRST);
    return await settlingSince(db, start);
  };

  const countPosts = async (now: number): Promise<boolean> => {
    target ??= await nextTarget();
    if (!target) return false;
    if (!(await target.hasSettled())) return true;
    const [row] = await db.query<{ count: number }>(COUNT_EVENTS, [
      target.head,
      EVENTS_COUNTED_PER_STEP,
      target.incarnation,
      dayOfMs(now),
    ]);
    if (row?.count === EVENTS_COUNTED_PER_STEP) return true;
    target = undefined;
    return false;
  };

  return {
    countPosts,

    async areCounted({ kind, key }, now) {
      const [start] = await db.query<{ position: number | null; head: number }>(SELECT_START);
      if (!start) return true;
      const name = `${kind} ${key}`;
      const head = heads.get(name) ?? start.head;
      heads.set(name, head);
      const [oldest] = heads.keys();
      if (heads.size > MAX_HEADS && oldest !== undefined) heads.delete(oldest);
      if ((start.position ?? 0) >= head) return true;
      await countPosts(now);
      return false;
    },

    async count({ now }, limit) {
      // Once for each walk over the destinations.
      if (walkedThrough === 0 && ((await countPosts(now)) || (await countKept()))) return { isMore: true };
      const [row] = await db.query<{ through: number | null; count: number }>(COUNT_DESTINATIONS, [
        walkedThrough,
        DESTINATIONS_PER_STEP,
        now,
      ]);
      walkedThrough = row?.count === DESTINATIONS_PER_STEP ? (row.through ?? 0) : 0;
      if (walkedThrough === 0) await db.query(DROP_OLD, [dayOfMs(now) - USAGE_KEPT_DAYS, limit]);
      return { isMore: walkedThrough > 0 };
    },
  };
}
