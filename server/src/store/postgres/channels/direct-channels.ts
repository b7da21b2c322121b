import { ATTACHED_ROLE, type AttachRefusal, type Channel } from "../../../domain/events/channel.js";
import { actorNumber } from "../../../domain/events/event.js";
import { hearsOfItself, listeningOf } from "../../../domain/events/subscription.js";
import { omitNulls } from "../../shared/omit-nulls.js";
import type { Store } from "../../store.js";
import type { GrowingVerbs } from "../../verbs.js";
import { LOCK_OWNER } from "../bots/bots.js";
import { parseSubscription, storedSubscription } from "../bots/subscriptions.js";
import { type Database, type Statement, uuid } from "../connection/connection.js";
import type { DatabaseClock } from "../connection/database-clock.js";
import { noteAway } from "../connection/incarnation.js";
import { attachToFeed, LOCK_FEED } from "../feed/feed.js";
import {
  aboutAttachment,
  aboutChannel,
  appendToFeed,
  forceExecutionOrder,
  HEADS_WITH_FEED,
} from "../feed/feed-events.js";
import { countChannel, eventValues, type HeadRows, headsOf, storeEvent } from "../logs/log-growth.js";
import { refusalOf } from "./attach-rules.js";
import { LOCK_ATTACHING } from "./attachments.js";
import { CHANNEL } from "./channels.js";

type DirectVerbs = Pick<Store, "findDirectChannel"> & Pick<GrowingVerbs, "createDirectChannel">;

/** $1: the owner, $2: the bot, $3: the user, or empty. */
const SELECT_DIRECT: Statement = {
  name: "select-direct-channel",
  text: `
    SELECT ${CHANNEL} FROM channels c
    WHERE c.owner_user_id = $1 AND c.direct_bot_id = $2 AND coalesce(c.direct_user_id, '') = $3`,
};
/**
 * $6: the bot, $7: the owner, $8 to $11: id, slug, title and time of the channel, $12 and $13: the user's id and name or
 * nulls, $14: the most channels of the owner, $15: of them for the bot, $16: the bot's subscription as it was read, from which
 * $17 to $19, what it hears, and $20, whether it hears this event, were computed, $21: who acts, $22: the most channels of the bot, $23: the rule of reviews.
 *
 * Returns no row without the bot. The channel and its attachment are written in one statement, since the lanes of the feed
 * are locked last, after that of the bot.
 */
const CREATE_DIRECT: Statement = {
  name: "create-direct-channel",
  text: `
    WITH b AS (
      SELECT bot_key, id, username, owner_user_id, is_listed, disabled_at, review_status,
        subscription IS NOT DISTINCT FROM $16 AS is_current
      FROM bots WHERE id = $6 FOR SHARE),
    refusal AS (
      SELECT
        EXISTS (
          SELECT FROM channels
          WHERE owner_user_id = $7 AND direct_bot_id = $6 AND coalesce(direct_user_id, '') = coalesce($12, '')) AS is_there,
        (SELECT count(*) FROM (SELECT 1 FROM channels WHERE owner_user_id = $7 LIMIT $14) AS owned) >= $14 AS is_owner_full,
        ${refusalOf("$7", { ofHolder: "$15::bigint", ofAll: "$22::bigint" }, "$23::text")} AS of_bot
      FROM b JOIN lanes l USING (bot_key)),
    c AS (
      INSERT INTO channels
        (id, slug, title, description, owner_user_id, created_at, direct_bot_id, direct_user_id, direct_username)
      SELECT $8, $9, $10, '', $7, $11, $6, $12, $13 FROM b CROSS JOIN refusal
      WHERE is_current AND NOT (is_there OR is_owner_full) AND of_bot IS NULL
      RETURNING channel_key, id, owner_user_id, external_id),
    attached AS (
      INSERT INTO attachments (channel_key, bot_key, role, attached_by, attached_at, post_filter, hears_custom, hears_others)
      SELECT c.channel_key, b.bot_key, '${ATTACHED_ROLE}', $7, $4::bigint, $17::integer, $18::boolean, $19::boolean FROM c CROSS JOIN b
      RETURNING channel_key, bot_key),
    attached_feed AS (${attachToFeed("c")}),
    noted AS (${noteAway("EXISTS (SELECT FROM attached) AND (SELECT owner_user_id FROM b) <> $7")}),
    stored AS (${storeEvent("attached.channel_key", "NULL::bigint", "attached WHERE $20::boolean")}),
    ${countChannel("attached", "+ 1")},
    ${appendToFeed(
      `${aboutChannel("channel.created", "c")}
      UNION ALL ${aboutAttachment("bot.attached", "attached JOIN b USING (bot_key) JOIN c USING (channel_key)")}`,
      "$21",
      forceExecutionOrder("changed", "woken"),
    )}
    SELECT b.is_current AS "isCurrent", is_there AS "isThere", is_owner_full AS "isOwnerFull", of_bot AS "ofBot",
      ${HEADS_WITH_FEED}
    FROM b CROSS JOIN refusal`,
};

interface CreateRow {
  /** Whether the subscription is still the one that was read. */
  isCurrent: boolean;
  isThere: boolean;
  isOwnerFull: boolean;
  /** Why the bot cannot be attached. */
  ofBot: AttachRefusal | "no bot" | null;
  heads: HeadRows;
}

/** Tries when the subscription changes between the read and the write. */
const MAX_RACES = 20;

export function directChannelVerbs(db: Database, clock: DatabaseClock): DirectVerbs {
  return {
    async findDirectChannel({ ownerUserId, botId, userId = "" }) {
      const [row] = await db.query(SELECT_DIRECT, [ownerUserId, uuid(botId), userId]);
      return row ? omitNulls<Channel>(row) : undefined;
    },

    async createDirectChannel(channel, event, { perOwner, perHolder, perBot, review = "off" }) {
      const { ownerUserId, directBotId: botId, directUserId, directUsername } = channel;
      const { id, slug, title, createdAt } = channel;
      for (let races = 0; races < MAX_RACES; races += 1) {
        const subscription = await storedSubscription(db, { botId });
        if (subscription === undefined) break;
        const parsed = parseSubscription(subscription);
        const { postFilter, hearsCustom, hearsOthers } = listeningOf(parsed);
        const isTold = hearsOfItself(parsed, event.eventType);
        const made = [uuid(id), slug, title, createdAt, directUserId ?? null, directUsername ?? null];
        const heard = [subscription, postFilter, hearsCustom, hearsOthers, isTold];
        const [, , , [row]] = (await db.transaction([
          [LOCK_OWNER, [`channels of ${ownerUserId}`]],
          [LOCK_ATTACHING, [`channels of ${botId}`]],
          LOCK_FEED,
          [
            CREATE_DIRECT,
            [
              ...eventValues(event),
              clock.aheadMs(),
              uuid(botId),
              ownerUserId,
              ...made,
              perOwner,
              perHolder ?? null,
              ...heard,
              actorNumber(channel),
              perBot ?? null,
              review,
            ],
          ],
        ])) as [unknown, unknown, unknown, CreateRow[]];
        if (!row) break;
        if (row.isThere) return { result: "there", heads: [] };
        if (row.ofBot === "no bot") break;
        if (row.ofBot) return { result: row.ofBot, heads: [] };
        if (row.isOwnerFull) return { result: "too many channels", heads: [] };
        if (row.isCurrent) return { result: channel, heads: headsOf(row.heads) };
      }
      return { result: undefined, heads: [] };
    },
  };
}
