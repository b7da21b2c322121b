import type { Database } from "./binding.js";

/** Whether there is anybody to deliver to, for a row `b` of bots. */
export const MAY_DELIVER =
  "b.webhook_url IS NOT NULL AND b.webhook_paused_at IS NULL AND b.disabled_at IS NULL";

/** Opens and closes lanes: nothing is claimed or sent from one that is closed. */
export interface LaneGate {
  close(botKey: number): void;
  /** Unless something else keeps it closed; then everything is due at once, with nothing held against the receiver. */
  open(botKey: number, now: number): void;
}

export function laneGate(db: Database): LaneGate {
  const closeLane = db.prepare("UPDATE lanes SET is_open = 0, due_at = NULL WHERE bot_key = ?");
  const openLane = db.prepare(`
    UPDATE lanes SET is_open = 1, due_at = ?1, failing_updates = 0, last_failed_update_id = 0, failed_probes = 0,
      resting_until = 0, generation = generation + 1
    WHERE bot_key = ?2 AND EXISTS (SELECT 1 FROM bots b WHERE b.bot_key = ?2 AND ${MAY_DELIVER})`);
  return {
    close: (botKey) => void closeLane.run(botKey),
    open: (botKey, now) => void openLane.run(now, botKey),
  };
}
