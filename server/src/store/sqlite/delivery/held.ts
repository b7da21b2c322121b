import { MAX_RELEASED_TOGETHER, MAX_RELEASED_UPDATES } from "../../../domain/limits.js";
import { STATE_CODE, UNRESOLVED } from "../../shared/delivery-states.js";
import type { AttemptOutcome } from "../../store.js";
import type { Database, Statement } from "../binding.js";
import { deliveryRows, IS_FRESH } from "./delivery-rows.js";
import { FIRST_WAITING, ROWS_PER_STEP } from "./waiting.js";

/** Whether the destination `dest` sends the updates of a channel one after the other. */
export const HAS_CHANNEL_ORDER = "dest.settings ->> 'order' IS 'channel'";

/** Whether it sends its updates one after the other: its lane sleeps until the first of them is due. */
export const HAS_BOT_ORDER = "dest.settings ->> 'order' IS 'bot'";

/** Whether updates of the destination `dest` may be held. */
export const MAY_HOLD = `(dest.is_releasing OR ${HAS_CHANNEL_ORDER})`;

/**
 * Updates of a destination with the order `channel` that wait behind earlier ones of their channels. No read returns them, and none is due.
 *
 * The first update of a channel that has not ended is never held, so whatever ends one that waits or is held has to release: that makes
 * those that follow it due.
 */
export interface HeldUpdates {
  /**
   * Holds updates that were not sent, or makes them due where updates of channels are not held any more.
   *
   * @param hasChannelOrder whether the order is `channel`
   * @returns how many of them were scheduled until now
   */
  hold(lane: HoldingLane, hasChannelOrder: boolean, outcomes: readonly AttemptOutcome[]): number;
  /** Releases what is held behind these updates, after they have ended or were held. @returns whether there was something */
  releaseBehind(destinationKey: number, updateIds: readonly number[], now: number): boolean;
  /** The channels of the updates up to a number that wait or are held. */
  channelsThrough(destinationKey: number, through: number): number[];
  release(destinationKey: number, channelKeys: readonly number[], now: number): boolean;
  /** The webhook is set or removed: unless its order is that of channels, all that is held is still to be released. */
  orderChanged(destinationKey: number): void;
  /** Releases a part of all that is held. @returns whether there may be more */
  releaseStep(destinationKey: number, now: number): boolean;
  /** Makes the lane due, unless its receiver rests. */
  wake(destinationKey: number, now: number): void;
  /** The same if nobody holds it: who holds a lane finds what is due, at the latest when it is released. */
  wakeUnheld(destinationKey: number, now: number): void;
}

interface HoldingLane {
  destinationKey: number;
  logKey: number;
  round: number;
}

export function heldUpdates(db: Database): HeldUpdates {
  /** ?1 the destination, ?2 the number, ?3 whether it is held, ?4 when it is due otherwise. Nothing when it has expired. */
  const insert = db.prepare(`
    INSERT INTO deliveries (destination_key, first_number, last_number, state, attempt_count, failure_count, round, due_at,
      channel_key)
    SELECT dest.destination_key, e.number, e.number, CASE WHEN ?3 AND p.channel_key > 0 THEN ${STATE_CODE.held} ELSE ${STATE_CODE.waiting} END, 0, 0, dest.round - 1,
      CASE WHEN NOT (?3 AND p.channel_key > 0) THEN ?4 END, p.channel_key
    FROM destinations dest CROSS JOIN entries e USING (log_key) CROSS JOIN events p ON p.event_key = e.event_key
    WHERE dest.destination_key = ?1 AND e.number = ?2`);
  /** Its refusals count no more. ?3: the round of what is replayed. */
  const holdWaiting = db.prepare(`
    UPDATE deliveries SET state = ${STATE_CODE.held}, round = min(round, ?3), due_at = NULL, failure_count = 0
    WHERE destination_key = ?1 AND first_number = ?2 AND state = ${STATE_CODE.waiting} AND channel_key > 0`);
  const selectChannels = db.prepare(`
    SELECT d.channel_key AS channelKey FROM json_each(?2) n
      CROSS JOIN deliveries d ON d.destination_key = ?1 AND d.first_number = n.value
    WHERE d.channel_key > 0`);
  const selectChannelsThrough = db.prepare(`
    SELECT channel_key AS channelKey FROM deliveries
    WHERE destination_key = ? AND first_number <= ? AND state IN (${UNRESOLVED}) AND channel_key > 0`);
  /**
   * While updates are still to be skipped, those released keep their round, which says whether they are among these. ?1 the destination,
   * ?2 the channel, ?3 now, ?4 how many at most.
   */
  const releaseFirst = db.prepare(`
    UPDATE deliveries SET state = ${STATE_CODE.waiting}, due_at = ?3, round = (
      SELECT CASE WHEN dest.skip_through IS NULL THEN dest.round - 1 ELSE deliveries.round END
      FROM destinations dest WHERE dest.destination_key = ?1)
    WHERE destination_key = ?1 AND state = ${STATE_CODE.held} AND first_number IN (
        SELECT first_number FROM deliveries INDEXED BY deliveries_unresolved
        WHERE destination_key = ?1 AND channel_key = ?2 AND state IN (${UNRESOLVED})
        ORDER BY first_number LIMIT +?4)
      AND (SELECT state FROM deliveries INDEXED BY deliveries_unresolved
        WHERE destination_key = ?1 AND channel_key = ?2 AND state IN (${UNRESOLVED}) ORDER BY first_number LIMIT 1) = 5`);
  const releaseAny = db.prepare(`
    UPDATE deliveries SET state = ${STATE_CODE.waiting}, due_at = ?2, round = (
      SELECT CASE WHEN dest.skip_through IS NULL THEN dest.round - 1 ELSE deliveries.round END
      FROM destinations dest WHERE dest.destination_key = ?1)
    WHERE destination_key = ?1 AND state = ${STATE_CODE.held} AND first_number IN (
      SELECT first_number FROM deliveries INDEXED BY deliveries_held
      WHERE destination_key = ?1 AND state = ${STATE_CODE.held} ORDER BY first_number LIMIT ${ROWS_PER_STEP})`);
  const beginReleasing = db.prepare(`
    UPDATE destinations AS dest SET is_releasing = NOT ${HAS_CHANNEL_ORDER} AND EXISTS (
      SELECT 1 FROM deliveries INDEXED BY deliveries_held WHERE destination_key = ?1 AND state = ${STATE_CODE.held})
    WHERE destination_key = ?1`);
  const endReleasing = db.prepare("UPDATE destinations SET is_releasing = 0 WHERE destination_key = ?");
  const wake = `
    UPDATE lanes SET resting_until = dest.resting_until, due_at = max(?2, dest.resting_until) FROM destinations dest
    WHERE bot_key = ?1 AND dest.destination_key = ?1 AND is_open`;
  const wakeLane = db.prepare(wake);
  /** Prepared when it is needed, since `lanes.ts` makes the table of leases. */
  let wakeUnheldLane: Statement | undefined;
  const rows = deliveryRows(db);

  const release: HeldUpdates["release"] = (destinationKey, channelKeys, now) => {
    const share = Math.floor(MAX_RELEASED_TOGETHER / channelKeys.length);
    const most = Math.max(1, Math.min(MAX_RELEASED_UPDATES, share));
    let released = 0;
    for (const channelKey of channelKeys)
      released += Number(releaseFirst.run(destinationKey, channelKey, now, most).changes);
    return released > 0;
  };

  return {
    hold({ destinationKey, round }, hasChannelOrder, outcomes) {
      let scheduled = 0;
      for (const { updateId } of outcomes.toSorted((a, b) => a.updateId - b.updateId)) {
        const row = rows.find(destinationKey, updateId);
        if (!row) {
          insert.run(destinationKey, updateId, hasChannelOrder ? 1 : 0, Date.now());
        } else if (hasChannelOrder && row.state === STATE_CODE.waiting) {
          const { changes } = holdWaiting.run(destinationKey, updateId, round - 1);
          if (changes === 1 && row.round === round) scheduled += 1;
        }
      }
      return scheduled;
    },
    releaseBehind(destinationKey, updateIds, now) {
      const channels = channelsOf(selectChannels.all(destinationKey, JSON.stringify(updateIds)));
      return release(destinationKey, channels, now);
    },
    channelsThrough: (destinationKey, through) =>
      channelsOf(selectChannelsThrough.all(destinationKey, through)),
    release,
    orderChanged: (destinationKey) => void beginReleasing.run(destinationKey),
    releaseStep(destinationKey, now) {
      const { changes } = releaseAny.run(destinationKey, now);
      if (changes === ROWS_PER_STEP) return true;
      endReleasing.run(destinationKey);
      return false;
    },
    wake: (destinationKey, now) => void wakeLane.run(destinationKey, now),
    wakeUnheld(destinationKey, now) {
      wakeUnheldLane ??= db.prepare(`${wake} AND bot_key NOT IN (SELECT destination_key FROM held)`);
      wakeUnheldLane.run(destinationKey, now);
    },
  };
}

/**
 * Makes the lane of a destination with the order `bot` due when its first update is: others wait for that one. Appends make it due no
 * earlier either.
 */
export function botLaneSettler(db: Database): (destinationKey: number, now: number) => void {
  const settle = db.prepare(`
    UPDATE lanes SET resting_until = max(lanes.resting_until, first.due_at), due_at = max(lanes.resting_until, first.due_at, ?2)
    FROM (
      SELECT d.due_at, d.first_number AS number
      FROM destinations dest JOIN deliveries d ON d.destination_key = dest.destination_key AND d.first_number = ${FIRST_WAITING}
      WHERE dest.destination_key = ?1 AND dest.skip_through IS NULL AND NOT dest.is_releasing AND d.round = dest.round
        AND NOT EXISTS (
          SELECT 1 FROM entries e
          WHERE e.log_key = dest.log_key AND e.number >= dest.next_fresh_number AND e.number < d.first_number AND ${IS_FRESH})) first
    WHERE lanes.bot_key = ?1 AND lanes.is_open`);
  return (destinationKey, now) => void settle.run(destinationKey, now);
}

function channelsOf(rows: unknown[]): number[] {
  return [...new Set((rows as { channelKey: number }[]).map(({ channelKey }) => channelKey))];
}

/** Whether a row is held. */
export function isHeld({ state }: { state: number }): boolean {
  return state === STATE_CODE.held;
}
