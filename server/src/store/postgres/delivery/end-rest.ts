import { PROBING_AFTER } from "../../../domain/delivery/lane-health.js";
import type { Store } from "../../store.js";
import { LOCK_LANE, OWN_BOT } from "../bots/webhooks.js";
import { type Database, type Statement, uuid } from "../connection/connection.js";
import type { DatabaseClock } from "../connection/database-clock.js";
import { FORGIVEN, restarted } from "./lane-gate.js";

const END_REST: Statement = {
  name: "end-rest",
  text: `
    WITH dest AS (
      UPDATE destinations dest SET ${FORGIVEN} FROM lanes l
      WHERE dest.destination_key = ${OWN_BOT} AND l.bot_key = dest.destination_key AND dest.version = $4 AND l.is_open
        AND (dest.failing_updates >= ${PROBING_AFTER} OR dest.resting_until > $3)
      RETURNING dest.*)
    UPDATE lanes l SET ${restarted("$3")} FROM dest JOIN bots b ON b.bot_key = dest.destination_key
    WHERE l.bot_key = dest.destination_key
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
