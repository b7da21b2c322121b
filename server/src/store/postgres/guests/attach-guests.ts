import { actorNumber } from "../../../domain/events/event.js";
import { listeningOf } from "../../../domain/events/subscription.js";
import type { Store } from "../../store.js";
import { parseSubscription, storedSubscriptions } from "../bots/subscriptions.js";
import { LOCK_ATTACHING } from "../channels/attachments.js";
import { type Database, integers, type Statement, type Step, uuid } from "../connection/connection.js";
import { noteAway } from "../connection/incarnation.js";
import { aboutAttachment, appendToFeed, forceExecutionOrder } from "../feed/feed-events.js";

/** $1: channels, $2: bots. */
const SELECT_IN_ROOMS: Statement = {
  name: "select-guests-in-rooms",
  text: `
    SELECT c.id AS "channelId", c.owner_user_id AS "ownerUserId", coalesce(a.bots, '[]') AS bots
    FROM channels c CROSS JOIN LATERAL (
      SELECT json_agg(json_build_object('botId', b.id, 'role', a.role, 'attachedAt', a.attached_at)) AS bots
      FROM (SELECT id, bot_key FROM bots WHERE id = ANY ($2::uuid[]) OFFSET 0) b
      JOIN attachments a ON a.channel_key = c.channel_key AND a.bot_key = b.bot_key) a
    WHERE c.id = ANY ($1::uuid[])`,
};
/**
 * $1: the holder, $2: who acts. Bots: $3: ids, $4: subscriptions as they were read, $5 to $7: what each hears. Attachments: $8: channels, $9: bots,
 * $10: roles, $11: since when. What is attached stays as it is.
 */
const ATTACH_GUESTS: Statement = {
  name: "attach-guests",
  text: `
    WITH bot AS MATERIALIZED (
      SELECT b.id, b.bot_key, w.post_filter, w.hears_custom, w.hears_others
      FROM unnest($3::uuid[], $4::text[], $5::integer[], $6::boolean[], $7::boolean[]) AS w (id, subscription, post_filter, hears_custom, hears_others)
      JOIN bots b ON b.id = w.id AND b.subscription IS NOT DISTINCT FROM w.subscription
      ORDER BY b.bot_key FOR SHARE OF b),
    c AS MATERIALIZED (
      SELECT channel_key, id FROM channels WHERE id = ANY ($8::uuid[]) AND owner_user_id = $1
      ORDER BY channel_key FOR KEY SHARE),
    attached AS (
      INSERT INTO attachments (channel_key, bot_key, role, attached_by, attached_at, post_filter, hears_custom, hears_others)
      SELECT c.channel_key, bot.bot_key, p.role, $1, p.attached_at, bot.post_filter, bot.hears_custom, bot.hears_others
      FROM unnest($8::uuid[], $9::uuid[], $10::text[], $11::bigint[]) AS p (channel_id, bot_id, role, attached_at)
      JOIN c ON c.id = p.channel_id JOIN bot ON bot.id = p.bot_id
      ON CONFLICT (channel_key, bot_key) DO NOTHING RETURNING channel_key, bot_key),
    noted AS (${noteAway("EXISTS (SELECT FROM attached)")}),
    locked AS (
      SELECT g.* FROM (SELECT bot_key, count(*) AS count FROM attached GROUP BY bot_key) g JOIN lanes l USING (bot_key)
      ORDER BY g.bot_key FOR UPDATE OF l),
    changed AS (
      UPDATE lanes l SET channel_count = l.channel_count + g.count FROM locked g WHERE l.bot_key = g.bot_key
      RETURNING l.bot_key),
    ${appendToFeed(
      aboutAttachment(
        "bot.attached",
        "attached JOIN bots b USING (bot_key) JOIN channels c USING (channel_key)",
      ),
      "$2",
      forceExecutionOrder("changed"),
    )}
    SELECT count(*) FROM changed`,
};

export function attachGuestVerbs(db: Database): Pick<Store, "findGuestsIn" | "attachGuests"> {
  return {
    findGuestsIn: (channelIds, botIds) => db.query(SELECT_IN_ROOMS, [channelIds.map(uuid), botIds.map(uuid)]),

    async attachGuests(holder, attachments) {
      const botIds = [...new Set(attachments.map(({ botId }) => botId))].sort();
      const bots = [...(await storedSubscriptions(db, botIds))].map(([id, subscription]) => ({
        id,
        subscription,
      }));
      const heard = bots.map(({ subscription }) => listeningOf(parseSubscription(subscription)));
      await db.transaction([
        ...botIds.map((botId): Step => [LOCK_ATTACHING, [`channels of ${botId}`]]),
        [
          ATTACH_GUESTS,
          [
            holder.ownerUserId,
            actorNumber(holder),
            bots.map(({ id }) => uuid(id)),
            bots.map(({ subscription }) => subscription),
            integers(heard.map(({ postFilter }) => postFilter)),
            heard.map(({ hearsCustom }) => hearsCustom),
            heard.map(({ hearsOthers }) => hearsOthers),
            attachments.map(({ channelId }) => uuid(channelId)),
            attachments.map(({ botId }) => uuid(botId)),
            attachments.map(({ role }) => role),
            integers(attachments.map(({ attachedAt }) => attachedAt)),
          ],
        ],
      ]);
    },
  };
}
