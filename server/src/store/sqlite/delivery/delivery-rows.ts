import { partOfTimes, timesAt } from "../../shared/accepted-runs.js";
import { STATE_CODE } from "../../shared/delivery-states.js";
import type { Database } from "../binding.js";

/** What came of an update: a row of `deliveries`, its own or that of the run it is in. */
export interface DeliveryRow {
  first: number;
  last: number;
  state: number;
  attemptCount: number;
  failureCount: number;
  round: number | null;
  /** Of what waits or is held, or did. */
  channelKey: number | null;
  times: string | null;
}

/**
 * Joins the row `d` of an entry `e` at the destination `dest`, whose columns are null when the entry was never attempted there. Rows do not overlap, so it
 * is the last one that begins at or below the entry, unless that ends before.
 */
export const DELIVERY_OF_ENTRY = `
  LEFT JOIN deliveries d ON d.destination_key = dest.destination_key AND d.last_number >= e.number AND d.first_number = (
    SELECT o.first_number FROM deliveries o WHERE o.destination_key = dest.destination_key AND o.first_number <= e.number
    ORDER BY o.first_number DESC LIMIT 1)`;

/** Whether an entry `e` was never attempted at the destination `dest`. */
export const IS_FRESH = `ifnull((
  SELECT o.last_number FROM deliveries o WHERE o.destination_key = dest.destination_key AND o.first_number <= e.number
  ORDER BY o.first_number DESC LIMIT 1), 0) < e.number`;

export interface DeliveryRows {
  /** @returns undefined when the update was never attempted, and when there is no such update */
  find(destinationKey: number, updateId: number): DeliveryRow | undefined;
  /** The same; an update of a run first gets a row of its own, which can be changed. */
  isolate(destinationKey: number, updateId: number): DeliveryRow | undefined;
  /** An update that waits or is held is skipped. */
  skip(destinationKey: number, updateId: number): void;
  /** Nothing below this number is fresh at the destination any more. */
  moveOn(destinationKey: number, nextFreshNumber: number): void;
}

export function deliveryRows(db: Database): DeliveryRows {
  const selectRow = db.prepare(`
    SELECT first_number AS first, last_number AS last, state, attempt_count AS attemptCount,
      failure_count AS failureCount, round, channel_key AS channelKey, times
    FROM deliveries WHERE destination_key = ? AND first_number <= ? ORDER BY first_number DESC LIMIT 1`);
  const remove = db.prepare("DELETE FROM deliveries WHERE destination_key = ? AND first_number = ?");
  const insert = db.prepare(`
    INSERT INTO deliveries (destination_key, first_number, last_number, state, attempt_count, failure_count,
      last_attempted_at, delivered_at, times)
    VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?)`);
  const skipWaiting = db.prepare(`
    UPDATE deliveries SET state = ${STATE_CODE.skipped}, round = NULL, due_at = NULL, failure_count = 0
    WHERE destination_key = ? AND first_number = ?`);
  const moveOn = db.prepare(
    "UPDATE destinations SET next_fresh_number = max(next_fresh_number, ?) WHERE destination_key = ?",
  );

  const find = (destinationKey: number, updateId: number): DeliveryRow | undefined => {
    const row = selectRow.get(destinationKey, updateId) as DeliveryRow | undefined;
    return row && row.last >= updateId ? row : undefined;
  };

  /** Splits a run into the updates before this one, this one, and those after it. */
  const split = (destinationKey: number, run: DeliveryRow, updateId: number): void => {
    const { first, last, state, attemptCount, times } = run;
    const insertPart = (from: number, to: number): void => {
      if (from > to) return;
      const part = times && partOfTimes(times, from - first, to + 1 - first);
      insert.run(destinationKey, from, to, state, attemptCount, null, null, part);
    };
    remove.run(destinationKey, first);
    insertPart(first, updateId - 1);
    const { attemptedAt = null, deliveredAt = null } = times ? timesAt(times, updateId - first) : {};
    insert.run(destinationKey, updateId, updateId, state, attemptCount, attemptedAt, deliveredAt, null);
    insertPart(updateId + 1, last);
  };

  return {
    find,
    isolate(destinationKey, updateId) {
      const row = find(destinationKey, updateId);
      if (row && (row.first < row.last || row.times !== null)) split(destinationKey, row, updateId);
      return row;
    },
    skip: (destinationKey, updateId) => void skipWaiting.run(destinationKey, updateId),
    moveOn: (destinationKey, nextFreshNumber) => void moveOn.run(nextFreshNumber, destinationKey),
  };
}
