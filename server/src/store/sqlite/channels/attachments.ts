import type { AttachConditions } from "../../../domain/bots/listing.js";
import {
  ATTACHED_ROLE,
  type Attachment,
  type AttachRefusal,
  type BotChannel,
  type Channel,
} from "../../../domain/events/channel.js";
import type { StoredEvent } from "../../../domain/events/event.js";
import { isOffered } from "../../shared/listing.js";
import { withTitle } from "../../shared/notice-title.js";
import { omitNulls } from "../../shared/omit-nulls.js";
import { channelBotOf } from "../../shared/rows/channel-bot-row.js";
import type { LogHead } from "../../store.js";
import type { Database } from "../binding.js";
import { BOT } from "../bots/bots.js";
import { listeningWriter, parseSubscription } from "../bots/subscriptions.js";
import { feedEventAppender } from "../feed/feed-events.js";
import type { EventVerbs, Verbs } from "../verbs.js";
import { eventWriter } from "./channel-events.js";
import { aboutChannel, CHANNEL } from "./channels.js";
import { listeners } from "./listeners.js";

type AttachmentVerbs = Pick<
  Verbs,
  "findAttachedChannel" | "listBotChannels" | "listChannelBots" | "listChannelsAway"
> &
  Pick<EventVerbs, "attachBot" | "detachBot">;

/** A bot, and how many channels it is attached to. */
interface Bot {
  botKey: number;
  username: string;
  ownerUserId: string;
  subscription: string | null;
  channelCount: number;
}

interface ChannelRow {
  channelKey: number;
  holder: string;
  externalId: string | null;
  title: string;
}

export interface Attachments {
  verbs: AttachmentVerbs;
  /** Why a bot cannot be attached to another channel of this holder; "no bot" when it is not theirs and not offered to them. */
  refusal(botId: string, holder: string, rules: AttachConditions): AttachRefusal | "no bot" | undefined;
}

export function attachments(db: Database): Attachments {
  const selectBot = db.prepare(`
    SELECT b.bot_key AS botKey, b.username, b.owner_user_id AS ownerUserId, b.subscription, l.channel_count AS channelCount
    FROM bots b JOIN lanes l USING (bot_key) WHERE b.id = ?`);
  const selectIsOffered = db.prepare(
    `SELECT 1 FROM bots b WHERE b.bot_key = ?1 AND b.is_listed AND ${isOffered("?2")}`,
  );
  const selectRow = db.prepare(`
    SELECT channel_key AS channelKey, owner_user_id AS holder, external_id AS externalId, title FROM channels WHERE id = ?`);
  /** Finds the attachment at the cap, if there is one, without counting all of them. */
  const selectHeldAt = db.prepare(
    "SELECT 1 FROM attachments WHERE bot_key = ? AND attached_by = ? LIMIT 1 OFFSET ?",
  );
  const insert = db.prepare(`
    INSERT INTO attachments (channel_key, bot_key, role, attached_by, attached_at) VALUES (?, ?, ?, ?, ?)`);
  const setRole = db.prepare(
    "UPDATE attachments SET role = ?1 WHERE channel_key = ?2 AND bot_key = ?3 AND role <> ?1",
  );
  const select = db.prepare(`
    SELECT role, attached_by AS attachedBy FROM attachments WHERE channel_key = ? AND bot_key = ?`);
  const remove = db.prepare("DELETE FROM attachments WHERE channel_key = ? AND bot_key = ?");
  const countChannels = db.prepare("UPDATE lanes SET channel_count = channel_count + ? WHERE bot_key = ?");
  const selectChannel = db.prepare(`
    SELECT ${CHANNEL} FROM bots b JOIN attachments a USING (bot_key) JOIN channels c USING (channel_key)
    WHERE b.id = ?1 AND c.id = ?2 AND (b.owner_user_id = ?3 OR c.owner_user_id = ?3)`);
  const selectChannels = db.prepare(`
    SELECT ${CHANNEL}, a.role AS botRole
    FROM bots b JOIN attachments a USING (bot_key) JOIN channels c USING (channel_key)
    WHERE b.id = ?1
      AND a.channel_key > ifnull((SELECT channel_key FROM channels WHERE id <= ?2 ORDER BY id DESC LIMIT 1), 0)
    ORDER BY a.channel_key LIMIT +?3`);
  const selectAway = db.prepare(`
    SELECT c.id FROM bots b JOIN attachments a INDEXED BY attachments_by_holder USING (bot_key) JOIN channels c USING (channel_key)
    WHERE b.id = ?1 AND b.owner_user_id = ?2 AND (a.attached_by < ?2 OR a.attached_by > ?2) LIMIT +?3`);
  const selectBots = db.prepare(`
    SELECT ${BOT}, a.role, a.attached_by AS attachedBy
    FROM attachments a JOIN bots b USING (bot_key)
    WHERE a.channel_key = (SELECT channel_key FROM channels WHERE id = ?1)
      AND a.bot_key > ifnull((SELECT bot_key FROM bots WHERE id <= ?2 ORDER BY id DESC LIMIT 1), 0)
      AND b.owner_user_id = ifnull(?4, b.owner_user_id)
    ORDER BY a.bot_key LIMIT +?3`);
  const appendToFeed = feedEventAppender(db);
  const setListening = listeningWriter(db);
  const { ofBot } = listeners(db);
  const writeEvent = eventWriter(db);

  const findBot = (botId: string) => selectBot.get(botId) as Bot | undefined;
  const findChannel = (channelId: string) => selectRow.get(channelId) as ChannelRow | undefined;
  const find = ({ channelKey }: ChannelRow, { botKey }: Bot) =>
    select.get(channelKey, botKey) as Pick<Attachment, "role" | "attachedBy"> | undefined;

  /** Tells a bot what happened to it; nothing is stored when the bot does not hear it. */
  const tellBot = (event: StoredEvent, { channelKey }: ChannelRow, { botKey }: Bot): LogHead[] => {
    const botKeys = ofBot(botKey, event.eventType);
    return botKeys.length > 0 ? writeEvent(event, { channelKey }, botKeys) : [];
  };

  /** The payload of an event of the feed about a bot in a channel. */
  const about = (botId: string, { username, ownerUserId }: Bot, channelId: string, channel: ChannelRow) => ({
    bot_id: botId,
    ...(ownerUserId === channel.holder && { username }),
    ...aboutChannel({
      id: channelId,
      ownerUserId: channel.holder,
      ...(channel.externalId !== null && { externalId: channel.externalId }),
    }),
  });

  const refusalOf = (
    { botKey, channelCount, ownerUserId }: Bot,
    holder: string,
    { perHolder, perBot, review = "off" }: AttachConditions,
  ): AttachRefusal | "no bot" | undefined => {
    if (ownerUserId !== holder && !selectIsOffered.get(botKey, review)) return "no bot";
    const mayHold = perHolder === undefined || channelCount < perHolder;
    if (!mayHold && selectHeldAt.get(botKey, holder, perHolder - 1)) return "too many";
    return perBot !== undefined && channelCount >= perBot ? "bot full" : undefined;
  };

  const verbs: AttachmentVerbs = {
    attachBot(ref, channelId, event, rules = {}, newRole) {
      const { botId, ownerUserId: holder } = ref;
      const bot = findBot(botId);
      const channel = findChannel(channelId);
      if (!bot || channel?.holder !== holder) return { result: undefined, heads: [] };
      const { botKey, subscription } = bot;
      const { channelKey } = channel;
      const attached = find(channel, bot);
      if (attached) {
        const isOther = newRole !== undefined && setRole.run(newRole, channelKey, botKey).changes === 1;
        const told = isOther
          ? appendToFeed("bot.role_changed", about(botId, bot, channelId, channel), ref)
          : [];
        const { role, attachedBy } = attached;
        return { result: { botId, channelId, role: newRole ?? role, attachedBy }, heads: told };
      }
      const refused = refusalOf(bot, holder, rules);
      if (refused) return { result: refused === "no bot" ? undefined : refused, heads: [] };
      const role = newRole ?? ATTACHED_ROLE;
      insert.run(channelKey, botKey, role, holder, event.createdAt);
      countChannels.run(1, botKey);
      let heads: LogHead[] = [];
      if (subscription !== null) {
        setListening(botKey, parseSubscription(subscription), channelKey);
        heads = tellBot({ ...event, payload: withTitle(event.payload, channel.title) }, channel, bot);
      }
      const told = appendToFeed("bot.attached", about(botId, bot, channelId, channel), ref);
      return { result: { botId, channelId, role, attachedBy: holder }, heads: heads.concat(told) };
    },

    detachBot(ref, channelId, event) {
      const { botId, ownerUserId: who } = ref;
      const bot = findBot(botId);
      const channel = findChannel(channelId);
      if (!bot || !channel || (bot.ownerUserId !== who && channel.holder !== who))
        return { result: false, heads: [] };
      const { botKey } = bot;
      if (remove.run(channel.channelKey, botKey).changes === 0) return { result: false, heads: [] };
      countChannels.run(-1, botKey);
      // Whose owner takes it out of a channel of another owner has left it.
      const actor = channel.holder === who || ref.isPlatform ? ref : { botKey };
      const told = appendToFeed("bot.detached", about(botId, bot, channelId, channel), actor);
      return { result: true, heads: tellBot(event, channel, bot).concat(told) };
    },

    findAttachedChannel({ botId, ownerUserId }, channelId) {
      const row = selectChannel.get(botId, channelId, ownerUserId);
      return row ? omitNulls<Channel>(row) : undefined;
    },

    listChannelBots: (channelId, limit, after, ownerUserId) =>
      selectBots.all(channelId, after ?? null, limit, ownerUserId ?? null).map(channelBotOf),

    listChannelsAway: ({ botId, ownerUserId }, limit) =>
      (selectAway.all(botId, ownerUserId, limit) as { id: string }[]).map(({ id }) => id),

    listBotChannels: (botId, limit, after) =>
      selectChannels.all(botId, after ?? null, limit).map(omitNulls<BotChannel>),
  };

  return {
    verbs,
    refusal(botId, holder, rules) {
      const bot = findBot(botId);
      return bot ? refusalOf(bot, holder, rules) : "no bot";
    },
  };
}
