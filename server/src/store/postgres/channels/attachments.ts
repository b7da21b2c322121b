import {
  ATTACHED_ROLE,
  type Attachment,
  type AttachRefusal,
  type BotChannel,
  type Channel,
} from "../../../domain/events/channel.js";
import { actorNumber, type StoredEvent } from "../../../domain/events/event.js";
import { hearsOfItself, listeningOf } from "../../../domain/events/subscription.js";
import { isOutbox } from "../../shared/guests.js";
import { withTitle } from "../../shared/notice-title.js";
import { omitNulls } from "../../shared/omit-nulls.js";
import { channelBotOf } from "../../shared/rows/channel-bot-row.js";
import { type MembershipRow, membershipOf } from "../../shared/rows/membership-row.js";
import { Contended, type Store } from "../../store.js";
import type { GrowingVerbs } from "../../verbs.js";
import { BOT } from "../bots/bots.js";
import { parseSubscription, storedSubscription } from "../bots/subscriptions.js";
import { type Database, type Statement, uuid } from "../connection/connection.js";
import type { DatabaseClock } from "../connection/database-clock.js";
import { HOLD_CHANNEL_AS_IT_IS } from "../connection/holding.js";
import { noteAway } from "../connection/incarnation.js";
import { aboutAttachment, appendToFeed, forceExecutionOrder, HEADS_WITH_FEED } from "../feed/feed-events.js";
import { countChannel, eventValues, type HeadRows, headsOf, storeEvent } from "../logs/log-growth.js";
import { hasTitleOf, isChangedHere, refusalOf, THE_PAIR } from "./attach-rules.js";
import { CHANNEL } from "./channels.js";
import { detachVerb } from "./detachments.js";

type AttachmentVerbs = Pick<
  Store,
  "findMembership" | "findAttachedChannel" | "listBotChannels" | "listChannelBots" | "listChannelsAway"
> &
  Pick<GrowingVerbs, "attachBot" | "detachBot">;

/**
 * Attachments of one bot are created one after the other, so that the check of their number is right. This must not
 * lock the lane first: detaching and deleting lock the attachment first and the lane last.
 */
export const LOCK_ATTACHING: Statement = {
  name: "lock-attaching",
  text: "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))",
};
/**
 * $6: the bot, $7: the holder, $8: the channel, $9: the role or null, $10: the most channels of the holder, $11: the bot's
 * subscription as it was read, from which $12 to $14, what it hears, and $15, whether it hears this event, were
 * computed, $16: who acts, $17: the most channels of all, $18: the rule of reviews.
 *
 * Nothing is done when the subscription, or the channel's title, is another one by now than was read.
 *
 * Attaching again sets the role, if one is given, and returns who attached first. For a bot that cannot be attached, the row has no
 * role. For a bot that is being deleted there is no row, and no attachment that would outlive it.
 */
const ATTACH: Statement = {
  name: "attach",
  text: `
    WITH pair AS (
      SELECT c.channel_key, b.bot_key, b.subscription IS NOT DISTINCT FROM $11 AND ${hasTitleOf("c", "$3")} AS is_current,
        b.owner_user_id <> $7 AS is_away, ${isChangedHere("$18::text = 'guest'")} AS is_changed_here, ${refusalOf("$7", { ofHolder: "$10::bigint", ofAll: "$17::bigint" }, "$18::text")} AS refusal
      FROM bots b JOIN lanes l USING (bot_key), channels c WHERE b.id = $6 AND c.id = $8 AND c.owner_user_id = $7
      FOR SHARE OF b FOR KEY SHARE OF c),
    attached AS (
      INSERT INTO attachments (channel_key, bot_key, role, attached_by, attached_at, post_filter, hears_custom, hears_others)
      SELECT channel_key, bot_key, coalesce($9, '${ATTACHED_ROLE}'), $7, $4::bigint, $12::integer, $13::boolean, $14::boolean
      FROM pair WHERE is_current AND refusal IS NULL
      ON CONFLICT (channel_key, bot_key) DO NOTHING RETURNING channel_key, bot_key, role, attached_by),
    changed_role AS (
      UPDATE attachments SET role = $9
      WHERE channel_key = (SELECT channel_key FROM pair WHERE is_current AND is_changed_here) AND bot_key = (SELECT bot_key FROM pair)
        AND role <> $9
      RETURNING role, channel_key, bot_key),
    noted AS (${noteAway("EXISTS (SELECT FROM attached) AND (SELECT is_away FROM pair)")}),
    stored AS (${storeEvent("attached.channel_key", "NULL::bigint", "attached WHERE $15::boolean")}),
    ${countChannel("attached", "+ 1")},
    ${appendToFeed(
      `${aboutAttachment("bot.attached", THE_PAIR("attached"))}
      UNION ALL ${aboutAttachment("bot.role_changed", THE_PAIR("changed_role"))}`,
      "$16",
      forceExecutionOrder("changed", "woken"),
    )}
    SELECT role, attached_by AS "attachedBy", true AS "isCurrent", NULL AS refusal, ${HEADS_WITH_FEED} FROM attached
    UNION ALL
    SELECT coalesce((SELECT role FROM changed_role), a.role), a.attached_by, pair.is_current, pair.refusal, ${HEADS_WITH_FEED} FROM pair
    LEFT JOIN attachments a ON a.channel_key = pair.channel_key AND a.bot_key = pair.bot_key AND pair.is_changed_here
    WHERE NOT EXISTS (SELECT FROM attached)`,
};
/** The bot's key is one value: joined to its bot, all of its channels would be read and sorted for each page. */
const SELECT_ATTACHED: Statement = {
  name: "select-attached",
  text: `
    SELECT ${CHANNEL}, a.role AS "botRole"
    FROM attachments a JOIN channels c USING (channel_key)
    WHERE a.bot_key = (SELECT bot_key FROM bots WHERE id = $1)
      AND a.channel_key > coalesce((SELECT channel_key FROM channels WHERE id <= $2::uuid ORDER BY id DESC LIMIT 1), 0)
    ORDER BY a.channel_key LIMIT $3`,
};

const SELECT_AWAY: Statement = {
  name: "select-channels-away",
  text: `
    SELECT c.id FROM bots b JOIN attachments a USING (bot_key) JOIN channels c USING (channel_key)
    WHERE b.id = $1 AND b.owner_user_id = $2 AND (a.attached_by < $2 OR a.attached_by > $2) LIMIT $3`,
};

const channelBots = (name: string, condition = `NOT ${isOutbox("b.owner_user_id")}`): Statement => ({
  name,
  text: `
    SELECT ${BOT}, a.role, a.attached_by AS "attachedBy"
    FROM attachments a JOIN bots b USING (bot_key)
    WHERE a.channel_key = (SELECT channel_key FROM channels WHERE id = $1)
      AND a.bot_key > coalesce((SELECT bot_key FROM bots WHERE id <= $2::uuid ORDER BY id DESC LIMIT 1), 0)
      AND ${condition}
    ORDER BY a.bot_key LIMIT $3`,
});
const SELECT_CHANNEL_BOTS = channelBots("select-channel-bots");
/** $4: the owner of the bots. */
const SELECT_OWN_CHANNEL_BOTS = channelBots("select-own-channel-bots", "b.owner_user_id = $4");

/** $3: the owner of the bot or the holder of the channel. */
const SELECT_ATTACHED_CHANNEL: Statement = {
  name: "select-attached-channel",
  text: `
    SELECT ${CHANNEL} FROM bots b JOIN attachments a USING (bot_key) JOIN channels c USING (channel_key)
    WHERE b.id = $1 AND c.id = $2 AND (b.owner_user_id = $3 OR c.owner_user_id = $3)`,
};

const SELECT_MEMBERSHIP: Statement = {
  name: "select-membership",
  text: `
    SELECT a.role, a.attached_at AS "attachedAt" FROM channels c JOIN attachments a USING (channel_key) JOIN bots b USING (bot_key)
    WHERE c.id = $1 AND b.id = $2`,
};

interface AttachRow {
  /** Null when the bot cannot be attached. */
  role: Attachment["role"] | null;
  refusal: AttachRefusal | "no bot" | null;
  attachedBy: string;
  /** Whether the subscription is still the one that was read. */
  isCurrent: boolean;
  heads: HeadRows;
}

const SELECT_TITLE = { name: "select-title-of-channel", text: "SELECT title FROM channels WHERE id = $1" };

/** Tries when the subscription, or the title, changes between the read and the write. */
const MAX_RACES = 20;

export function attachmentVerbs(db: Database, clock: DatabaseClock): AttachmentVerbs {
  const valuesOf = (event: StoredEvent) => [...eventValues(event), clock.aheadMs()];

  return {
    async attachBot(ref, channelId, event, { perHolder, perBot, review = "off" } = {}, newRole) {
      let told = event;
      for (let races = 0; races < MAX_RACES; races += 1) {
        const subscription = await storedSubscription(db, { botId: ref.botId });
        if (subscription === undefined) return { result: undefined, heads: [] };
        const parsed = parseSubscription(subscription);
        const { postFilter, hearsCustom, hearsOthers } = listeningOf(parsed);
        const isTold = hearsOfItself(parsed, event.eventType);
        const bot = [uuid(ref.botId), ref.ownerUserId, uuid(channelId)];
        const listening = [subscription, postFilter, hearsCustom, hearsOthers, isTold, actorNumber(ref)];
        const [, , rows = []] = await db.transaction([
          [LOCK_ATTACHING, [`channels of ${ref.botId}`]],
          // Also waits for a detachment under way, so that the audit log sees what this one changes.
          [HOLD_CHANNEL_AS_IT_IS, [uuid(channelId)]],
          [
            ATTACH,
            [
              ...valuesOf(told),
              ...bot,
              newRole ?? null,
              perHolder ?? null,
              ...listening,
              perBot ?? null,
              review,
            ],
          ],
        ]);
        const [attachment] = rows as AttachRow[];
        if (!attachment) return { result: undefined, heads: [] };
        if (!attachment.isCurrent) {
          const [channel] = await db.query<{ title: string }>(SELECT_TITLE, [uuid(channelId)]);
          if (channel) told = { ...told, payload: withTitle(told.payload, channel.title) };
          continue;
        }
        const { role, attachedBy, refusal, heads } = attachment;
        if (role === null)
          return { result: refusal === "no bot" ? undefined : (refusal ?? undefined), heads: [] };
        return { result: { botId: ref.botId, channelId, role, attachedBy }, heads: headsOf(heads) };
      }
      throw new Contended(
        "what the bot hears, or the channel's title, is changed all the time: repeat the call",
      );
    },

    async findMembership(botId, channelId) {
      const [row] = await db.query<MembershipRow>(SELECT_MEMBERSHIP, [uuid(channelId), uuid(botId)]);
      return row && membershipOf(row);
    },

    detachBot: detachVerb(db, clock),

    async findAttachedChannel({ botId, ownerUserId }, channelId) {
      const [row] = await db.query(SELECT_ATTACHED_CHANNEL, [uuid(botId), uuid(channelId), ownerUserId]);
      return row ? omitNulls<Channel>(row) : undefined;
    },

    async listChannelBots(channelId, limit, after, ownerUserId) {
      const page = [uuid(channelId), after === undefined ? null : uuid(after), limit];
      const rows =
        ownerUserId === undefined
          ? await db.query(SELECT_CHANNEL_BOTS, page)
          : await db.query(SELECT_OWN_CHANNEL_BOTS, [...page, ownerUserId]);
      return rows.map(channelBotOf);
    },

    listChannelsAway: async ({ botId, ownerUserId }, limit) =>
      (await db.query<{ id: string }>(SELECT_AWAY, [uuid(botId), ownerUserId, limit])).map(({ id }) => id),

    listBotChannels: async (botId, limit, after) =>
      (await db.query(SELECT_ATTACHED, [uuid(botId), after === undefined ? null : uuid(after), limit])).map(
        omitNulls<BotChannel>,
      ),
  };
}
