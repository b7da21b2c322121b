import type { Database } from "../binding.js";

/** Whether there is anybody to deliver to, for the destination `dest` of a bot `b`. */
const MAY_DELIVER = "dest.url IS NOT NULL AND dest.paused_at IS NULL AND b.disabled_at IS NULL";

export interface LaneGate {
  /** Nothing is claimed or sent from a lane that is closed. */
  close(botKey: number): void;
  /** Opens a lane, unless something else keeps it closed, and starts it over. */
  open(botKey: number, now: number): void;
  /** Starts a lane over: open and due at once, if there is anybody to deliver to, and in any case with nothing held against the receiver. */
  restart(botKey: number, now: number): void;
}

export function laneGate(db: Database): LaneGate {
  const closeLane = db.prepare("UPDATE lanes SET is_open = 0, due_at = NULL WHERE bot_key = ?");
  const selectMayDeliver = db.prepare(`
    SELECT ${MAY_DELIVER} AS mayDeliver FROM bots b JOIN destinations dest ON dest.destination_key = b.bot_key
    WHERE b.bot_key = ?`);
  const openLane = db.prepare(`
    UPDATE lanes SET is_open = ?1, due_at = CASE WHEN ?1 THEN ?2 END, resting_until = 0 WHERE bot_key = ?3`);
  const forgive = db.prepare(`
    UPDATE destinations SET failing_updates = 0, last_failed_update_id = 0, failed_probes = 0, resting_until = 0,
      generation = generation + 1
    WHERE destination_key = ?`);

  const mayDeliver = (botKey: number): 0 | 1 =>
    (selectMayDeliver.get(botKey) as { mayDeliver: 0 | 1 }).mayDeliver;
  const restart = (botKey: number, now: number): void => {
    openLane.run(mayDeliver(botKey), now, botKey);
    forgive.run(botKey);
  };
  return {
    close: (botKey) => void closeLane.run(botKey),
    open(botKey, now) {
      if (mayDeliver(botKey) === 1) restart(botKey, now);
    },
    restart,
  };
}
