import type { UpkeepStep, UpkeepSteps } from "../../upkeep-store.js";
import { type Database, type Statement, uuid } from "../connection/connection.js";
import { skipStep } from "../delivery/skipping.js";
import { IS_TO_SKIP } from "../delivery/waiting.js";

/** Bots that one step reads. */
const BOTS_PER_STEP = 200;

/** The next bots, with whether updates are still to be skipped, and when the oldest update was created. */
const SELECT_BOTS: Statement = {
  name: "select-bots-with-oldest-update",
  text: `
    SELECT l.bot_key AS "botKey", dest.skip_through IS NOT NULL AS "isSkipping",
      (SELECT id FROM bots b WHERE b.bot_key = l.bot_key) AS "botId", (
      SELECT p.created_at FROM events p WHERE p.event_key = (
        SELECT e.event_key FROM entries e WHERE e.log_key = l.bot_key ORDER BY e.number LIMIT 1)) AS "oldestAt"
    FROM lanes l LEFT JOIN destinations dest ON dest.destination_key = l.bot_key WHERE l.bot_key > $1 ORDER BY l.bot_key LIMIT $2`,
};
const LOCK_LANE: Statement = {
  name: "lock-lane-by-key",
  text: "SELECT bot_key FROM lanes WHERE bot_key = $1 FOR UPDATE",
};
const LOCK_DESTINATION: Statement = {
  name: "lock-destination-by-key",
  text: "SELECT destination_key FROM destinations WHERE destination_key = $1 FOR UPDATE",
};
/** The updates that a step reads, with whether each is too old. Parameters: the bot, the time, the limit. */
const OLDEST = `
  oldest AS (
    SELECT e.number, p.created_at < $2 AS is_old
    FROM (SELECT number, event_key FROM entries WHERE log_key = $1 ORDER BY number LIMIT $3) e
    JOIN events p ON p.event_key = e.event_key),
  kept AS (SELECT coalesce(min(number), 9223372036854775807) AS first_id FROM oldest WHERE NOT is_old)`;
const EXPIRE_ATTEMPTS: Statement = {
  name: "expire-attempts",
  text: `
    WITH ${OLDEST}
    DELETE FROM failed_attempts WHERE destination_key = $1 AND (number, attempt) IN (
      SELECT number, attempt FROM failed_attempts
      WHERE destination_key = $1 AND number < least(
        (SELECT first_id FROM kept), (SELECT max(number) + 1 FROM oldest))
      ORDER BY number, attempt LIMIT $3)
    RETURNING number`,
};
/**
 * Removes the oldest updates, up to the first that is kept or still has failed attempts. Undelivered ones are counted
 * as failed, or as skipped when there never was a webhook for them. A run that is not old as a whole stays as it is.
 */
const EXPIRE: Statement = {
  name: "expire-updates",
  text: `
    WITH ${OLDEST},
    lane AS (
      SELECT l.bot_key, dest.*, dest.url IS NULL AS has_no_webhook
      FROM lanes l LEFT JOIN destinations dest ON dest.destination_key = l.bot_key
      WHERE l.bot_key = $1),
    expired AS (
      DELETE FROM entries WHERE log_key = $1 AND number = ANY (ARRAY(
        SELECT number FROM oldest
        WHERE number < least(
          (SELECT first_id FROM kept), (SELECT min(number) FROM failed_attempts WHERE destination_key = $1))))
      RETURNING number),
    forgotten AS (
      DELETE FROM deliveries WHERE destination_key = $1
        AND first_number <= (SELECT max(number) FROM expired) AND last_number <= (SELECT max(number) FROM expired)),
    ungiven AS (
      DELETE FROM given_up WHERE bot_key = $1 AND update_id <= (SELECT max(number) FROM expired)),
    fate AS (
      SELECT coalesce(d.state = 1 AND d.round = l.round, false) AS was_scheduled,
        coalesce(d.state = 1, true) AS was_undelivered,
        ${IS_TO_SKIP} OR (d.state IS NULL AND l.has_no_webhook AND x.number > l.through_number) AS was_skipped
      FROM lane l CROSS JOIN expired x
      LEFT JOIN LATERAL (
        SELECT * FROM deliveries WHERE destination_key = $1 AND first_number <= x.number ORDER BY first_number DESC LIMIT 1) d
        ON d.last_number >= x.number),
    counted AS (
    UPDATE destinations SET
      scheduled_count = scheduled_count - (SELECT count(*) FROM fate WHERE was_scheduled),
      failed_count = failed_count + (SELECT count(*) FROM fate WHERE was_undelivered AND NOT was_skipped),
      skipped_count = skipped_count + (SELECT count(*) FROM fate WHERE was_skipped),
      next_fresh_number = greatest(next_fresh_number, (SELECT max(number) + 1 FROM expired))
    WHERE destination_key = $1)
    SELECT count(*) AS removed FROM expired`,
};

interface LookedAt {
  botKey: number;
  botId: string;
  isSkipping: boolean;
  oldestAt: number | null;
}

export function updateExpiry(db: Database): UpkeepSteps<Promise<UpkeepStep>>["expire"] {
  /** The last bot of the walk over all bots so far. */
  let walkedThrough = 0;

  const expireLog = async (botKey: number, before: number, limit: number): Promise<number> => {
    const [, , attempts = [], expired] = await db.transaction([
      [LOCK_LANE, [botKey]],
      [LOCK_DESTINATION, [botKey]],
      [EXPIRE_ATTEMPTS, [botKey, before, limit]],
      [EXPIRE, [botKey, before, limit]],
    ]);
    const [row] = (expired ?? []) as { removed: number }[];
    return attempts.length + (row?.removed ?? 0);
  };

  /** @returns whether there was something left to skip */
  const skip = async (botKey: number, botId: string): Promise<boolean> => {
    const [, skipped] = await db.transaction([[LOCK_DESTINATION, [botKey]], skipStep(uuid(botId))]);
    return skipped?.length === 1;
  };

  return async ({ before }, limit) => {
    const bots = await db.query<LookedAt>(SELECT_BOTS, [walkedThrough, BOTS_PER_STEP]);
    let left = limit;
    for (const { botKey, botId, isSkipping, oldestAt } of bots) {
      // The holder of a lane does this too, but nobody holds a lane while its webhook is paused or removed.
      if (isSkipping && (await skip(botKey, botId))) return { isMore: true };
      if (oldestAt !== null && oldestAt < before) left -= await expireLog(botKey, before, left);
      if (left <= 0) return { isMore: true };
      walkedThrough = botKey;
    }
    const isMore = bots.length === BOTS_PER_STEP;
    if (!isMore) walkedThrough = 0;
    return { isMore };
  };
}
