import { EVENTS_COUNTED_PER_STEP, USAGE_KEPT_DAYS } from "../../../domain/limits.js";
import { dayOf } from "../../../domain/owners/usage.js";
import type { UpkeepStep, UpkeepSteps } from "../../parts/upkeep-store.js";
import type { Database } from "../binding.js";
import { UPDATES_EVER, usageAdder } from "../owners/usage.js";
import { sweepPosition } from "./event-sweep.js";
import { keptCounts } from "./kept-counts.js";

/** Destinations that one step looks at. */
const DESTINATIONS_PER_STEP = 500;

/** Posts of one author on one day; those of owners and the platform, in one channel. */
interface CountedPosts {
  /** Of the events that were looked at, posts or not: the last one, and how many. */
  lastKey: number;
  looked: number;
  /** Null of an owner. */
  authorKey: number | null;
  channelKey: number | null;
  day: number;
  posts: number;
  bytes: number;
}

interface CountedDestination {
  destinationKey: number;
  ownerUserId: string;
  deliveredCount: number;
  updatesEver: number;
  /** Null of what has no count yet, from before there were any: it begins with the present one. */
  deliveries: number | null;
  updates: number | null;
  lastDeliveredAt: number | null;
  lastUpdateAt: number | null;
}

export interface UsageCounts {
  /** Counts the posts that there are, a step at a time. @returns whether there may be more */
  countPosts(now: number): boolean;
  count: UpkeepSteps<UpkeepStep>["count"];
}

export function usageCounts(db: Database): UsageCounts {
  /**
   * Added up here, since a row for each event would cost twice as much. Posts that were imported are of the present day ?3: their time is that
   * of before.
   */
  const selectPosts = db.prepare(`
    SELECT max(event_key) AS lastKey, count(*) AS looked, author_key AS authorKey,
      CASE WHEN author_key IS NULL THEN channel_key END AS channelKey,
      CASE WHEN acted_by < 0 THEN ?3 ELSE created_at / 86400000 END AS day, count(bytes) AS posts, ifnull(sum(bytes), 0) AS bytes
    FROM (
      SELECT event_key, author_key, channel_key, created_at, acted_by,
        CASE WHEN event_type IS NULL THEN length(CAST(payload AS BLOB)) END AS bytes
      FROM events WHERE event_key > ?1 ORDER BY event_key LIMIT +?2) looked
    GROUP BY 3, 4, 5`);
  /** Of deleted bots and channels the owner is still known as long as they are not erased. */
  const selectOwner = db.prepare(`
    SELECT CASE WHEN ?1 IS NULL
      THEN ifnull((SELECT owner_user_id FROM channels WHERE channel_key = ?2),
        (SELECT owner_user_id FROM removed_channels WHERE channel_key = ?2))
      ELSE ifnull((SELECT owner_user_id FROM bots WHERE bot_key = ?1),
        (SELECT owner_user_id FROM removed_bots WHERE bot_key = ?1)) END AS ownerUserId`);
  const advance = db.prepare("INSERT OR REPLACE INTO sweeps (kind, event_key) VALUES ('usage', ?)");
  const countedThrough = sweepPosition(db);
  const selectDestinations = db.prepare(`
    SELECT d.destination_key AS destinationKey, d.owner_user_id AS ownerUserId, d.delivered_count AS deliveredCount,
      ${UPDATES_EVER} AS updatesEver, d.delivered_count - d.counted_deliveries AS deliveries,
      CASE WHEN d.destination_key = d.log_key THEN ${UPDATES_EVER} - d.counted_updates ELSE 0 END AS updates,
      d.last_delivered_at AS lastDeliveredAt, l.last_update_at AS lastUpdateAt
    FROM destinations d JOIN lanes l ON l.bot_key = d.log_key JOIN bots b ON b.bot_key = d.log_key
    WHERE d.destination_key > ? ORDER BY d.destination_key LIMIT +?`);
  const note = db.prepare(
    "UPDATE destinations SET counted_deliveries = ?, counted_updates = ? WHERE destination_key = ?",
  );
  const dropOld = db.prepare(`
    DELETE FROM owner_usage WHERE (owner_user_id, day) IN (
      SELECT owner_user_id, day FROM owner_usage WHERE day < ? ORDER BY day LIMIT +?)`);
  const add = usageAdder(db);
  const countKept = keptCounts(db);
  let walkedThrough = 0;

  const countPosts = (now: number): boolean => {
    const groups = selectPosts.all(
      countedThrough("usage"),
      EVENTS_COUNTED_PER_STEP,
      dayOf(now),
    ) as unknown as CountedPosts[];
    if (groups.length === 0) return false;
    for (const { authorKey, channelKey, day, posts, bytes } of groups) {
      if (posts === 0) continue;
      const { ownerUserId } = selectOwner.get(authorKey, channelKey) as { ownerUserId: string | null };
      if (ownerUserId !== null) add(ownerUserId, { day, posts, bytes });
    }
    advance.run(Math.max(...groups.map(({ lastKey }) => lastKey)));
    return groups.reduce((sum, { looked }) => sum + looked, 0) === EVENTS_COUNTED_PER_STEP;
  };

  return {
    countPosts,

    count({ now }, limit) {
      if (countPosts(now) || countKept()) return { isMore: true };
      const rows = selectDestinations.all(
        walkedThrough,
        DESTINATIONS_PER_STEP,
      ) as unknown as CountedDestination[];
      for (const { destinationKey, ownerUserId, deliveries, updates, ...row } of rows) {
        if (deliveries === 0 && updates === 0) continue;
        note.run(row.deliveredCount, row.updatesEver, destinationKey);
        // A log that last grew on an earlier day did so all of it.
        add(ownerUserId, {
          day: dayOf(Math.min(row.lastDeliveredAt ?? now, now)),
          deliveries: deliveries ?? 0,
        });
        add(ownerUserId, { day: dayOf(Math.min(row.lastUpdateAt ?? now, now)), updates: updates ?? 0 });
      }
      walkedThrough = rows.length === DESTINATIONS_PER_STEP ? (rows.at(-1)?.destinationKey ?? 0) : 0;
      if (walkedThrough === 0) dropOld.run(dayOf(now) - USAGE_KEPT_DAYS, limit);
      return { isMore: walkedThrough > 0 };
    },
  };
}
