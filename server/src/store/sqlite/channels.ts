import { ATTACHED_ROLE, type Attachment, type BotChannel, type Channel } from "../../domain/channel.js";
import { present } from "../present.js";
import type { BotRef, ChannelRef } from "../store.js";
import { type Database, isDuplicate } from "./binding.js";
import type { Verbs } from "./verbs.js";

const CHANNEL = `c.id, c.slug, c.title, c.description, c.owner_user_id AS ownerUserId, c.created_at AS createdAt,
  (SELECT p.created_at FROM posts p WHERE p.channel_key = c.channel_key ORDER BY p.id DESC LIMIT 1)
    AS lastActivityAt`;

type ChannelVerbs = Pick<
  Verbs,
  | "createChannel"
  | "listChannels"
  | "findChannel"
  | "editChannel"
  | "attachBot"
  | "detachBot"
  | "listBotChannels"
>;

export function channelVerbs(db: Database): ChannelVerbs {
  const insertChannel = db.prepare(`
    INSERT INTO channels (id, slug, title, description, owner_user_id, created_at) VALUES (?, ?, ?, ?, ?, ?)`);
  const selectChannel = db.prepare(`SELECT ${CHANNEL} FROM channels c WHERE id = ? AND owner_user_id = ?`);
  const selectOwned = db.prepare(`
    SELECT ${CHANNEL} FROM channels c WHERE owner_user_id = ? AND channel_key > ? ORDER BY channel_key LIMIT +?`);
  const updateChannel = db.prepare(`
    UPDATE channels SET title = ifnull(?, title), description = ifnull(?, description)
    WHERE id = ? AND owner_user_id = ?`);
  const selectChannelKey = db.prepare(
    "SELECT channel_key AS key FROM channels WHERE id = ? AND owner_user_id = ?",
  );
  const selectBotKey = db.prepare("SELECT bot_key AS key FROM bots WHERE id = ? AND owner_user_id = ?");
  const insertAttachment = db.prepare(`
    INSERT INTO attachments (channel_key, bot_key, role, attached_by) VALUES (?, ?, ?, ?)
    ON CONFLICT (channel_key, bot_key) DO NOTHING`);
  const selectAttachment = db.prepare(`
    SELECT role, attached_by AS attachedBy FROM attachments WHERE channel_key = ? AND bot_key = ?`);
  const removeAttachment = db.prepare("DELETE FROM attachments WHERE channel_key = ? AND bot_key = ?");
  const countChannels = db.prepare("UPDATE lanes SET channel_count = channel_count + ? WHERE bot_key = ?");
  const selectCount = db.prepare("SELECT channel_count AS count FROM lanes WHERE bot_key = ?");
  const selectAttached = db.prepare(`
    SELECT ${CHANNEL}, a.role AS botRole
    FROM bots b JOIN attachments a USING (bot_key) JOIN channels c USING (channel_key)
    WHERE b.id = ? ORDER BY a.channel_key`);

  const findChannel = ({ channelId, ownerUserId }: ChannelRef): Channel | undefined => {
    const row = selectChannel.get(channelId, ownerUserId);
    return row ? present<Channel>(row) : undefined;
  };
  const channelKey = (id: string, ownerUserId: string) =>
    (selectChannelKey.get(id, ownerUserId) as { key: number } | undefined)?.key;
  const botKey = ({ botId, ownerUserId }: BotRef) =>
    (selectBotKey.get(botId, ownerUserId) as { key: number } | undefined)?.key;
  const isFull = (bot: number, maxChannels: number | undefined) =>
    maxChannels !== undefined && (selectCount.get(bot) as { count: number }).count >= maxChannels;

  return {
    createChannel(channel) {
      try {
        const { id, slug, title, description, ownerUserId, createdAt } = channel;
        insertChannel.run(id, slug, title, description, ownerUserId, createdAt);
        return channel;
      } catch (error) {
        if (isDuplicate(error)) return undefined;
        throw error;
      }
    },

    listChannels(ownerUserId, limit, after) {
      const afterKey = after === undefined ? 0 : channelKey(after, ownerUserId);
      if (afterKey === undefined) return undefined;
      return selectOwned.all(ownerUserId, afterKey, limit).map(present<Channel>);
    },

    findChannel,

    editChannel(ref, { title, description }) {
      updateChannel.run(title ?? null, description ?? null, ref.channelId, ref.ownerUserId);
      return findChannel(ref);
    },

    attachBot(ref, channelId, maxChannels) {
      const bot = botKey(ref);
      const channel = channelKey(channelId, ref.ownerUserId);
      if (bot === undefined || channel === undefined) return undefined;
      if (isFull(bot, maxChannels) && !selectAttachment.get(channel, bot)) return "too many";
      const { changes } = insertAttachment.run(channel, bot, ATTACHED_ROLE, ref.ownerUserId);
      if (changes === 1) countChannels.run(1, bot);
      const attachment = selectAttachment.get(channel, bot) as Pick<Attachment, "role" | "attachedBy">;
      return { botId: ref.botId, channelId, role: attachment.role, attachedBy: attachment.attachedBy };
    },

    detachBot(ref, channelId) {
      const bot = botKey(ref);
      const channel = channelKey(channelId, ref.ownerUserId);
      if (bot === undefined || channel === undefined) return false;
      if (removeAttachment.run(channel, bot).changes === 0) return false;
      countChannels.run(-1, bot);
      return true;
    },

    listBotChannels: (botId) => selectAttached.all(botId).map(present<BotChannel>),
  };
}
