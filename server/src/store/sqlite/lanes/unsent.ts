import { STATE_CODE } from "../../shared/delivery-states.js";
import { type UnsentPosition, type UnsentRow, unsentStepOf } from "../../unsent.js";
import type { Database } from "../binding.js";
import { IS_FRESH } from "../delivery/delivery-rows.js";
import type { Verbs } from "../verbs.js";

interface LaneRow {
  destinationKey: number;
  position: number;
  head: number;
  round: number;
}

interface FoundUnsent extends UnsentRow, LaneRow {
  /** The numbers of what was not sent. */
  numbers: number[];
}

/** @returns looks at the next updates at a destination, or at the first ones at the destination after it */
export function unsentFinder(db: Database): (from: UnsentPosition, limit: number) => FoundUnsent | undefined {
  const selectLane = db.prepare(`
    SELECT dest.destination_key AS destinationKey, dest.next_fresh_number AS position,
      log.last_update_id AS head, dest.round
    FROM destinations dest JOIN lanes log ON log.bot_key = dest.log_key
    WHERE dest.destination_key >= ? ORDER BY dest.destination_key LIMIT 1`);
  const selectUpdates = db.prepare(`
    SELECT e.number, ${IS_FRESH} AS isFresh FROM destinations dest JOIN entries e USING (log_key)
    WHERE dest.destination_key = ? AND e.number > ? AND e.number < ? ORDER BY e.number LIMIT +?`);
  return (from, limit) => {
    const lane = selectLane.get(from.destinationKey) as LaneRow | undefined;
    if (!lane) return undefined;
    const after = lane.destinationKey === from.destinationKey ? from.number : 0;
    const looked = selectUpdates.all(lane.destinationKey, after, lane.position, limit) as {
      number: number;
      isFresh: 0 | 1;
    }[];
    const numbers = looked.flatMap(({ number, isFresh }) => (isFresh ? [number] : []));
    const last = looked.at(-1)?.number ?? null;
    const isBeyond = lane.position > lane.head + 1;
    return { ...lane, looked: looked.length, last, unsent: numbers.length, isBeyond, numbers };
  };
}

export function unsentVerbs(db: Database): Pick<Verbs, "repairUnsent"> {
  const find = unsentFinder(db);
  const insertWaiting = db.prepare(`
    INSERT INTO deliveries (destination_key, first_number, last_number, state, attempt_count, failure_count, round, due_at, channel_key)
    SELECT ?1, ?2, ?2, ${STATE_CODE.waiting}, 1, 0, ?3, ?4, p.channel_key
    FROM destinations dest JOIN entries e USING (log_key) JOIN events p USING (event_key)
    WHERE dest.destination_key = ?1 AND e.number = ?2`);
  const repairLane = db.prepare(`
    UPDATE lanes SET due_at = CASE WHEN is_open THEN min(ifnull(due_at, ?2), ?2) END WHERE bot_key = ?1`);
  const repairPosition = db.prepare(
    "UPDATE destinations SET next_fresh_number = min(next_fresh_number, ? + 1) WHERE destination_key = ?",
  );

  return {
    repairUnsent(from, limit, now) {
      const found = find(from, limit);
      if (found && (found.unsent > 0 || found.isBeyond)) {
        const { destinationKey, head, round, numbers } = found;
        // In the round before the destination's, like what is replayed: due at once, with a fresh schedule.
        for (const number of numbers) insertWaiting.run(destinationKey, number, round - 1, now);
        repairPosition.run(head, destinationKey);
        repairLane.run(destinationKey, now);
      }
      return unsentStepOf(found, from, limit);
    },
  };
}
