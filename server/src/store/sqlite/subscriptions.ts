import { listeningOf, MENTIONS_ONLY, type Subscription } from "../../domain/subscription.js";
import type { Listeners } from "../store.js";
import type { Database } from "./binding.js";
import type { Verbs } from "./verbs.js";

/** Stores in attachments what their bots hear, so that appends find it there. */
export function listeningWriter(db: Database) {
  const setFilter = db.prepare(`
    UPDATE attachments SET post_filter = ?1, hears_custom = ?2 WHERE bot_key = ?3 AND channel_key = ifnull(?4, channel_key)`);
  const removeListeners = db.prepare(`
    DELETE FROM event_listeners WHERE bot_key = ?1 AND channel_key = ifnull(?2, channel_key)`);
  const insertListeners = db.prepare(`
    INSERT INTO event_listeners (channel_key, pattern, bot_key)
    SELECT a.channel_key, p.value, a.bot_key FROM attachments a CROSS JOIN json_each(?1) p
    WHERE a.bot_key = ?2 AND a.channel_key = ifnull(?3, a.channel_key)`);

  return {
    /** In one channel, or in all that the bot is attached to. */
    set(botKey: number, subscription: Subscription | undefined, channelKey: number | null = null): void {
      const { postFilter, hearsCustom, patterns } = listeningOf(subscription);
      setFilter.run(postFilter, hearsCustom ? 1 : 0, botKey, channelKey);
      removeListeners.run(botKey, channelKey);
      if (patterns.length > 0) insertListeners.run(JSON.stringify(patterns), botKey, channelKey);
    },

    /** To be called after the bot was detached from one channel, or from all. */
    remove: (botKey: number, channelKey: number | null = null) => removeListeners.run(botKey, channelKey),
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
  const update = db.prepare(`
    UPDATE bots SET subscription = ? WHERE id = ? AND owner_user_id = ifnull(?, owner_user_id) RETURNING bot_key AS botKey`);
  const listening = listeningWriter(db);
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

    putSubscription({ botId, ownerUserId }, subscription) {
      const stored = subscription && JSON.stringify(subscription);
      const bot = update.get(stored, botId, ownerUserId) as { botKey: number } | undefined;
      if (!bot) return false;
      listening.set(bot.botKey, subscription ?? undefined);
      return true;
    },
  };
}

export function parseSubscription(text: string): Subscription {
  return JSON.parse(text) as Subscription;
}
