import type { Bot } from "../../../domain/bots/bot.js";
import { BY_PLATFORM, BY_SUSPENSION, disablerBit } from "../../../domain/bots/disabled-by.js";
import { omitNulls } from "../../shared/omit-nulls.js";
import type { Database } from "../binding.js";
import { feedEventAppender } from "../feed/feed-events.js";
import { laneGate } from "../lanes/lane-gate.js";
import type { Verbs } from "../verbs.js";
import { aboutBot, BOT } from "./bots.js";

export function disablingVerbs(db: Database): Pick<Verbs, "setBotDisabled"> {
  /** The platform also takes over what the owner has disabled, where nothing changes for the bot: it takes effect when nobody else keeps it disabled. */
  const disable = db.prepare(`
    UPDATE bots SET disabled_at = ifnull(disabled_at, ?1), updated_at = ?1,
      disabled_by = CASE WHEN disabled_at IS NULL THEN 0 ELSE disabled_by END | ?4
    WHERE id = ?2 AND owner_user_id = ?3
      AND (disabled_at IS NULL OR (?4 = ${BY_PLATFORM} AND disabled_by & ${BY_PLATFORM} = 0))
    RETURNING bot_key AS botKey, disabled_by = ?4 AS takesEffect`);
  /** What the platform has disabled stays so for the owner, and what a suspension has, for both. */
  const enable = db.prepare(`
    UPDATE bots SET disabled_at = CASE WHEN disabled_by & ${BY_SUSPENSION} <> 0 THEN disabled_at END,
      disabled_by = disabled_by & ${BY_SUSPENSION}, updated_at = ?1
    WHERE id = ?2 AND owner_user_id = ?3 AND disabled_at IS NOT NULL AND disabled_by <> ${BY_SUSPENSION}
      AND (?4 = ${BY_PLATFORM} OR disabled_by & ${BY_PLATFORM} = 0)
    RETURNING bot_key AS botKey, disabled_at IS NULL AS takesEffect`);
  const selectBot = db.prepare(`SELECT ${BOT} FROM bots b WHERE id = ? AND owner_user_id = ?`);
  const selectDestinations = db.prepare(
    "SELECT destination_key AS destinationKey FROM destinations WHERE log_key = ?",
  );
  const gate = laneGate(db);
  const appendToFeed = feedEventAppender(db);

  return {
    setBotDisabled(ref, disabled, now) {
      const change = disabled ? disable : enable;
      const changed = change.get(now, ref.botId, ref.ownerUserId, disablerBit(ref)) as
        | { botKey: number; takesEffect: 0 | 1 }
        | undefined;
      const destinations = changed ? selectDestinations.all(changed.botKey) : [];
      for (const { destinationKey } of destinations as { destinationKey: number }[]) {
        if (disabled) gate.close(destinationKey);
        else gate.open(destinationKey, now);
      }
      const row = selectBot.get(ref.botId, ref.ownerUserId);
      if (!row) return undefined;
      const bot = omitNulls<Bot>(row);
      if (changed?.takesEffect) {
        const about = aboutBot(bot.id, bot.username, ref.ownerUserId);
        appendToFeed(disabled ? "bot.disabled" : "bot.enabled", about, ref);
      }
      return bot;
    },
  };
}
