import { isCustom } from "../../../domain/events/event.js";
import {
  hearsOfItself,
  MENTIONS_ONLY,
  patternsOf,
  type Subscription,
} from "../../../domain/events/subscription.js";
import type { Database } from "../binding.js";
import { feedFinder } from "../feed/feed.js";
import { feedOfChannel } from "../feed/feed-log.js";

interface Listener {
  botKey: number;
  username: string;
  postFilter: number;
}

/** Finds the bots that hear an event other than a post, and the feed's log, which hears every event of a channel. */
export function listeners(db: Database) {
  const selectByPattern = db.prepare(`
    SELECT a.bot_key AS botKey, b.username, a.post_filter AS postFilter
    FROM attachments a INDEXED BY attachments_hearing_others CROSS JOIN bots b USING (bot_key)
    WHERE a.channel_key = ?1 AND a.hears_others = 1 AND a.hears_custom = 0
      AND EXISTS (
        SELECT 1 FROM json_each(b.subscription, '$.eventTypes') e
        WHERE e.value IN (SELECT p.value FROM json_each(?2) p))`);
  const selectHearingCustom = db.prepare(`
    SELECT bot_key AS botKey FROM attachments INDEXED BY attachments_hearing_custom
    WHERE channel_key = ? AND hears_custom = 1`);
  const findFeed = feedFinder(db);
  const feedOf = feedOfChannel(db);
  const selectSubscription = db.prepare("SELECT subscription FROM bots WHERE bot_key = ?");

  const byPattern = (channelKey: number, eventType: string) =>
    selectByPattern.all(channelKey, JSON.stringify(patternsOf(eventType))) as Listener[];

  const withFeed = (channelKey: number, botKeys: number[]): number[] => {
    const feedKey = findFeed() && feedOf(channelKey);
    return feedKey === undefined ? botKeys : [...botKeys, feedKey];
  };

  /** The bots of a channel that hear an event in it, each once, also when several of its entries match. */
  const botsInChannel = (channelKey: number, eventType: string): number[] => {
    const subscribed = byPattern(channelKey, eventType);
    const others = isCustom(eventType) ? (selectHearingCustom.all(channelKey) as Listener[]) : [];
    return unique(subscribed.concat(others));
  };

  return {
    botsInChannel,

    inChannel: (channelKey: number, eventType: string): number[] =>
      withFeed(channelKey, botsInChannel(channelKey, eventType)),

    /** The bots that hear an edit or a deletion of a post; `mentions` are the usernames in its old and new text. */
    ofChange: (channelKey: number, eventType: string, mentions: readonly string[]): number[] =>
      withFeed(
        channelKey,
        unique(
          byPattern(channelKey, eventType).filter(
            ({ username, postFilter }) =>
              !(postFilter & MENTIONS_ONLY) || mentions.includes(username.toLowerCase()),
          ),
        ),
      ),

    /** The bot, if it hears an event that is addressed to it alone. */
    ofBot(botKey: number, eventType: string): number[] {
      const { subscription } = selectSubscription.get(botKey) as { subscription: string | null };
      const parsed = subscription === null ? undefined : (JSON.parse(subscription) as Subscription);
      return hearsOfItself(parsed, eventType) ? [botKey] : [];
    },
  };
}

function unique(listeners: readonly Pick<Listener, "botKey">[]): number[] {
  return [...new Set(listeners.map(({ botKey }) => botKey))];
}
