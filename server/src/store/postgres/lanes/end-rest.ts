import { PROBING_AFTER } from "../../../domain/delivery/lane-health.js";
import type { Store } from "../../store.js";
import { LOCK_LANE, OWN_DESTINATION, webhookKey } from "../bots/destinations.js";
import type { Database, Statement } from "../connection/connection.js";
import type { DatabaseClock } from "../connection/database-clock.js";
import { HEALTH_RESET, restarted } from "./lane-gate.js";

/** $1 to $3: the webhook, $4: now, $5: its version. */
const END_REST: Statement = {
  name: "end-rest",
  text: `
    WITH dest AS (
      UPDATE destinations dest SET ${HEALTH_RESET} FROM lanes l
      WHERE dest.destination_key = ${OWN_DESTINATION} AND l.bot_key = dest.destination_key AND dest.version = $5 AND l.is_open
        AND (dest.failing_updates >= ${PROBING_AFTER} OR dest.resting_until > $4)
      RETURNING dest.*)
    UPDATE lanes l SET ${restarted("$4")} FROM dest JOIN bots b ON b.bot_key = dest.log_key
    WHERE l.bot_key = dest.destination_key
    RETURNING l.bot_key`,
};

export function endRestVerbs(db: Database, clock: DatabaseClock): Pick<Store, "endRest"> {
  return {
    async endRest(ref, version, now) {
      const key = webhookKey(ref);
      const [, ended] = await db.transaction([
        [LOCK_LANE, key],
        [END_REST, [...key, clock.toDatabase(now), version]],
      ]);
      return ended?.length === 1;
    },
  };
}
