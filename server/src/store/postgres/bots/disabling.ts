import type { Bot } from "../../../domain/bots/bot.js";
import { BY_PLATFORM, BY_SUSPENSION, disablerBit } from "../../../domain/bots/disabled-by.js";
import { actorNumber } from "../../../domain/events/event.js";
import { omitNulls } from "../../shared/omit-nulls.js";
import type { Store } from "../../store.js";
import { type Database, type Statement, uuid } from "../connection/connection.js";
import type { DatabaseClock } from "../connection/database-clock.js";
import { aboutBot, appendToFeed, forceExecutionOrder } from "../feed/feed-events.js";
import { closeLanes, destinationsOf, HEALTH_RESET, openLanes } from "../lanes/lane-gate.js";
import { BOT, LOCK_BOT, SELECT_BOT } from "./bots.js";

/** The lanes of all its destinations, and these: after the bot, by whatever changes all of them. */
const LOCK_LANES_OF_BOT: Statement = {
  name: "lock-lanes-of-bot",
  text: `
    SELECT bot_key FROM lanes
    WHERE bot_key = ANY (ARRAY(
      SELECT destination_key FROM destinations
      WHERE log_key = (SELECT bot_key FROM bots WHERE id = $1 AND owner_user_id = $2)))
    ORDER BY bot_key FOR UPDATE`,
};
const LOCK_DESTINATIONS_OF_BOT: Statement = {
  name: "lock-destinations-of-bot",
  text: `
    SELECT destination_key FROM destinations
    WHERE log_key = (SELECT bot_key FROM bots WHERE id = $1 AND owner_user_id = $2) ORDER BY destination_key FOR UPDATE`,
};
/**
 * $3: when, $4: who acts, $5: their bit. The platform also takes over what the owner has disabled. The feed has an event
 * when that takes effect: when nobody else keeps the bot disabled.
 */
const DISABLE_BOT: Statement = {
  name: "disable-bot",
  text: `
    WITH bot AS (
      UPDATE bots SET disabled_at = coalesce(disabled_at, $3), updated_at = $3,
        disabled_by = CASE WHEN disabled_at IS NULL THEN 0 ELSE disabled_by END | $5::smallint
      WHERE id = $1 AND owner_user_id = $2
        AND (disabled_at IS NULL OR ($5::smallint = ${BY_PLATFORM} AND disabled_by & ${BY_PLATFORM} = 0))
      RETURNING *),
    lane AS (${closeLanes(destinationsOf("bot"))} RETURNING l.bot_key),
    ${appendToFeed(aboutBot("bot.disabled", "bot b WHERE b.disabled_by = $5"), "$4", forceExecutionOrder("lane"))}
    SELECT ${BOT} FROM bot b`,
};
/** The same parameters. What the platform has disabled stays so for the owner, and what a suspension has, for both. */
const ENABLE_BOT: Statement = {
  name: "enable-bot",
  text: `
    WITH bot AS (
      UPDATE bots SET disabled_at = CASE WHEN disabled_by & ${BY_SUSPENSION} <> 0 THEN disabled_at END,
        disabled_by = disabled_by & ${BY_SUSPENSION}, updated_at = $3
      WHERE id = $1 AND owner_user_id = $2 AND disabled_at IS NOT NULL AND disabled_by <> ${BY_SUSPENSION}
        AND ($5::smallint = ${BY_PLATFORM} OR disabled_by & ${BY_PLATFORM} = 0)
      RETURNING *),
    lane AS (${openLanes(destinationsOf("bot"), "$3")} RETURNING l.bot_key),
    health_reset AS (
      UPDATE destinations dest SET ${HEALTH_RESET} FROM lane WHERE dest.destination_key = lane.bot_key
      RETURNING dest.destination_key),
    ${appendToFeed(aboutBot("bot.enabled", "bot b WHERE b.disabled_at IS NULL"), "$4", forceExecutionOrder("health_reset"))}
    SELECT ${BOT} FROM bot b`,
};

export function disablingVerbs(db: Database, clock: DatabaseClock): Pick<Store, "setBotDisabled"> {
  const firstBot = ([row]: unknown[]) => (row ? omitNulls<Bot>(row) : undefined);
  return {
    /** Without a change the bot is only read. */
    async setBotDisabled(ref, disabled, now) {
      const key = [uuid(ref.botId), ref.ownerUserId];
      const values = [...key, clock.toDatabase(now), actorNumber(ref), disablerBit(ref)];
      const [, , , changed = []] = await db.transaction([
        [LOCK_BOT, key],
        [LOCK_LANES_OF_BOT, key],
        [LOCK_DESTINATIONS_OF_BOT, key],
        [disabled ? DISABLE_BOT : ENABLE_BOT, values],
      ]);
      return firstBot(changed) ?? firstBot(await db.query(SELECT_BOT, key));
    },
  };
}
