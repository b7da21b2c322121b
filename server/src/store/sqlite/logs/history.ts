import { type Slice, sliceOf } from "../../../domain/events/page.js";
import type { TrackedUpdate } from "../../../domain/events/update.js";
import { deliveredStep, type LogEnds } from "../../shared/delivered-step.js";
import { STATE_CODE } from "../../shared/delivery-states.js";
import type { Database } from "../binding.js";
import { DELIVERY_OF_ENTRY } from "../delivery/delivery-rows.js";
import { roundFinder } from "../delivery/waiting.js";
import type { SliceVerbs, StateSlice } from "../verbs.js";
import { sliceReader } from "./slices.js";
import { ABOVE_ALL, TRACKED, trackedSlice } from "./updates.js";

interface LogRow {
  destinationKey: number;
  logKey: number;
  round: number;
  delivered: number;
}

interface Run {
  first: number;
  last: number;
}

/** Updates of one state, newest first. Each state has an index, except delivered, and never attempted ones a range of the log. */
export function historyVerbs(db: Database): Pick<SliceVerbs, "listUpdatesInState"> {
  const selectLog = db.prepare(`
    SELECT destination_key AS destinationKey, log_key AS logKey, round, delivered_count AS delivered
    FROM destinations WHERE id = ?`);
  /** At the destination ?1, below the number ?2. */
  const readFresh = sliceReader(
    db,
    TRACKED,
    `FROM destinations dest JOIN lanes l ON l.bot_key = dest.destination_key JOIN entries e ON e.log_key = dest.log_key
      JOIN events p ON p.event_key = e.event_key ${DELIVERY_OF_ENTRY}
    WHERE dest.destination_key = ?1 AND e.number < ?2 AND e.number >= dest.next_fresh_number AND d.state IS NULL
    ORDER BY e.number DESC LIMIT +?3`,
  );
  /** The same that wait in the round ?3. */
  const readWaiting = sliceReader(
    db,
    TRACKED,
    `FROM destinations dest JOIN lanes l ON l.bot_key = dest.destination_key CROSS JOIN deliveries d INDEXED BY deliveries_waiting ON d.destination_key = dest.destination_key
      CROSS JOIN entries e ON e.log_key = dest.log_key AND e.number = d.first_number
      CROSS JOIN events p ON p.event_key = e.event_key
    WHERE dest.destination_key = ?1 AND d.state = ${STATE_CODE.waiting} AND d.round = ?3 AND d.first_number < ?2
    ORDER BY d.first_number DESC LIMIT +?4`,
  );
  /** The same that are held. */
  const readHeld = sliceReader(
    db,
    TRACKED,
    `FROM destinations dest JOIN lanes l ON l.bot_key = dest.destination_key
      CROSS JOIN deliveries d INDEXED BY deliveries_held ON d.destination_key = dest.destination_key
      CROSS JOIN entries e ON e.log_key = dest.log_key AND e.number = d.first_number
      CROSS JOIN events p ON p.event_key = e.event_key
    WHERE dest.destination_key = ?1 AND d.state = ${STATE_CODE.held} AND d.first_number < ?2 ORDER BY d.first_number DESC LIMIT +?3`,
  );
  const readFailed = sliceReader(
    db,
    TRACKED,
    `FROM destinations dest JOIN lanes l ON l.bot_key = dest.destination_key CROSS JOIN deliveries d INDEXED BY deliveries_failed ON d.destination_key = dest.destination_key
      CROSS JOIN entries e ON e.log_key = dest.log_key AND e.number = d.first_number
      CROSS JOIN events p ON p.event_key = e.event_key
    WHERE dest.destination_key = ?1 AND d.state = ${STATE_CODE.failed} AND d.first_number < ?2 ORDER BY d.first_number DESC LIMIT +?3`,
  );
  const selectSkippedRuns = db.prepare(`
    SELECT first_number AS first, last_number AS last FROM deliveries INDEXED BY deliveries_skipped
    WHERE destination_key = ? AND state = ${STATE_CODE.skipped} AND first_number < ? ORDER BY first_number DESC LIMIT +?`);
  /** At the destination ?1, from the number ?2 to below the number ?3. */
  const readRange = sliceReader(
    db,
    TRACKED,
    `FROM destinations dest JOIN lanes l ON l.bot_key = dest.destination_key JOIN entries e ON e.log_key = dest.log_key
      JOIN events p ON p.event_key = e.event_key ${DELIVERY_OF_ENTRY}
    WHERE dest.destination_key = ?1 AND e.number >= ?2 AND e.number < ?3 ORDER BY e.number DESC LIMIT +?4`,
  );
  const selectEnds = db.prepare(`
    SELECT (SELECT number FROM entries WHERE log_key = ?1 ORDER BY number LIMIT 1) AS firstUpdateId,
      (SELECT number FROM entries WHERE log_key = ?1 AND number < ?2 ORDER BY number DESC LIMIT 1) AS lastUpdateId`);
  /** The same that were delivered. The run in which the range begins may begin below it. */
  const readDelivered = sliceReader(
    db,
    TRACKED,
    `FROM destinations dest JOIN lanes l ON l.bot_key = dest.destination_key CROSS JOIN deliveries d ON d.destination_key = dest.destination_key
      CROSS JOIN entries e ON e.log_key = dest.log_key AND e.number BETWEEN d.first_number AND d.last_number
      CROSS JOIN events p ON p.event_key = e.event_key
    WHERE dest.destination_key = ?1 AND d.state = ${STATE_CODE.delivered} AND d.first_number < ?3 AND d.first_number >= ifnull((
        SELECT max(o.first_number) FROM deliveries o WHERE o.destination_key = dest.destination_key AND o.first_number <= ?2), 0)
      AND e.number >= ?2 AND e.number < ?3
    ORDER BY d.first_number DESC, e.number DESC LIMIT +?4`,
  );
  const roundsOf = roundFinder(db);

  const listPending = (
    { destinationKey, round }: LogRow,
    limit: number,
    before: number,
    maxBytes: number,
  ) => {
    const waiting = roundsOf(destinationKey, 0, round).map((earlier) =>
      readWaiting(maxBytes, destinationKey, before, earlier, limit),
    );
    const fresh = readFresh(maxBytes, destinationKey, before, limit);
    const held = readHeld(maxBytes, destinationKey, before, limit);
    return merged([fresh, held, ...waiting], limit, maxBytes);
  };

  const listSkipped = ({ destinationKey }: LogRow, limit: number, before: number, maxBytes: number) => {
    const slices: Slice<unknown>[] = [];
    let [count, bytes] = [0, 0];
    for (const { first, last } of selectSkippedRuns.all(destinationKey, before, limit) as Run[]) {
      const slice = readRange(maxBytes, destinationKey, first, Math.min(last + 1, before), limit - count);
      slices.push(slice);
      count += slice.items.length;
      bytes += slice.bytes;
      if (count === limit || (count > 1 && bytes > maxBytes)) break;
    }
    return merged(slices, limit, maxBytes);
  };

  const findDelivered = (
    { destinationKey, logKey, delivered }: LogRow,
    limit: number,
    before: number,
    maxBytes: number,
  ): StateSlice => {
    const ends = selectEnds.get(logKey, before) as Omit<LogEnds, "delivered">;
    const step = deliveredStep({ ...ends, delivered });
    if (!step) return NOTHING;
    const slice = trackedSlice(readDelivered(maxBytes, destinationKey, step.from, step.to, limit));
    const rowsRead = slice.isCut || slice.items.length === limit ? limit : step.to - step.from;
    return { ...slice, rowsRead, ...(step.isLast || slice.isCut ? {} : { next: step.from }) };
  };

  return {
    listUpdatesInState(destinationId, state, limit, before = ABOVE_ALL, maxBytes) {
      const log = selectLog.get(destinationId) as LogRow | undefined;
      if (!log) return NOTHING;
      switch (state) {
        case "pending":
          return listPending(log, limit, before, maxBytes);
        case "scheduled":
          return trackedSlice(readWaiting(maxBytes, log.destinationKey, before, log.round, limit));
        case "failed":
          return trackedSlice(readFailed(maxBytes, log.destinationKey, before, limit));
        case "skipped":
          return listSkipped(log, limit, before, maxBytes);
        case "delivered":
          return findDelivered(log, limit, before, maxBytes);
      }
    },
  };
}

const NOTHING: Slice<never> = { items: [], bytes: 0, isCut: false };

/** Leaves out items below the end of a slice that was cut: that slice may have more items in between. */
function merged(slices: readonly Slice<unknown>[], limit: number, maxBytes: number): Slice<TrackedUpdate> {
  const parts = slices.map(trackedSlice);
  const lowest = Math.max(0, ...parts.map(endOf));
  const items = parts
    .flatMap((part) => part.items)
    .filter(({ updateId }) => updateId >= lowest)
    .toSorted((a, b) => b.updateId - a.updateId)
    .slice(0, limit);
  const slice = sliceOf(items, maxBytes);
  return { ...slice, isCut: slice.isCut || parts.some(({ isCut }) => isCut) };
}

/** The number down to which a slice is complete. */
function endOf({ items, isCut }: Slice<TrackedUpdate>): number {
  return isCut ? (items.at(-1)?.updateId ?? 0) : 0;
}
