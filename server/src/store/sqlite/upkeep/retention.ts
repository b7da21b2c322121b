import type { UpkeepStep, UpkeepSteps } from "../../upkeep-store.js";
import type { Database } from "../binding.js";
import { DUE_DESPITE_SKIP, type Skipping } from "../delivery/skipping.js";
import { IS_SCHEDULED } from "../logs/updates.js";

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
    DELETE FROM failed_attempts WHERE bot_key = ?1 AND (update_id, attempt) IN
      (SELECT update_id, attempt FROM failed_attempts WHERE bot_key = ?1 AND update_id <= ?2
      ORDER BY update_id, attempt LIMIT +?3)`);
  const selectBots = db.prepare(
    "SELECT bot_key AS botKey, skip_below IS NOT NULL AS isSkipping FROM lanes WHERE bot_key > ? ORDER BY bot_key LIMIT +?",
  );
  const selectOldest = db.prepare(`
    SELECT u.update_id AS updateId, p.created_at AS createdAt, ${IS_SCHEDULED} AS wasScheduled,
      u.state IN (0, 1) AS wasUndelivered,
      u.state IN (0, 1) AND (u.update_id < ifnull(l.skip_below, 0) AND u.due_at IS NOT ${DUE_DESPITE_SKIP} OR (u.state = 0 AND u.attempt_count = 0
        AND b.webhook_url IS NULL AND u.update_id > l.webhook_through_id)) AS wasSkipped
    FROM lanes l LEFT JOIN bots b ON b.bot_key = l.bot_key JOIN updates u ON u.bot_key = l.bot_key JOIN posts p USING (post_key)
    WHERE l.bot_key = ? ORDER BY u.update_id LIMIT +?`);
  const removeThrough = db.prepare("DELETE FROM updates WHERE bot_key = ? AND update_id <= ?");
  const changeLane = db.prepare(`
    UPDATE lanes SET scheduled_count = scheduled_count - ?, failed_count = failed_count + ?,
      skipped_count = skipped_count + ?, next_fresh_id = max(next_fresh_id, ?) WHERE bot_key = ?`);

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
    removeThrough.run(botKey, last.updateId);
    changeLane.run(scheduled, undelivered - skipped, skipped, last.updateId + 1, botKey);
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
