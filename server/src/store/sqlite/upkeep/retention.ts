import type { UpkeepStep, UpkeepSteps } from "../../parts/upkeep-store.js";
import { STATE_CODE, UNRESOLVED } from "../../shared/delivery-states.js";
import type { Database } from "../binding.js";
import { DELIVERY_OF_ENTRY } from "../delivery/delivery-rows.js";
import { HAS_BOT_ORDER, heldUpdates, MAY_HOLD } from "../delivery/held.js";
import type { Skipping } from "../delivery/skipping.js";
import { logRemover } from "./log-removal.js";

/** Lanes that one step reads. */
const LANES_PER_STEP = 200;

interface Aged {
  updateId: number;
  createdAt: number;
}

interface DestinationRow {
  destinationKey: number;
  /** Whether updates may be held there. */
  mayHold: 0 | 1;
  /** Whether all wait for the first that has not ended. */
  hasBotOrder: 0 | 1;
}

/** What an update was at a destination when it expired. */
interface OldUpdate {
  wasScheduled: 0 | 1;
  wasUndelivered: 0 | 1;
  /** There never was a webhook for it, or it was to be skipped. */
  wasSkipped: 0 | 1;
}

export function updateExpiry(
  db: Database,
  { step: skipStep }: Pick<Skipping, "step">,
): UpkeepSteps<UpkeepStep>["expire"] {
  const removeAttemptsPart = db.prepare(`
    DELETE FROM failed_attempts WHERE destination_key = ?1 AND (number, attempt) IN
      (SELECT number, attempt FROM failed_attempts WHERE destination_key = ?1 AND number <= ?2
      ORDER BY number, attempt LIMIT +?3)`);
  /** At most `MAX_GIVEN_UP_PER_BOT` rows. */
  const removeGivenUp = db.prepare("DELETE FROM given_up WHERE bot_key = ? AND update_id <= ?");
  /** Lanes of logs, and of further destinations, which have no entries of their own. */
  const selectLanes = db.prepare(`
    SELECT l.bot_key AS laneKey, dest.skip_through IS NOT NULL OR dest.is_releasing IS 1 AS isSkipping
    FROM lanes l LEFT JOIN destinations dest ON dest.destination_key = l.bot_key WHERE l.bot_key > ? ORDER BY l.bot_key LIMIT +?`);
  const selectDestinations = db.prepare(
    `SELECT destination_key AS destinationKey, ${MAY_HOLD} AS mayHold, ${HAS_BOT_ORDER} AS hasBotOrder FROM destinations dest WHERE log_key = ?`,
  );
  const selectAges = db.prepare(`
    SELECT e.number AS updateId, p.created_at AS createdAt FROM entries e JOIN events p ON p.event_key = e.event_key
    WHERE e.log_key = ? ORDER BY e.number LIMIT +?`);
  /** What becomes of the oldest entries ?2 of a log at the destination ?1. */
  const selectOldest = db.prepare(`
    SELECT ifnull(d.state = ${STATE_CODE.waiting} AND d.round = dest.round, 0) AS wasScheduled,
      d.state IS NULL OR d.state IN (${UNRESOLVED}) AS wasUndelivered,
      CASE WHEN d.state IS NULL THEN dest.url IS NULL AND e.number > dest.through_number
        ELSE ifnull(d.state IN (${UNRESOLVED}) AND e.number <= dest.skip_through AND d.round < dest.skip_round - 1, 0) END AS wasSkipped
    FROM destinations dest JOIN entries e USING (log_key) ${DELIVERY_OF_ENTRY}
    WHERE dest.destination_key = ? ORDER BY e.number LIMIT +?`);
  const changeDestination = db.prepare(`
    UPDATE destinations SET scheduled_count = scheduled_count - ?, failed_count = failed_count + ?,
      skipped_count = skipped_count + ?, next_fresh_number = max(next_fresh_number, ?) WHERE destination_key = ?`);
  const { removeEntries, removeDeliveries } = logRemover(db);
  const held = heldUpdates(db);

  /** The last lane of the walk over all lanes so far. */
  let walkedThrough = 0;

  /** Counts the oldest updates of a log at one of its destinations, and removes what came of them there. */
  const expireAt = (
    { destinationKey, mayHold, hasBotOrder }: DestinationRow,
    count: number,
    through: number,
  ): void => {
    const channels = mayHold === 1 ? held.channelsThrough(destinationKey, through) : [];
    const expired = selectOldest.all(destinationKey, count) as OldUpdate[];
    const scheduled = expired.filter(({ wasScheduled }) => wasScheduled).length;
    const undelivered = expired.filter(({ wasUndelivered }) => wasUndelivered).length;
    const skipped = expired.filter(({ wasSkipped }) => wasSkipped).length;
    changeDestination.run(scheduled, undelivered - skipped, skipped, through + 1, destinationKey);
    removeDeliveries(destinationKey, through);
    const now = Date.now();
    if (held.release(destinationKey, channels, now) || hasBotOrder === 1) held.wake(destinationKey, now);
  };

  /**
   * @returns how many were removed: failed attempts, and updates, once for each destination; an update goes after its attempts. Less than the
   *   limit when none is left.
   */
  const expireLog = (logKey: number, before: number, limit: number): number => {
    const agesOf = (count: number) => selectAges.all(logKey, count) as Aged[];
    const [first] = agesOf(1);
    if (!first || first.createdAt >= before) return 0;
    const destinations = selectDestinations.all(logKey) as DestinationRow[];
    // A log of the feed has none.
    const shares = Math.max(1, destinations.length);
    const oldest = agesOf(Math.ceil(limit / shares));
    const firstKept = oldest.findIndex(({ createdAt }) => createdAt >= before);
    const old = firstKept === -1 ? oldest : oldest.slice(0, firstKept);
    let attempts = 0;
    for (const { destinationKey } of destinations)
      attempts += Number(
        removeAttemptsPart.run(destinationKey, old.at(-1)?.updateId ?? 0, limit - attempts).changes,
      );
    const expired = old.slice(0, Math.ceil((limit - attempts) / shares));
    const last = expired.at(-1);
    if (!last) return attempts;
    for (const destination of destinations) expireAt(destination, expired.length, last.updateId);
    removeEntries(logKey, last.updateId);
    removeGivenUp.run(logKey, last.updateId);
    return attempts + expired.length * shares;
  };

  return ({ before }, limit) => {
    const lanes = selectLanes.all(walkedThrough, LANES_PER_STEP) as { laneKey: number; isSkipping: 0 | 1 }[];
    let left = limit;
    for (const { laneKey, isSkipping } of lanes) {
      // The holder of a lane does this too, but nobody holds a lane while its webhook is paused or removed.
      if (isSkipping && skipStep(laneKey)) return { isMore: true };
      left -= expireLog(laneKey, before, left);
      if (left <= 0) return { isMore: true };
      walkedThrough = laneKey;
    }
    const isMore = lanes.length === LANES_PER_STEP;
    if (!isMore) walkedThrough = 0;
    return { isMore };
  };
}
