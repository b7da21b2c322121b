import { FIRST_FEED_KEY } from "../../feed-store.js";
import type { Database } from "../binding.js";
import { CONSUMER_LAG, WAITING_UPDATES } from "../logs/counters.js";
import type { Verbs } from "../verbs.js";
import { IS_FRESH } from "./delivery-rows.js";

interface LaneRow {
  botKey: number;
  waiting: number;
  restingUntil: number;
  nextFreshId: number;
  round: number;
  isOpen: 0 | 1;
}

export function surveyVerbs(db: Database): Pick<Verbs, "surveyLanes"> {
  const selectLanes = db.prepare(`
    SELECT l.bot_key AS botKey, ${WAITING_UPDATES} AS waiting,
      l.resting_until AS restingUntil, l.next_fresh_number AS nextFreshId, l.round, l.is_open AS isOpen
    FROM lanes l WHERE l.bot_key > ? ORDER BY l.bot_key LIMIT +?`);
  const selectFirstFresh = db.prepare(`
    SELECT p.created_at AS dueAt FROM entries e JOIN posts p ON p.post_key = e.event_key
    WHERE e.log_key = ? AND e.number >= ? AND ${IS_FRESH} ORDER BY e.number LIMIT 1`);
  const selectSlowest = db.prepare(`
    SELECT max(${CONSUMER_LAG}) AS lag FROM consumers c CROSS JOIN lanes l USING (bot_key)
    WHERE c.bot_key > ? AND c.bot_key <= ? AND c.bot_key < ${FIRST_FEED_KEY}`);
  /** What waits in an earlier round is due at once; it counts as due since its last attempt. */
  const selectFirstRequeued = db.prepare(`
    SELECT ifnull(last_attempted_at, due_at) AS dueAt FROM deliveries INDEXED BY deliveries_waiting
    WHERE destination_key = ? AND state = 1 AND round < ? ORDER BY round, first_number LIMIT 1`);
  const selectFirstRetry = db.prepare(`
    SELECT max(due_at, ifnull(last_attempted_at, 0)) AS dueAt FROM deliveries INDEXED BY deliveries_due
    WHERE destination_key = ? AND state = 1 AND round = ? ORDER BY due_at LIMIT 1`);

  const dueSince = ({ botKey, round, nextFreshId, restingUntil }: LaneRow): number => {
    const first = [
      selectFirstFresh.get(botKey, nextFreshId),
      selectFirstRequeued.get(botKey, round),
      selectFirstRetry.get(botKey, round),
    ] as ({ dueAt: number } | undefined)[];
    const dueAt = Math.min(...first.map((row) => row?.dueAt ?? Number.POSITIVE_INFINITY));
    return Math.max(restingUntil, dueAt);
  };

  return {
    surveyLanes(from, limit, now) {
      const rows = selectLanes.all(from, limit) as LaneRow[];
      const busy = rows.filter(({ isOpen, waiting }) => isOpen === 1 && waiting > 0);
      const oldest = Math.min(...busy.map(dueSince));
      const through = rows.at(-1)?.botKey ?? from;
      const { lag } = selectSlowest.get(from, through) as { lag: number | null };
      return {
        waitingUpdates: busy.reduce((sum, { waiting }) => sum + waiting, 0),
        restingLanes: busy.filter(({ restingUntil }) => restingUntil > now).length,
        ...(oldest <= now ? { dueSince: oldest } : {}),
        ...(lag === null ? {} : { slowestConsumerLag: lag }),
        ...(rows.length === limit ? { next: rows.at(-1)?.botKey } : {}),
      };
    },
  };
}
