import { DEFAULT_SETTINGS } from "../../../domain/delivery/webhook-settings.js";
import { actorNumber } from "../../../domain/events/event.js";
import type { BotRef, LaneRelease, Store } from "../../store.js";
import { LOCK_BOT } from "../bots/bots.js";
import { firstWebhook, LOCK_LANE, OWN_BOT, SELECT_WEBHOOK } from "../bots/webhooks.js";
import { type Database, type Statement, type Step, uuid } from "../connection/connection.js";
import type { DatabaseClock } from "../connection/database-clock.js";
import { aboutBot, appendToFeed, FEED_HEADS, forceExecutionOrder } from "../feed/feed-events.js";
import { closeLanes, FORGIVEN, openLanes } from "./lane-gate.js";

/** @param from SQL with the bot as `b`; @param reason SQL of why */
const pausedBot = (from: string, reason: string) => `
      SELECT 'webhook.paused' AS event_type, b.owner_user_id, json_build_object(
        'bot_id', b.id, 'username', b.username, 'owner_user_id', b.owner_user_id, 'reason', ${reason}) AS payload
      FROM ${from}`;
/** $3: when, $4: who acts, $5: the reason. */
const PAUSE: Statement = {
  name: "pause-webhook",
  text: `
    WITH dest AS (
      UPDATE destinations SET paused_at = $3, pause_reason = $5
      WHERE destination_key = ${OWN_BOT} AND url IS NOT NULL AND paused_at IS NULL
      RETURNING *),
    paused AS (
      UPDATE bots SET updated_at = $3 WHERE bot_key = (SELECT destination_key FROM dest) RETURNING *),
    lane AS (${closeLanes("paused")} RETURNING l.bot_key),
    ${appendToFeed(pausedBot("paused b", "$5::text"), "$4", forceExecutionOrder("lane"))}
    SELECT bot_key FROM paused`,
};
const RESUME: Statement = {
  name: "resume-webhook",
  text: `
    WITH dest AS (
      UPDATE destinations dest SET paused_at = NULL, pause_reason = NULL, ${FORGIVEN}
      WHERE destination_key = ${OWN_BOT} AND paused_at IS NOT NULL RETURNING *),
    resumed AS (
      UPDATE bots SET updated_at = $3 WHERE bot_key = (SELECT destination_key FROM dest) RETURNING *),
    lane AS (${openLanes("resumed", "dest", "$3")} RETURNING l.bot_key),
    ${appendToFeed(aboutBot("webhook.resumed", "resumed b"), "$4", forceExecutionOrder("lane"))}
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
      FROM unnest($2::uuid[], $3::bigint[], $4::boolean[]) AS r (bot_id, generation, is_gone)
      JOIN bots b ON b.id = r.bot_id JOIN lanes l USING (bot_key)
      WHERE dest.destination_key = l.bot_key AND starts_with(l.holder, $1) AND dest.generation = r.generation
        AND dest.url IS NOT NULL AND dest.paused_at IS NULL
        AND (r.is_gone OR dest.failing_since
          <= $6::bigint - coalesce((dest.settings::jsonb ->> 'autoPauseMs')::bigint, ${DEFAULT_SETTINGS.autoPauseMs}))
      RETURNING b.bot_key, b.id, b.username, b.owner_user_id, dest.pause_reason),
    lane AS (${closeLanes("paused")} RETURNING l.bot_key),
    ${appendToFeed(pausedBot("paused b", "b.pause_reason"), "NULL", forceExecutionOrder("lane"))}
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
    failing.map(({ botId }) => uuid(botId)),
    failing.map(({ generation }) => generation),
    failing.map(({ isGone = false }) => isGone),
    clock.toDatabase(now),
    now,
  ];
  return [[PAUSE_FAILING, values]];
}

export function pauseVerbs(db: Database, clock: DatabaseClock): Pick<Store, "setWebhookPaused"> {
  const key = ({ botId, ownerUserId }: BotRef) => [uuid(botId), ownerUserId] as const;
  return {
    async setWebhookPaused(ref, paused, now) {
      const change = [...key(ref), clock.toDatabase(now), actorNumber(ref)];
      const rows = await db.transaction([
        [LOCK_BOT, key(ref)],
        [LOCK_LANE, key(ref)],
        paused ? [PAUSE, [...change, ref.isPlatform ? "platform" : "owner"]] : [RESUME, change],
        [SELECT_WEBHOOK, key(ref)],
      ]);
      const webhook = firstWebhook(rows.at(-1));
      return webhook?.url === "" ? "no webhook" : webhook;
    },
  };
}
