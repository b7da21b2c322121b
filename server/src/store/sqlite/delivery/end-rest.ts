import { PROBING_AFTER } from "../../../domain/delivery/lane-health.js";
import type { Database } from "../binding.js";
import type { Verbs } from "../verbs.js";
import { laneGate } from "./lane-gate.js";

export function endRestVerbs(db: Database): Pick<Verbs, "endRest"> {
  const selectResting = db.prepare(`
    SELECT b.bot_key AS botKey
    FROM bots b JOIN lanes l USING (bot_key) JOIN destinations dest ON dest.destination_key = b.bot_key
    WHERE b.id = ? AND b.owner_user_id = ? AND dest.version = ? AND l.is_open
      AND (dest.failing_updates >= ${PROBING_AFTER} OR dest.resting_until > ?)`);
  const gate = laneGate(db);
  return {
    endRest({ botId, ownerUserId }, version, now) {
      const resting = selectResting.get(botId, ownerUserId, version, now) as { botKey: number } | undefined;
      if (resting) gate.restart(resting.botKey, now);
      return resting !== undefined;
    },
  };
}
