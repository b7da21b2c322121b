import type { Channel } from "../../../domain/events/channel.js";
import { actorType } from "../../../domain/events/event.js";
import type { FeedPayload } from "../../../domain/events/feed-event.js";
import { FIRST_FEED_KEY } from "../../parts/feed-store.js";
import { omitNulls } from "../../shared/omit-nulls.js";
import type { ChannelRef, ChannelRevision, LogHead } from "../../store.js";
import { type Database, isDuplicate } from "../binding.js";
import { feedAttacher } from "../feed/feed.js";
import { feedEventAppender } from "../feed/feed-events.js";
import type { EventVerbs, Verbs } from "../verbs.js";
import { eventWriter } from "./channel-events.js";
import { listeners } from "./listeners.js";

/** The columns of a channel `c`. */
export const CHANNEL = `c.id, c.slug, c.title, c.description, c.owner_user_id AS ownerUserId,
  c.external_id AS externalId, c.metadata, c.direct_bot_id AS directBotId, c.direct_user_id AS directUserId,
  c.direct_username AS directUsername, c.created_at AS createdAt,
  (SELECT p.created_at FROM events p WHERE p.channel_key = c.channel_key AND p.is_listed = 1 ORDER BY p.id DESC LIMIT 1)
    AS lastActivityAt`;

type ChannelVerbs = Pick<
  Verbs,
  "createChannel" | "listChannels" | "findChannel" | "findExternalChannel" | "findExternalIds" | "findHolders"
> &
  Pick<EventVerbs, "editChannel" | "deleteChannel">;

export function channelVerbs(db: Database): ChannelVerbs {
  const insertChannel = db.prepare(`
    INSERT INTO channels (id, slug, title, description, owner_user_id, created_at, external_id, metadata,
      direct_bot_id, direct_user_id, direct_username)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const selectChannel = db.prepare(`SELECT ${CHANNEL} FROM channels c WHERE id = ? AND owner_user_id = ?`);
  const selectExternal = db.prepare(
    `SELECT ${CHANNEL} FROM channels c WHERE owner_user_id = ? AND external_id = ?`,
  );
  /** Finds the channel beyond the cap, if there is one, without counting all of them. */
  const selectOwnedAt = db.prepare(
    "SELECT channel_key FROM channels WHERE owner_user_id = ? LIMIT 1 OFFSET ?",
  );
  const selectExternalId = db.prepare("SELECT id FROM channels WHERE owner_user_id = ? AND external_id = ?");
  const selectHolder = db.prepare(`
    SELECT owner_user_id AS holder FROM channels WHERE id = ?1
    UNION ALL SELECT owner_user_id FROM bots WHERE id = ?1`);
  const selectOwned = db.prepare(`
    SELECT ${CHANNEL} FROM channels c
    WHERE owner_user_id = ?1
      AND channel_key > ifnull((SELECT channel_key FROM channels WHERE id <= ?2 ORDER BY id DESC LIMIT 1), 0)
    ORDER BY channel_key LIMIT +?3`);
  const removeChannel = db.prepare("DELETE FROM channels WHERE channel_key = ?");
  const rememberRemoved = db.prepare(
    "INSERT INTO removed_channels (channel_key, owner_user_id) VALUES (?, ?)",
  );
  const selectChannelKey = db.prepare(
    "SELECT channel_key AS key FROM channels WHERE id = ? AND owner_user_id = ?",
  );
  const uncountAll = db.prepare(`
    UPDATE lanes SET channel_count = channel_count - 1
    WHERE bot_key IN (SELECT bot_key FROM attachments WHERE channel_key = ? AND bot_key < ${FIRST_FEED_KEY})`);
  const detachAll = db.prepare("DELETE FROM attachments WHERE channel_key = ?");
  const findChannel = ({ channelId, ownerUserId }: ChannelRef): Channel | undefined => {
    const row = selectChannel.get(channelId, ownerUserId);
    return row ? omitNulls<Channel>(row) : undefined;
  };
  const idOf = (ownerUserId: string, externalId: string) =>
    (selectExternalId.get(ownerUserId, externalId) as { id: string } | undefined)?.id;
  const channelKey = (id: string, ownerUserId: string) =>
    (selectChannelKey.get(id, ownerUserId) as { key: number } | undefined)?.key;
  const attachFeed = feedAttacher(db);
  const appendToFeed = feedEventAppender(db);
  const { botsInChannel } = listeners(db);
  const writeEvent = eventWriter(db);
  const edit = channelEditor(db);
  return {
    createChannel(channel, maxChannels) {
      try {
        const { id, slug, title, description, ownerUserId, createdAt, externalId, metadata } = channel;
        if (externalId !== undefined && idOf(ownerUserId, externalId) !== undefined) {
          return "external id taken";
        }
        if (maxChannels === 0) return "too many";
        if (maxChannels !== undefined && selectOwnedAt.get(ownerUserId, maxChannels - 1)) return "too many";
        const own = [externalId ?? null, metadata ?? null];
        const { directBotId = null, directUserId = null, directUsername = null } = channel;
        const { lastInsertRowid } = insertChannel.run(
          id,
          slug,
          title,
          description,
          ownerUserId,
          createdAt,
          ...own,
          directBotId,
          directUserId,
          directUsername,
        );
        attachFeed(Number(lastInsertRowid), ownerUserId);
        appendToFeed("channel.created", aboutChannel(channel), channel);
        return channel;
      } catch (error) {
        if (isDuplicate(error)) return undefined;
        throw error;
      }
    },

    listChannels: (ownerUserId, limit, after) =>
      selectOwned.all(ownerUserId, after ?? null, limit).map(omitNulls<Channel>),

    findChannel,

    findExternalChannel(ownerUserId, externalId) {
      const row = selectExternal.get(ownerUserId, externalId);
      return row ? omitNulls<Channel>(row) : undefined;
    },

    findExternalIds: ({ ownerUserId, externalIds }) => found(externalIds, (one) => idOf(ownerUserId, one)),

    findHolders: (ids) =>
      found(ids, (id) => (selectHolder.get(id) as { holder: string } | undefined)?.holder),

    editChannel(ref, revision) {
      const heads = edit(ref, revision);
      const channel = findChannel(ref);
      return channel && heads ? { result: channel, heads } : { result: channel && "outdated", heads: [] };
    },

    deleteChannel(ref, event) {
      const { channelId, ownerUserId } = ref;
      const channel = channelKey(channelId, ownerUserId);
      if (channel === undefined) return { result: false, heads: [] };
      const about = aboutChannel({ ...findChannel({ channelId, ownerUserId }), id: channelId, ownerUserId });
      const botKeys = botsInChannel(channel, event.eventType);
      uncountAll.run(channel);
      detachAll.run(channel);
      removeChannel.run(channel);
      rememberRemoved.run(channel, ownerUserId);
      const heads = botKeys.length > 0 ? writeEvent(event, { ownerUserId }, botKeys) : [];
      return { result: true, heads: heads.concat(appendToFeed("channel.deleted", about, ref)) };
    },
  };
}

/** @returns edits a channel without reading it, and returns by how much logs grow; undefined when its fields are others than they were read */
export function channelEditor(
  db: Database,
): (ref: ChannelRef, revision: ChannelRevision) => LogHead[] | undefined {
  const update = db.prepare(`
    UPDATE channels SET title = ?, description = ?, metadata = ?
    WHERE id = ? AND owner_user_id = ? AND title = ? AND description = ? AND metadata IS ?
    RETURNING channel_key AS key`);
  const { inChannel } = listeners(db);
  const writeEvent = eventWriter(db);
  return (ref, { from, to, event }) => {
    const edited = update.get(
      to.title,
      to.description,
      to.metadata ?? null,
      ref.channelId,
      ref.ownerUserId,
      from.title,
      from.description,
      from.metadata ?? null,
    ) as { key: number } | undefined;
    if (!edited) return undefined;
    const botKeys = event ? inChannel(edited.key, event.eventType) : [];
    if (!event || botKeys.length === 0) return [];
    return writeEvent(event, { channelKey: edited.key, actor: actorType(ref) }, botKeys);
  };
}

/** The results of `find` by name, without names that it does not find. */
function found(names: readonly string[], find: (name: string) => string | undefined): Map<string, string> {
  const all = new Map<string, string>();
  for (const name of names) {
    const one = all.has(name) ? undefined : find(name);
    if (one !== undefined) all.set(name, one);
  }
  return all;
}

/** The payload of an event of the feed about a channel. */
export function aboutChannel({
  id,
  externalId,
  ownerUserId,
}: Pick<Channel, "id" | "externalId" | "ownerUserId">): FeedPayload {
  return { channel_id: id, external_id: externalId, owner_user_id: ownerUserId };
}
