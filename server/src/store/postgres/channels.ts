import type { Attachment, BotChannel, Channel } from "../../domain/channel.js";
import { ATTACHED_ROLE } from "../../domain/channel.js";
import { present } from "../present.js";
import type { Store } from "../store.js";
import { type Database, isDuplicate, type Statement, uuid } from "./connection.js";

type ChannelVerbs = Pick<
  Store,
  | "createChannel"
  | "listChannels"
  | "findChannel"
  | "editChannel"
  | "attachBot"
  | "detachBot"
  | "listBotChannels"
>;

const CHANNEL = `c.id, c.slug, c.title, c.description, c.owner_user_id AS "ownerUserId", c.created_at AS "createdAt",
  (SELECT p.created_at FROM posts p WHERE p.channel_key = c.channel_key ORDER BY p.id DESC LIMIT 1)
    AS "lastActivityAt"`;

const INSERT_CHANNEL: Statement = {
  name: "insert-channel",
  text: `
    INSERT INTO channels (id, slug, title, description, owner_user_id, created_at) VALUES ($1, $2, $3, $4, $5, $6)`,
};
const SELECT_OWNED: Statement = {
  name: "select-owned-channels",
  text: `
    SELECT ${CHANNEL} FROM channels c WHERE c.owner_user_id = $1 AND c.channel_key > $2 ORDER BY c.channel_key LIMIT $3`,
};
const SELECT_KEY: Statement = {
  name: "select-channel-key",
  text: "SELECT channel_key AS key FROM channels WHERE id = $1 AND owner_user_id = $2",
};
const SELECT_CHANNEL: Statement = {
  name: "select-channel",
  text: `SELECT ${CHANNEL} FROM channels c WHERE c.id = $1 AND c.owner_user_id = $2`,
};
const UPDATE_CHANNEL: Statement = {
  name: "update-channel",
  text: `
    UPDATE channels c SET title = coalesce($3, title), description = coalesce($4, description)
    WHERE c.id = $1 AND c.owner_user_id = $2 RETURNING ${CHANNEL}`,
};
/**
 * Attachments of one bot are made one after the other, so that their number is right when it is checked. Not by locking the
 * lane: detaching and deleting lock the attachment first and the lane last, and so must this.
 */
const LOCK_ATTACHING: Statement = {
  name: "lock-attaching",
  text: "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))",
};
/**
 * A repetition only reads who attached first. A bot that is attached to as many channels as $5 allows gives a row without a
 * role. One that is being deleted gives none, and gets no attachment that would outlive it.
 */
const ATTACH: Statement = {
  name: "attach",
  text: `
    WITH pair AS (
      SELECT c.channel_key, b.bot_key FROM bots b, channels c
      WHERE b.id = $1 AND b.owner_user_id = $2 AND c.id = $3 AND c.owner_user_id = $2
      FOR KEY SHARE OF b),
    attached AS (
      INSERT INTO attachments (channel_key, bot_key, role, attached_by)
      SELECT channel_key, bot_key, $4, $2 FROM pair JOIN lanes USING (bot_key)
      WHERE $5::bigint IS NULL OR channel_count < $5
      ON CONFLICT (channel_key, bot_key) DO NOTHING RETURNING bot_key, role, attached_by),
    lane AS (
      UPDATE lanes SET channel_count = channel_count + 1 WHERE bot_key = (SELECT bot_key FROM attached))
    SELECT role, attached_by AS "attachedBy" FROM attached
    UNION ALL
    SELECT a.role, a.attached_by FROM pair LEFT JOIN attachments a USING (channel_key, bot_key)
    WHERE NOT EXISTS (SELECT FROM attached)`,
};
const DETACH: Statement = {
  name: "detach",
  text: `
    WITH detached AS (
      DELETE FROM attachments a USING bots b, channels c
      WHERE b.id = $1 AND b.owner_user_id = $2 AND c.id = $3 AND c.owner_user_id = $2
        AND a.bot_key = b.bot_key AND a.channel_key = c.channel_key
      RETURNING a.bot_key)
    UPDATE lanes SET channel_count = channel_count - 1 WHERE bot_key = (SELECT bot_key FROM detached)
    RETURNING bot_key`,
};
const SELECT_ATTACHED: Statement = {
  name: "select-attached",
  text: `
    SELECT ${CHANNEL}, a.role AS "botRole"
    FROM bots b JOIN attachments a USING (bot_key) JOIN channels c USING (channel_key)
    WHERE b.id = $1 ORDER BY a.channel_key`,
};

export function channelVerbs(db: Database): ChannelVerbs {
  const firstChannel = ([row]: unknown[]) => (row ? present<Channel>(row) : undefined);

  const keyOf = async (channelId: string, ownerUserId: string): Promise<number | undefined> => {
    const [row] = await db.query<{ key: number }>(SELECT_KEY, [uuid(channelId), ownerUserId]);
    return row?.key;
  };

  return {
    async createChannel(channel) {
      const { id, slug, title, description, ownerUserId, createdAt } = channel;
      try {
        await db.query(INSERT_CHANNEL, [id, slug, title, description, ownerUserId, createdAt]);
        return channel;
      } catch (error) {
        if (isDuplicate(error)) return undefined;
        throw error;
      }
    },

    async listChannels(ownerUserId, limit, after) {
      const afterKey = after === undefined ? 0 : await keyOf(after, ownerUserId);
      if (afterKey === undefined) return undefined;
      return (await db.query(SELECT_OWNED, [ownerUserId, afterKey, limit])).map(present<Channel>);
    },

    findChannel: async ({ channelId, ownerUserId }) =>
      firstChannel(await db.query(SELECT_CHANNEL, [uuid(channelId), ownerUserId])),

    editChannel: async ({ channelId, ownerUserId }, { title, description }) =>
      firstChannel(
        await db.query(UPDATE_CHANNEL, [uuid(channelId), ownerUserId, title ?? null, description ?? null]),
      ),

    async attachBot({ botId, ownerUserId }, channelId, maxChannels) {
      const [bot, channel] = [uuid(botId), uuid(channelId)];
      const [, rows = []] = await db.transaction([
        [LOCK_ATTACHING, [`channels of ${botId}`]],
        [ATTACH, [bot, ownerUserId, channel, ATTACHED_ROLE, maxChannels ?? null]],
      ]);
      const [attachment] = rows as (Pick<Attachment, "attachedBy"> & { role: Attachment["role"] | null })[];
      if (!attachment) return undefined;
      const { role, attachedBy } = attachment;
      return role === null ? "too many" : { botId, channelId, role, attachedBy };
    },

    detachBot: async ({ botId, ownerUserId }, channelId) =>
      (await db.query(DETACH, [uuid(botId), ownerUserId, uuid(channelId)])).length === 1,

    listBotChannels: async (botId) =>
      (await db.query(SELECT_ATTACHED, [uuid(botId)])).map(present<BotChannel>),
  };
}
