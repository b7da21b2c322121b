import { listeningOf, MENTIONS_ONLY, type Subscription } from "../../../domain/events/subscription.js";
import type { Listeners } from "../../store.js";
import type { Database } from "../binding.js";
import { feedEventAppender } from "../feed/feed-events.js";
import type { Verbs } from "../verbs.js";
import { aboutBot } from "./bots.js";

/** Stores in attachments what their bots hear, so that appends find it there. */
export function listeningWriter(db: Database) {
  const set = db.prepare(`
    UPDATE attachments SET post_filter = ?1, hears_custom = ?2, hears_others = ?3
    WHERE bot_key = ?4 AND channel_key = ifnull(?5, channel_key)
      AND (post_filter <> ?1 OR hears_custom <> ?2 OR hears_others <> ?3)`);

  /** In one channel, or in all that the bot is attached to. */
  return (botKey: number, subscription: Subscription | undefined, channelKey: number | null = null): void => {
    const { postFilter, hearsCustom, hearsOthers } = listeningOf(subscription);
    set.run(postFilter, hearsCustom ? 1 : 0, hearsOthers ? 1 : 0, botKey, channelKey);
  };
}

export function subscriptionVerbs(
  db: Database,
): Pick<Verbs, "countListeners" | "readSubscription" | "putSubscription"> {
  const count = db.prepare(`
    SELECT count(a.bot_key) FILTER (WHERE a.post_filter < ${MENTIONS_ONLY}) AS posts, count(a.bot_key) AS "all"
    FROM channels c LEFT JOIN attachments a INDEXED BY attachments_by_filter USING (channel_key)
    WHERE c.id = ? GROUP BY c.channel_key`);
  const select = db.prepare("SELECT subscription FROM bots WHERE id = ?");
  const update = db.prepare("UPDATE bots SET subscription = ? WHERE bot_key = ?");
  const selectOwned = db.prepare(`
    SELECT bot_key AS botKey, username, owner_user_id AS ownerUserId, subscription FROM bots WHERE id = ? AND owner_user_id = ifnull(?, owner_user_id)`);
  const setListening = listeningWriter(db);
  const appendToFeed = feedEventAppender(db);
  return {
    countListeners(channelIds) {
      const counts = new Map<string, Listeners>();
      for (const channelId of channelIds) {
        const counted = count.get(channelId) as Listeners | undefined;
        if (counted) counts.set(channelId, counted);
      }
      return counts;
    },

    readSubscription(botId) {
      const bot = select.get(botId) as { subscription: string | null } | undefined;
      return bot && (bot.subscription === null ? null : parseSubscription(bot.subscription));
    },

    putSubscription({ botId, ownerUserId, isPlatform }, subscription) {
      const stored = subscription && JSON.stringify(subscription);
      const bot = selectOwned.get(botId, ownerUserId) as
        | { botKey: number; username: string; ownerUserId: string; subscription: string | null }
        | undefined;
      if (!bot) return false;
      if (bot.subscription === stored) return true;
      update.run(stored, bot.botKey);
      setListening(bot.botKey, subscription ?? undefined);
      const actor = ownerUserId === null ? { botKey: bot.botKey } : { ownerUserId, isPlatform };
      appendToFeed("bot.subscribed", aboutBot(botId, bot.username, bot.ownerUserId), actor);
      return true;
    },
  };
}

export function parseSubscription(text: string): Subscription {
  return JSON.parse(text) as Subscription;
}
