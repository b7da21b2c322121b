import type { Database } from "../binding.js";

/** Whether there is anybody to deliver to, for the destination `dest` of the log of a bot `b`, if it is a bot's. */
const MAY_DELIVER = "dest.url IS NOT NULL AND dest.paused_at IS NULL AND b.disabled_at IS NULL";

/** By the keys of destinations. */
export interface LaneGate {
  /** Nothing is claimed or sent from a lane that is closed. */
  close(destinationKey: number): void;
  /** Opens a lane, unless something else keeps it closed, and starts it over. */
  open(destinationKey: number, now: number): void;
  /** Starts a lane over: open and due at once, if there is anybody to deliver to, and in any case with nothing held against the receiver. */
  restart(destinationKey: number, now: number): void;
}

export function laneGate(db: Database): LaneGate {
  const closeLane = db.prepare("UPDATE lanes SET is_open = 0, due_at = NULL WHERE bot_key = ?");
  const selectMayDeliver = db.prepare(`
    SELECT ${MAY_DELIVER} AS mayDeliver FROM destinations dest LEFT JOIN bots b ON b.bot_key = dest.log_key
    WHERE dest.destination_key = ?`);
  const openLane = db.prepare(`
    UPDATE lanes SET is_open = ?1, due_at = CASE WHEN ?1 THEN ?2 END, resting_until = 0 WHERE bot_key = ?3`);
  const forgive = db.prepare(`
    UPDATE destinations SET failing_updates = 0, last_failed_update_id = 0, failed_probes = 0, resting_until = 0,
      generation = generation + 1
    WHERE destination_key = ?`);

  const mayDeliver = (destinationKey: number): 0 | 1 =>
    (selectMayDeliver.get(destinationKey) as { mayDeliver: 0 | 1 }).mayDeliver;
  const restart = (destinationKey: number, now: number): void => {
    openLane.run(mayDeliver(destinationKey), now, destinationKey);
    forgive.run(destinationKey);
  };
  return {
    close: (destinationKey) => void closeLane.run(destinationKey),
    open(destinationKey, now) {
      if (mayDeliver(destinationKey) === 1) restart(destinationKey, now);
    },
    restart,
  };
}
