import type { UpkeepStep, UpkeepSteps } from "../../upkeep-store.js";
import type { Database } from "../binding.js";
import { DELIVERY_OF_ENTRY } from "../delivery/delivery-rows.js";
import type { Skipping } from "../delivery/skipping.js";
import { logRemover } from "./log-removal.js";

/** Bots that one step reads. */
const BOTS_PER_STEP = 200;

interface OldUpdate {
  updateId: number;
  createdAt: number;
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
  const selectBots = db.prepare(`
    SELECT l.bot_key AS botKey, dest.skip_through IS NOT NULL AS isSkipping
    FROM lanes l LEFT JOIN destinations dest ON dest.destination_key = l.bot_key WHERE l.bot_key > ? ORDER BY l.bot_key LIMIT +?`);
  const selectOldest = db.prepare(`
    SELECT e.number AS updateId, p.created_at AS createdAt,
      ifnull(d.state = 1 AND d.round = dest.round, 0) AS wasScheduled,
      d.state IS NULL OR d.state = 1 AS wasUndelivered,
      CASE WHEN d.state IS NULL THEN dest.url IS NULL AND e.number > dest.through_number
        ELSE ifnull(d.state = 1 AND e.number <= dest.skip_through AND d.round < dest.skip_round - 1, 0) END AS wasSkipped
    FROM lanes l LEFT JOIN destinations dest ON dest.destination_key = l.bot_key JOIN entries e ON e.log_key = l.bot_key
      JOIN events p ON p.event_key = e.event_key ${DELIVERY_OF_ENTRY}
    WHERE l.bot_key = ? ORDER BY e.number LIMIT +?`);
  const changeDestination = db.prepare(`
    UPDATE destinations SET scheduled_count = scheduled_count - ?, failed_count = failed_count + ?,
      skipped_count = skipped_count + ?, next_fresh_number = max(next_fresh_number, ?) WHERE destination_key = ?`);
  const removeThrough = logRemover(db);

  /** The last bot of the walk over all bots so far. */
  let walkedThrough = 0;

  /** @returns how many were removed */
  const removeAttempts = (botKey: number, throughUpdateId: number, limit: number): number =>
    Number(removeAttemptsPart.run(botKey, throughUpdateId, limit).changes);

  /** @returns how many were removed, failed attempts and updates together; an update goes after its attempts */
  const expireLog = (botKey: number, before: number, limit: number): number => {
    const oldestOf = (count: number) => selectOldest.all(botKey, count) as OldUpdate[];
    const [first] = oldestOf(1);
    if (!first || first.createdAt >= before) return 0;
    const oldest = oldestOf(limit);
    const firstKept = oldest.findIndex(({ createdAt }) => createdAt >= before);
    const old = firstKept === -1 ? oldest : oldest.slice(0, firstKept);
    const attempts = removeAttempts(botKey, old.at(-1)?.updateId ?? 0, limit);
    const expired = old.slice(0, limit - attempts);
    const last = expired.at(-1);
    if (!last) return attempts;
    const scheduled = expired.filter(({ wasScheduled }) => wasScheduled).length;
    const undelivered = expired.filter(({ wasUndelivered }) => wasUndelivered).length;
    const skipped = expired.filter(({ wasSkipped }) => wasSkipped).length;
    removeThrough(botKey, last.updateId);
    removeGivenUp.run(botKey, last.updateId);
    changeDestination.run(scheduled, undelivered - skipped, skipped, last.updateId + 1, botKey);
    return attempts + expired.length;
  };

  return ({ before }, limit) => {
    const bots = selectBots.all(walkedThrough, BOTS_PER_STEP) as { botKey: number; isSkipping: 0 | 1 }[];
    let left = limit;
    for (const { botKey, isSkipping } of bots) {
      // The holder of a lane does this too, but nobody holds a lane while its webhook is paused or removed.
      if (isSkipping && skipStep(botKey)) return { isMore: true };
      left -= expireLog(botKey, before, left);
      if (left === 0) return { isMore: true };
      walkedThrough = botKey;
    }
    const isMore = bots.length === BOTS_PER_STEP;
    if (!isMore) walkedThrough = 0;
    return { isMore };
  };
}
