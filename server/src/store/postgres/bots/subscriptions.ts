import { ACTOR_NUMBERS, actorNumber } from "../../../domain/events/event.js";
import { listeningOf, MENTIONS_ONLY, type Subscription } from "../../../domain/events/subscription.js";
import type { Listeners, Store } from "../../store.js";
import { type Database, type Statement, uuid } from "../connection/connection.js";
import { aboutBot, appendToFeed } from "../feed/feed-events.js";

/** $1: the channels. */
const COUNT_LISTENERS: Statement = {
  name: "count-listeners",
  text: `
    SELECT c.id, count(a.bot_key) FILTER (WHERE a.post_filter < ${MENTIONS_ONLY}) AS posts, count(a.bot_key) AS "all"
    FROM channels c LEFT JOIN attachments a USING (channel_key) WHERE c.id = ANY ($1) GROUP BY c.id`,
};
const SELECT: Statement = {
  name: "select-subscription",
  text: "SELECT subscription FROM bots WHERE id = $1",
};
/** $1: the bots. */
const SELECT_OF_MANY: Statement = {
  name: "select-subscriptions",
  text: "SELECT id, subscription FROM bots WHERE id = ANY ($1::uuid[])",
};
/** The bot $1; with $2 only if that is its owner. */
const IS_THE_BOT = "id = $1 AND owner_user_id = coalesce($2, owner_user_id)";
/**
 * Locks the bot first, as attaching does, so that a concurrent attachment either is updated here or reads the new
 * subscription.
 */
const UPDATE: Statement = {
  name: "update-subscription",
  text: `UPDATE bots SET subscription = $3 WHERE ${IS_THE_BOT} RETURNING bot_key`,
};
/** Replicas of a bot set the same at their start; then nothing is written. */
const SELECT_OF_OWNER: Statement = {
  name: "select-subscription-of-owner",
  text: `SELECT subscription FROM bots WHERE ${IS_THE_BOT}`,
};
const THE_BOT = `(SELECT bot_key FROM bots WHERE ${IS_THE_BOT})`;
const SET_FILTERS: Statement = {
  name: "set-post-filters",
  text: `
    WITH locked AS (
      SELECT channel_key, bot_key FROM attachments
      WHERE bot_key = ${THE_BOT} AND (post_filter, hears_custom, hears_others) IS DISTINCT FROM ($3, $4, $5)
      ORDER BY channel_key FOR UPDATE)
    UPDATE attachments a SET post_filter = $3, hears_custom = $4, hears_others = $5 FROM locked
    WHERE a.channel_key = locked.channel_key AND a.bot_key = locked.bot_key`,
};

/** After the attachments, as lanes are locked everywhere. $3: who acts, or null of the bot itself. */
const APPEND_TO_FEED: Statement = {
  name: "tell-feed-of-subscription",
  text: `
    WITH ${appendToFeed(
      aboutBot("bot.subscribed", `bots b WHERE ${IS_THE_BOT}`),
      `coalesce($3, ${ACTOR_NUMBERS.bot})`,
      "true",
      `CASE WHEN $3 IS NULL THEN ${THE_BOT} END`,
    )}
    SELECT FROM feed_grown`,
};

/** Subscriptions as they are stored, by bot, of those that there are. */
export async function storedSubscriptions(
  db: Database,
  botIds: readonly string[],
): Promise<Map<string, string | null>> {
  if (botIds.length === 0) return new Map();
  const values = [botIds.map(uuid)];
  const rows = await db.query<{ id: string; subscription: string | null }>(SELECT_OF_MANY, values);
  return new Map(rows.map(({ id, subscription }) => [id, subscription]));
}

/** A bot's subscription as it is stored: null when it has none; undefined without such a bot, of this owner if one is given. */
export async function storedSubscription(
  db: Database,
  { botId, ownerUserId }: { botId: string; ownerUserId?: string },
): Promise<string | null | undefined> {
  const key = [uuid(botId), ownerUserId ?? null];
  const [bot] = await db.query<{ subscription: string | null }>(SELECT_OF_OWNER, key);
  return bot?.subscription;
}

export function parseSubscription(text: string | null): Subscription | undefined {
  return text === null ? undefined : (JSON.parse(text) as Subscription);
}

export function subscriptionVerbs(
  db: Database,
): Pick<Store, "countListeners" | "readSubscription" | "putSubscription"> {
  return {
    async countListeners(channelIds) {
      const rows = await db.query<Listeners & { id: string }>(COUNT_LISTENERS, [channelIds.map(uuid)]);
      return new Map(rows.map(({ id, ...counts }) => [id, counts]));
    },

    async readSubscription(botId) {
      const [bot] = await db.query<{ subscription: string | null }>(SELECT, [uuid(botId)]);
      return bot && (parseSubscription(bot.subscription) ?? null);
    },

    async putSubscription({ botId, ownerUserId, isPlatform }, subscription) {
      const key = [uuid(botId), ownerUserId];
      const stored = subscription && JSON.stringify(subscription);
      const { postFilter, hearsCustom, hearsOthers } = listeningOf(subscription ?? undefined);
      const [bot] = await db.query<{ subscription: string | null }>(SELECT_OF_OWNER, key);
      if (!bot || bot.subscription === stored) return bot !== undefined;
      const [updated] = await db.transaction([
        [UPDATE, [...key, stored]],
        [SET_FILTERS, [...key, postFilter, hearsCustom, hearsOthers]],
        [APPEND_TO_FEED, [...key, ownerUserId === null ? null : actorNumber({ ownerUserId, isPlatform })]],
      ]);
      return updated?.length === 1;
    },
  };
}
