import {
  ACCEPTING_FOR_MS,
  COUNTED_FOR_MS,
  LATE_AFTER_MS,
  type LaneSurvey,
  type ReceiverCounts,
} from "../../../domain/delivery/lane-survey.js";
import { FIRST_FEED_KEY } from "../../parts/feed-store.js";
import { STATE_CODE } from "../../shared/delivery-states.js";
import { omitNulls } from "../../shared/omit-nulls.js";
import type { Database } from "../binding.js";
import { IS_FRESH } from "../delivery/delivery-rows.js";
import { CONSUMER_LAG, WAITING_UPDATES } from "../logs/counters.js";
import type { Verbs } from "../verbs.js";

interface LaneRow {
  laneKey: number;
  destinationKey: number;
  waiting: number;
  restingUntil: number;
  round: number;
  /** Whether nothing is due before what waits for a retry. */
  hasBotOrder: 0 | 1;
  isOpen: 0 | 1;
  failingSince: number | null;
  lastDeliveredAt: number | null;
}

interface Slowest {
  lag: number | null;
  since: number | null;
}

export function surveyVerbs(db: Database): Pick<Verbs, "surveyLanes"> {
  const selectLanes = db.prepare(`
    SELECT l.bot_key AS laneKey, dest.destination_key AS destinationKey, ${WAITING_UPDATES} AS waiting,
      dest.resting_until AS restingUntil, dest.round, dest.settings ->> 'order' IS 'bot' AS hasBotOrder, l.is_open AS isOpen,
      dest.failing_since AS failingSince, dest.last_delivered_at AS lastDeliveredAt
    FROM lanes l LEFT JOIN destinations dest ON dest.destination_key = l.bot_key LEFT JOIN lanes log ON log.bot_key = dest.log_key
    WHERE l.bot_key > ? ORDER BY l.bot_key LIMIT +?`);
  const selectFirstFresh = db.prepare(`
    SELECT p.created_at AS dueAt
    FROM destinations dest JOIN entries e USING (log_key) JOIN events p ON p.event_key = e.event_key
    WHERE dest.destination_key = ? AND e.number >= dest.next_fresh_number AND ${IS_FRESH} ORDER BY e.number LIMIT 1`);
  /** ?1 to ?2: the keys of the logs, ?3: 1 for those of the feed. since: when the first entry was made that is not handled. */
  const selectSlowest = db.prepare(`
    SELECT max(${CONSUMER_LAG}) AS lag, min((
      SELECT p.created_at FROM entries e JOIN events p ON p.event_key = e.event_key
      WHERE e.log_key = c.bot_key AND e.number > c.position AND instr(',' || c.done || ',', ',' || e.number || ',') = 0
      ORDER BY e.number LIMIT 1)) AS since
    FROM consumers c CROSS JOIN lanes log USING (bot_key)
    WHERE c.bot_key > ?1 AND c.bot_key <= ?2 AND (c.bot_key >= ${FIRST_FEED_KEY}) = ?3`);
  /** What waits in an earlier round is due at once; it counts as due since its last attempt. */
  const selectFirstRequeued = db.prepare(`
    SELECT ifnull(last_attempted_at, due_at) AS dueAt FROM deliveries INDEXED BY deliveries_waiting
    WHERE destination_key = ? AND state = ${STATE_CODE.waiting} AND round < ? ORDER BY round, first_number LIMIT 1`);
  const selectFirstRetry = db.prepare(`
    SELECT max(due_at, ifnull(last_attempted_at, 0)) AS dueAt FROM deliveries INDEXED BY deliveries_due
    WHERE destination_key = ? AND state = ${STATE_CODE.waiting} AND round = ? ORDER BY due_at LIMIT 1`);

  const dueSince = ({ destinationKey, round, hasBotOrder, restingUntil }: LaneRow): number => {
    const dueOf = (row: unknown): number =>
      (row as { dueAt: number } | undefined)?.dueAt ?? Number.POSITIVE_INFINITY;
    const waiting = Math.min(
      dueOf(selectFirstRequeued.get(destinationKey, round)),
      dueOf(selectFirstRetry.get(destinationKey, round)),
    );
    const waitsForIt = hasBotOrder === 1 && waiting < Number.POSITIVE_INFINITY;
    const dueAt = waitsForIt ? waiting : Math.min(waiting, dueOf(selectFirstFresh.get(destinationKey)));
    return Math.max(restingUntil, dueAt);
  };

  return {
    surveyLanes(from, limit, now) {
      const rows = selectLanes.all(from, limit) as LaneRow[];
      const busy = rows.filter(({ isOpen, waiting }) => isOpen === 1 && waiting > 0);
      const dueSinces = busy.map(dueSince);
      const oldest = Math.min(...dueSinces);
      const through = rows.at(-1)?.laneKey ?? from;
      const slowest = selectSlowest.get(from, through, 0) as Slowest;
      const { since: feedConsumerBehindSince } = selectSlowest.get(from, through, 1) as Slowest;
      return omitNulls<LaneSurvey>({
        waitingUpdates: busy.reduce((sum, { waiting }) => sum + waiting, 0),
        restingLanes: busy.filter(({ restingUntil }) => restingUntil > now).length,
        lateLanes: dueSinces.filter((since) => since <= now - LATE_AFTER_MS).length,
        receivers: countReceivers(rows, now),
        dueSince: oldest <= now ? oldest : null,
        slowestConsumerLag: slowest.lag,
        consumerBehindSince: slowest.since,
        feedConsumerBehindSince,
        next: rows.length === limit ? through : null,
      });
    },
  };
}

function countReceivers(lanes: readonly LaneRow[], now: number): ReceiverCounts {
  const counts = { accepting: 0, quiet: 0, failing: 0 };
  for (const { isOpen, failingSince, lastDeliveredAt } of lanes) {
    const changedAt = failingSince ?? lastDeliveredAt ?? 0;
    if (isOpen === 0 || changedAt <= now - COUNTED_FOR_MS) continue;
    if (failingSince !== null) counts.failing += 1;
    else if (changedAt > now - ACCEPTING_FOR_MS) counts.accepting += 1;
    else counts.quiet += 1;
  }
  return counts;
}
