import { STATE_CODE } from "../../shared/delivery-states.js";
import type { Database } from "../binding.js";

/** Rows that setting a webhook changes at most, or one step after it: about 2 ms of the thread's time. */
export const ROWS_PER_STEP = 256;

/**
 * The first update of a destination `dest` that waits for another attempt, in whichever round, or is held. It looks up the first of each round,
 * of which there are few: `rounds.ts`.
 */
export const FIRST_WAITING = `(
  WITH RECURSIVE rounds (round) AS (
    SELECT min(d.round) FROM deliveries d INDEXED BY deliveries_waiting
      WHERE d.destination_key = dest.destination_key AND d.state = ${STATE_CODE.waiting}
    UNION ALL
    SELECT (SELECT min(d.round) FROM deliveries d INDEXED BY deliveries_waiting
      WHERE d.destination_key = dest.destination_key AND d.state = ${STATE_CODE.waiting} AND d.round > r.round)
    FROM rounds r WHERE r.round IS NOT NULL)
  SELECT min(number) FROM (
    SELECT (SELECT min(d.first_number) FROM deliveries d INDEXED BY deliveries_waiting
      WHERE d.destination_key = dest.destination_key AND d.state = ${STATE_CODE.waiting} AND d.round = r.round) AS number FROM rounds r
    UNION ALL
    SELECT (SELECT min(d.first_number) FROM deliveries d INDEXED BY deliveries_held
      WHERE d.destination_key = dest.destination_key AND d.state = ${STATE_CODE.held})))`;

/** @returns finds the rounds from `from` on and below `below` in which updates of a bot wait, ascending */
export function roundFinder(db: Database): (destinationKey: number, from: number, below: number) => number[] {
  const selectNext = db.prepare(`
    SELECT min(round) AS round FROM deliveries INDEXED BY deliveries_waiting
    WHERE destination_key = ? AND state = ${STATE_CODE.waiting} AND round >= ? AND round < ?`);
  return (destinationKey, from, below) => {
    const rounds: number[] = [];
    for (let next: number | null = from; next !== null; ) {
      ({ round: next } = selectNext.get(destinationKey, next, below) as { round: number | null });
      if (next !== null) rounds.push(next++);
    }
    return rounds;
  };
}
