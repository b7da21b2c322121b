import type { Database } from "../binding.js";

/** Whether there is anybody to deliver to, for the destination `dest` of a bot `b`. */
const MAY_DELIVER = "dest.url IS NOT NULL AND dest.paused_at IS NULL AND b.disabled_at IS NULL";

/**
 * The columns of a lane that is started over, beside its bot `b` and its destination `dest`: open and due at once, if there is anybody to
 * deliver to, and in any case with nothing held against the receiver.
 */
export const restarted = (now: string) => `
  is_open = ${MAY_DELIVER}, due_at = CASE WHEN ${MAY_DELIVER} THEN ${now} END,
  failing_updates = 0, last_failed_update_id = 0, failed_probes = 0, resting_until = 0, generation = generation + 1`;

export interface LaneGate {
  /** Nothing is claimed or sent from a lane that is closed. */
  close(botKey: number): void;
  /** Opens a lane, unless something else keeps it closed, and starts it over. */
  open(botKey: number, now: number): void;
}

export function laneGate(db: Database): LaneGate {
  const closeLane = db.prepare("UPDATE lanes SET is_open = 0, due_at = NULL WHERE bot_key = ?");
  const openLane = db.prepare(`
    UPDATE lanes SET ${restarted("?1")} FROM bots b JOIN destinations dest ON dest.destination_key = b.bot_key
    WHERE lanes.bot_key = ?2 AND b.bot_key = ?2 AND ${MAY_DELIVER}`);
  return {
    close: (botKey) => void closeLane.run(botKey),
    open: (botKey, now) => void openLane.run(now, botKey),
  };
}
