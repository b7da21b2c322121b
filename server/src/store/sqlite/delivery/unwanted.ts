import { STATE_CODE } from "../../shared/delivery-states.js";
import type { AttemptOutcome } from "../../store.js";
import type { Database } from "../binding.js";
import { deliveryRows } from "./delivery-rows.js";

interface Destination {
  destinationKey: number;
  logKey: number;
  round: number;
}

/** How many updates were skipped, and how many of them were scheduled. */
interface SkippedCounts {
  skipped: number;
  scheduled: number;
}

/** Skips updates that a webhook does not want: those with consecutive numbers that were never attempted share a row. */
export function unwantedSkipper(
  db: Database,
): (lane: Destination, unwanted: readonly AttemptOutcome[]) => SkippedCounts {
  /** ?1 the destination, ?2 to ?3 the numbers, ?4 the log. Nothing when one of them was attempted, or has expired. */
  const insertRun = db.prepare(`
    INSERT INTO deliveries (destination_key, first_number, last_number, state, attempt_count, failure_count)
    SELECT ?1, ?2, ?3, ${STATE_CODE.skipped}, 0, 0
    WHERE EXISTS (SELECT 1 FROM entries WHERE log_key = ?4 AND number = ?2)
      AND ifnull((
        SELECT last_number FROM deliveries WHERE destination_key = ?1 AND first_number <= ?3
        ORDER BY first_number DESC LIMIT 1), 0) < ?2`);
  const rows = deliveryRows(db);

  const skipRun = ({ destinationKey, logKey }: Destination, first: number, last: number): number =>
    insertRun.run(destinationKey, first, last, logKey).changes === 1 ? last + 1 - first : 0;

  const skipOne = (lane: Destination, updateId: number): SkippedCounts => {
    const { destinationKey, round } = lane;
    const row = rows.find(destinationKey, updateId);
    if (!row) return { skipped: skipRun(lane, updateId, updateId), scheduled: 0 };
    if (row.state !== STATE_CODE.waiting) return { skipped: 0, scheduled: 0 };
    rows.skip(destinationKey, updateId);
    return { skipped: 1, scheduled: row.round === round ? 1 : 0 };
  };

  return (lane, unwanted) => {
    const counts = { skipped: 0, scheduled: 0 };
    for (const run of consecutive(unwanted.map(({ updateId }) => updateId))) {
      const skipped = skipRun(lane, run[0], run.at(-1) as number);
      counts.skipped += skipped;
      if (skipped > 0) continue;
      for (const updateId of run) {
        const one = skipOne(lane, updateId);
        counts.skipped += one.skipped;
        counts.scheduled += one.scheduled;
      }
    }
    return counts;
  };
}

function consecutive(numbers: readonly number[]): [number, ...number[]][] {
  const runs: [number, ...number[]][] = [];
  for (const number of [...new Set(numbers)].sort((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run?.at(-1) === number - 1) run.push(number);
    else runs.push([number]);
  }
  return runs;
}
