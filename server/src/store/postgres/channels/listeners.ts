import { MENTIONS_ONLY } from "../../../domain/events/subscription.js";
import { feedIn } from "../feed/feed.js";

/**
 * SQL of the bots of a channel that hear an event other than a post by their
 * subscription.
 *
 * @param channelKey SQL of the channel's key
 * @param patterns SQL of the patterns that match the event
 */
export const subscribedIn = (channelKey: string, patterns: string) => `
      SELECT a.bot_key, a.post_filter FROM attachments a
      WHERE a.channel_key = ${channelKey} AND a.hears_others AND NOT a.hears_custom AND (
        SELECT b.subscription::jsonb -> 'eventTypes' ?| ${patterns}::text[] FROM bots b WHERE b.bot_key = a.bot_key)`;

/** The same with the bots that hear every custom event, and the feed. */
export const hearCustomIn = (channelKey: string, patterns: string) => `
      SELECT bot_key FROM (${subscribedIn(channelKey, patterns)}) subscribed
      UNION ALL
      SELECT bot_key FROM attachments WHERE channel_key = ${channelKey} AND hears_custom
      UNION ALL
      ${feedIn(channelKey)}`;

/**
 * SQL of the bots that hear an edit or a deletion of a post, and the feed; `mentions` are the usernames in its old and
 * new text.
 */
export const hearChangeIn = (channelKey: string, patterns: string, mentions: string) => `
      SELECT s.bot_key FROM (${subscribedIn(channelKey, patterns)}) s
      WHERE s.post_filter & ${MENTIONS_ONLY} = 0 OR EXISTS (
        SELECT FROM bots b WHERE b.bot_key = s.bot_key AND lower(b.username) = ANY (${mentions}::text[]))
      UNION ALL
      ${feedIn(channelKey)}`;
