import { STATE_CODE } from "../../shared/delivery-states.js";
import type { Skip } from "../../store.js";
import type { Database } from "../binding.js";
import type { Skipping } from "./skipping.js";
import { ROWS_PER_STEP } from "./waiting.js";

/**
 * Begins a round of a destination, when its webhook is set or removed. What waits becomes pending, due at once with a fresh
 * schedule, without a change of its row: it is of an earlier round.
 */
export function roundStarter(db: Database, skips: Skipping): (destinationKey: number, skip?: Skip) => void {
  const begin = db.prepare(
    "UPDATE destinations SET round = round + 2 WHERE destination_key = ? RETURNING round",
  );
  const selectLast = db.prepare(`
    SELECT first_number FROM deliveries INDEXED BY deliveries_waiting
    WHERE destination_key = ?1 AND state = ${STATE_CODE.waiting} AND round BETWEEN ?2 - 3 AND ?2 - 2 LIMIT 1 OFFSET ${ROWS_PER_STEP}`);
  const moveLast = db.prepare(`
    UPDATE deliveries INDEXED BY deliveries_waiting SET round = ?2 - 1, failure_count = 0
    WHERE destination_key = ?1 AND state = ${STATE_CODE.waiting} AND round BETWEEN ?2 - 3 AND ?2 - 2`);

  return (destinationKey, skip) => {
    const { round } = begin.get(destinationKey) as { round: number };
    if (skip && skips.begin(destinationKey, skip, round)) return;
    // A few updates of the last round come along, so that only one with many remains as a round of its own, and what is due
    // is mostly sent in the order of its numbers.
    if (!selectLast.get(destinationKey, round)) moveLast.run(destinationKey, round);
  };
}
