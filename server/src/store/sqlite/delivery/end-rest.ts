import { PROBING_AFTER } from "../../../domain/delivery/lane-health.js";
import type { Database } from "../binding.js";
import type { Verbs } from "../verbs.js";
import { restarted } from "./lane-gate.js";

export function endRestVerbs(db: Database): Pick<Verbs, "endRest"> {
  const endRest = db.prepare(`
    UPDATE lanes SET ${restarted("?1")} FROM bots b JOIN destinations dest ON dest.destination_key = b.bot_key
    WHERE lanes.bot_key = b.bot_key AND b.id = ?2 AND b.owner_user_id = ?3 AND dest.version = ?4 AND is_open
      AND (failing_updates >= ${PROBING_AFTER} OR resting_until > ?1)`);
  return {
    endRest: ({ botId, ownerUserId }, version, now) =>
      endRest.run(now, botId, ownerUserId, version).changes === 1,
  };
}
