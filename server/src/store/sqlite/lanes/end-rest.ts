import { PROBING_AFTER } from "../../../domain/delivery/lane-health.js";
import { DEFAULT_WEBHOOK } from "../../../domain/delivery/webhook.js";
import type { Database } from "../binding.js";
import type { Verbs } from "../verbs.js";
import { laneGate } from "./lane-gate.js";

export function endRestVerbs(db: Database): Pick<Verbs, "endRest"> {
  const selectResting = db.prepare(`
    SELECT dest.destination_key AS destinationKey
    FROM bots b JOIN destinations dest ON dest.log_key = b.bot_key AND dest.name = ?3
      JOIN lanes l ON l.bot_key = dest.destination_key
    WHERE b.id = ?1 AND b.owner_user_id = ?2 AND dest.version = ?4 AND l.is_open
      AND (dest.failing_updates >= ${PROBING_AFTER} OR dest.resting_until > ?5)`);
  const gate = laneGate(db);
  return {
    endRest({ botId, ownerUserId, name = DEFAULT_WEBHOOK }, version, now) {
      const resting = selectResting.get(botId, ownerUserId, name, version, now) as
        | { destinationKey: number }
        | undefined;
      if (resting) gate.restart(resting.destinationKey, now);
      return resting !== undefined;
    },
  };
}
