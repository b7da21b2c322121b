import { DEFAULT_SETTINGS } from "../../../domain/delivery/webhook-settings.js";
import { actorNumber } from "../../../domain/events/event.js";
import type { LaneRelease, Store } from "../../store.js";
import { LOCK_BOT } from "../bots/bots.js";
import { KEYS_OF, LOCK_LANE, OWN_DESTINATION, webhookKey } from "../bots/destinations.js";
import { firstWebhook, SELECT_WEBHOOK } from "../bots/webhooks.js";
import { type Database, type Statement, type Step, uuid } from "../connection/connection.js";
import type { DatabaseClock } from "../connection/database-clock.js";
import { aboutWebhook, alert, appendToFeed, FEED_HEADS, forceExecutionOrder } from "../feed/feed-events.js";
import { closeLanes, HEALTH_RESET, openLanes } from "./lane-gate.js";

/** $4: when, $5: who acts, $6: the reason. */
const PAUSE: Statement = {
  name: "pause-webhook",
  text: `
    WITH dest AS (
      UPDATE destinations SET paused_at = $4, pause_reason = $6
      WHERE destination_key = ${OWN_DESTINATION} AND url IS NOT NULL AND paused_at IS NULL
      RETURNING *),
    paused AS (UPDATE bots SET updated_at = $4 WHERE bot_key = (SELECT log_key FROM dest) RETURNING *),
    lane AS (${closeLanes("dest")} RETURNING l.bot_key),
    ${alert(
      aboutWebhook("webhook.paused", "paused b CROSS JOIN dest", ", 'reason', dest.pause_reason"),
      "$5",
      forceExecutionOrder("lane"),
    )}
    SELECT bot_key FROM paused`,
};
const RESUME: Statement = {
  name: "resume-webhook",
  text: `
    WITH dest AS (
      UPDATE destinations dest SET paused_at = NULL, pause_reason = NULL, ${HEALTH_RESET}
      WHERE destination_key = ${OWN_DESTINATION} AND paused_at IS NOT NULL RETURNING *),
    resumed AS (UPDATE bots SET updated_at = $4 WHERE bot_key = (SELECT log_key FROM dest) RETURNING *),
    lane AS (${openLanes("resumed b CROSS JOIN dest", "$4")} RETURNING l.bot_key),
    ${appendToFeed(aboutWebhook("webhook.resumed", "resumed b CROSS JOIN dest"), "$5", forceExecutionOrder("lane"))}
    SELECT bot_key FROM resumed`,
};
/**
 * Pauses the webhooks of lanes that are released, at the time $5 of the database's clock, because their receivers are gone, in $4, or
 * have failed for too long, unless they were changed since the generation in $3. Attempts have the time of the clock of this
 * process, which is $6.
 */
const PAUSE_FAILING: Statement = {
  name: "pause-failing-webhooks",
  text: `
    WITH paused AS (
      UPDATE destinations dest SET paused_at = $5, pause_reason = CASE WHEN r.is_gone THEN 'gone' ELSE 'failing' END
      FROM unnest($2::uuid[], $3::bigint[], $4::boolean[]) AS r (id, generation, is_gone)
      CROSS JOIN lanes l
      WHERE dest.destination_key = ANY (${KEYS_OF("$2")}) AND dest.id = r.id
        AND l.bot_key = dest.destination_key AND starts_with(l.holder, $1) AND dest.generation = r.generation
        AND dest.url IS NOT NULL AND dest.paused_at IS NULL
        AND (r.is_gone OR dest.failing_since
          <= $6::bigint - coalesce((dest.settings::jsonb ->> 'autoPauseMs')::bigint, ${DEFAULT_SETTINGS.autoPauseMs}))
      RETURNING dest.destination_key, dest.log_key, dest.name, dest.pause_reason),
    lane AS (${closeLanes("paused dest")} RETURNING l.bot_key),
    ${alert(
      aboutWebhook(
        "webhook.paused",
        "paused dest JOIN bots b ON b.bot_key = dest.log_key",
        ", 'reason', dest.pause_reason",
      ),
      "NULL",
      forceExecutionOrder("lane"),
    )}
    SELECT ${FEED_HEADS}`,
};

/** To be executed with the lanes locked, by their holder. Nothing when no receiver fails. */
export function pauseFailing(
  holder: string,
  lanes: readonly LaneRelease[],
  now: number,
  clock: DatabaseClock,
): Step[] {
  const failing = lanes.filter(({ isGone, health }) => isGone || health.failingUpdates > 0);
  if (failing.length === 0) return [];
  const values = [
    holder,
    failing.map(({ destinationId }) => uuid(destinationId)),
    failing.map(({ generation }) => generation),
    failing.map(({ isGone = false }) => isGone),
    clock.toDatabase(now),
    now,
  ];
  return [[PAUSE_FAILING, values]];
}

export function pauseVerbs(db: Database, clock: DatabaseClock): Pick<Store, "setWebhookPaused"> {
  return {
    async setWebhookPaused(ref, paused, now) {
      const key = webhookKey(ref);
      const change = [...key, clock.toDatabase(now), actorNumber(ref)];
      const rows = await db.transaction([
        [LOCK_BOT, [uuid(ref.botId), ref.ownerUserId]],
        [LOCK_LANE, key],
        paused ? [PAUSE, [...change, ref.isPlatform ? "platform" : "owner"]] : [RESUME, change],
        [SELECT_WEBHOOK, key],
      ]);
      const webhook = firstWebhook(rows.at(-1));
      return webhook?.url === "" ? "no webhook" : webhook;
    },
  };
}
