import { PROBING_AFTER } from "../../../domain/delivery/lane-health.js";
import type { Store } from "../../store.js";
import { LOCK_LANE } from "../bots/webhooks.js";
import { type Database, type Statement, uuid } from "../connection/connection.js";
import type { DatabaseClock } from "../connection/database-clock.js";
import { restarted } from "./lane-gate.js";

const END_REST: Statement = {
  name: "end-rest",
  text: `
    UPDATE lanes l SET ${restarted("$3")} FROM bots b JOIN destinations dest ON dest.destination_key = b.bot_key
    WHERE l.bot_key = b.bot_key AND b.id = $1 AND b.owner_user_id = $2 AND dest.version = $4 AND l.is_open
      AND (l.failing_updates >= ${PROBING_AFTER} OR l.resting_until > $3)
    RETURNING l.bot_key`,
};

export function endRestVerbs(db: Database, clock: DatabaseClock): Pick<Store, "endRest"> {
  return {
    async endRest({ botId, ownerUserId }, version, now) {
      const bot = [uuid(botId), ownerUserId] as const;
      const [, ended] = await db.transaction([
        [LOCK_LANE, bot],
        [END_REST, [...bot, clock.toDatabase(now), version]],
      ]);
      return ended?.length === 1;
    },
  };
}
