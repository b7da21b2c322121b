import type { Channel } from "../../../domain/events/channel.js";
import { actorNumber, type StoredEvent } from "../../../domain/events/event.js";
import { patternsOf } from "../../../domain/events/subscription.js";
import { FIRST_FEED_KEY } from "../../parts/feed-store.js";
import { isGuest } from "../../shared/guests.js";
import { omitNulls } from "../../shared/omit-nulls.js";
import type { Store } from "../../store.js";
import type { GrowingVerbs } from "../../verbs.js";
import { LOCK_OWNER } from "../bots/bots.js";
import { type Database, type Statement, uuid } from "../connection/connection.js";
import type { DatabaseClock } from "../connection/database-clock.js";
import { isDuplicate } from "../connection/errors.js";
import { LOCK_CHANNEL } from "../connection/holding.js";
import { attachToFeed, feedIn, LOCK_FEED } from "../feed/feed.js";
import { aboutChannel, appendToFeed, forceExecutionOrder, HEADS_WITH_FEED } from "../feed/feed-events.js";
import {
  APPEND_EVENT,
  DATABASE_NOW_IS,
  eventValues,
  GROWS,
  grownIf,
  HEAD,
  HEADS,
  type HeadRows,
  headsOf,
  IS_CLAIMABLE,
  LANES_OF,
  storeEvent,
} from "../logs/log-growth.js";
import { subscribedIn } from "./listeners.js";

type ChannelVerbs = Pick<
  Store,
  "createChannel" | "listChannels" | "findChannel" | "findExternalChannel" | "findExternalIds" | "findHolders"
> &
  Pick<GrowingVerbs, "editChannel" | "deleteChannel">;

/** The columns of a channel `c`. */
export const CHANNEL = `c.id, c.slug, c.title, c.description, c.owner_user_id AS "ownerUserId",
  c.external_id AS "externalId", c.metadata, c.direct_bot_id AS "directBotId", c.direct_user_id AS "directUserId",
  c.direct_username AS "directUsername", c.created_at AS "createdAt",
  (SELECT p.created_at FROM events p WHERE p.channel_key = c.channel_key AND p.is_listed ORDER BY p.id DESC LIMIT 1)
    AS "lastActivityAt"`;

/**
 * Returns no row when the owner has as many channels as $9 allows; at most that many index entries are read. $10: who acts. $11 to $13: with whom
 * a direct channel of another cell is.
 */
const INSERT_CHANNEL: Statement = {
  name: "insert-channel",
  text: `
    WITH c AS (
      INSERT INTO channels (id, slug, title, description, owner_user_id, created_at, external_id, metadata, direct_bot_id, direct_user_id,
        direct_username)
      SELECT $1, $2, $3, $4, $5, $6, $7, $8, $11, $12, $13
      WHERE $9::bigint IS NULL
        OR (SELECT count(*) FROM (SELECT 1 FROM channels WHERE owner_user_id = $5 LIMIT $9) AS owned) < $9
      RETURNING channel_key, id, owner_user_id, external_id),
    ${appendToFeed(aboutChannel("channel.created", "c"), "$10")},
    attached AS (${attachToFeed("c")})
    SELECT id FROM c`,
};
const SELECT_OWNED: Statement = {
  name: "select-owned-channels",
  text: `
    SELECT ${CHANNEL} FROM channels c
    WHERE c.owner_user_id = $1
      AND c.channel_key > coalesce((SELECT channel_key FROM channels WHERE id <= $2::uuid ORDER BY id DESC LIMIT 1), 0)
    ORDER BY c.channel_key LIMIT $3`,
};
const SELECT_CHANNEL: Statement = {
  name: "select-channel",
  text: `SELECT ${CHANNEL} FROM channels c WHERE c.id = $1 AND c.owner_user_id = $2`,
};
const SELECT_EXTERNAL: Statement = {
  name: "select-external-channel",
  text: `SELECT ${CHANNEL} FROM channels c WHERE c.owner_user_id = $1 AND c.external_id = $2`,
};
const SELECT_EXTERNAL_IDS: Statement = {
  name: "select-external-ids",
  text: `
    SELECT external_id AS "externalId", id FROM channels WHERE owner_user_id = $1 AND external_id = ANY ($2::text[])`,
};
const SELECT_HOLDERS: Statement = {
  name: "select-holders",
  text: `
    SELECT id, owner AS "ownerUserId" FROM (
      SELECT id, owner_user_id AS owner FROM channels WHERE id = ANY ($1::uuid[])
      UNION ALL SELECT id, owner_user_id FROM bots WHERE id = ANY ($1::uuid[])) found
    WHERE NOT ${isGuest("owner")}`,
};
/**
 * $6 and $7: the channel and its owner, $8 and $9: title and description, $10 and $11: both as they were read, $12:
 * patterns, empty when no bot is told, $13 and $14: the new metadata, and as they were read, $15: who acts.
 */
const UPDATE_CHANNEL: Statement = {
  name: "update-channel",
  text: `
    WITH c AS (
      UPDATE channels SET title = $8, description = $9, metadata = $13
      WHERE id = $6 AND owner_user_id = $7 AND title = $10 AND description = $11 AND metadata IS NOT DISTINCT FROM $14
      RETURNING *),
    recipients AS (
      SELECT bot_key FROM (${subscribedIn("(SELECT channel_key FROM c)", "$12")}) subscribed
      UNION ALL
      ${feedIn("(SELECT channel_key FROM c)")} AND $12::text[] <> '{}'),
    stored AS (${storeEvent("c.channel_key", "NULL::bigint", "c JOIN recipients ON true", "NULL", "$15::smallint, NULL::bigint")}),
    ${APPEND_EVENT}
    SELECT ${CHANNEL}, ${HEADS} FROM c`,
};
/** Edits of a channel wait for each other here, and the one that follows sees what the first has written. */
const HOLD_CHANNEL_TO_EDIT: Statement = {
  name: "hold-channel-to-edit",
  text: "SELECT FROM channels WHERE id = $1 AND owner_user_id = $2 FOR NO KEY UPDATE",
};
/**
 * Listeners are written under the lock of their attachment; the deletion begins after that, and removes them.
 */
const LOCK_ATTACHMENTS: Statement = {
  name: "lock-attachments-of-channel",
  text: `
    SELECT count(*) AS count FROM (
      SELECT FROM attachments WHERE channel_key = (SELECT channel_key FROM channels WHERE id = $1) ORDER BY bot_key
      FOR UPDATE) a`,
};
/**
 * $6 and $7: the channel and its owner, $8: patterns, $9: who acts. Locks the lanes in the order of their keys:
 * the lanes of all attached bots, of which some get an update as well, and those of the further destinations of these.
 */
const DELETE_CHANNEL: Statement = {
  name: "delete-channel",
  text: `
    WITH c AS (
      DELETE FROM channels WHERE id = $6 AND owner_user_id = $7 RETURNING channel_key, id, owner_user_id, external_id),
    recipients AS (${subscribedIn("(SELECT channel_key FROM c)", "$8")}),
    stored AS (${storeEvent("0", "NULL::bigint", "c JOIN recipients ON true", "c.owner_user_id")}),
    detached AS (DELETE FROM attachments a USING c WHERE a.channel_key = c.channel_key RETURNING a.bot_key),
    remembered AS (INSERT INTO removed_channels (channel_key, owner_user_id) SELECT channel_key, owner_user_id FROM c),
    locked AS (
      SELECT d.bot_key, k.lane_key, l.is_open
      FROM detached d CROSS JOIN LATERAL (${LANES_OF("d.bot_key")}) k JOIN lanes l ON l.bot_key = k.lane_key
      WHERE d.bot_key < ${FIRST_FEED_KEY} ORDER BY k.lane_key FOR UPDATE OF l),
    told AS (
      SELECT array_agg(bot_key) AS bot_keys FROM recipients),
    ${DATABASE_NOW_IS},
    changed AS (
      UPDATE lanes l SET channel_count = l.channel_count - (g.lane_key = g.bot_key)::integer, ${grownIf("g.bot_key = ANY (told.bot_keys)")}
      FROM locked g CROSS JOIN told CROSS JOIN incarnation_now WHERE l.bot_key = g.lane_key AND ${GROWS}
      RETURNING g.bot_key, ${HEAD}, ${IS_CLAIMABLE} AS is_claimable,
        coalesce(g.bot_key = ANY (told.bot_keys), false) AS has_grown),
    grown AS (SELECT * FROM changed WHERE has_grown AND last_update_id IS NOT NULL),
    woken AS (SELECT * FROM changed WHERE has_grown AND last_update_id IS NULL),
    appended AS (
      INSERT INTO entries (log_key, number, event_key)
      SELECT g.bot_key, g.last_update_id, s.event_key FROM grown g CROSS JOIN stored s),
    ${appendToFeed(aboutChannel("channel.deleted", "c"), "$9", forceExecutionOrder("changed"))}
    SELECT ${HEADS_WITH_FEED} FROM c`,
};
/** Stands for an event when nobody is told. */
const NO_EVENT: StoredEvent = {
  id: "00000000-0000-0000-0000-000000000000",
  eventType: "",
  payload: "",
  createdAt: 0,
};

export function channelVerbs(db: Database, clock: DatabaseClock): ChannelVerbs {
  const firstChannel = ([row]: unknown[]) => (row ? omitNulls<Channel>(row) : undefined);

  const findChannel: Store["findChannel"] = async ({ channelId, ownerUserId }) =>
    firstChannel(await db.query(SELECT_CHANNEL, [uuid(channelId), ownerUserId]));

  const findExternalChannel: Store["findExternalChannel"] = async (ownerUserId, externalId) =>
    firstChannel(await db.query(SELECT_EXTERNAL, [ownerUserId, externalId]));

  const valuesOf = (event: StoredEvent) => [...eventValues(event), clock.aheadMs()];

  return {
    async createChannel(channel, maxChannels) {
      const { id, slug, title, description, ownerUserId, createdAt, externalId, metadata } = channel;
      const own = [externalId ?? null, metadata ?? null];
      try {
        const [, , rows = []] = await db.transaction([
          [LOCK_OWNER, [`channels of ${ownerUserId}`]],
          LOCK_FEED,
          [
            INSERT_CHANNEL,
            [
              id,
              slug,
              title,
              description,
              ownerUserId,
              createdAt,
              ...own,
              maxChannels ?? null,
              actorNumber(channel),
              channel.directBotId ?? null,
              channel.directUserId ?? null,
              channel.directUsername ?? null,
            ],
          ],
        ]);
        if (rows.length > 0) return channel;
        const isThere = externalId !== undefined && (await findExternalChannel(ownerUserId, externalId));
        return isThere ? "external id taken" : "too many";
      } catch (error) {
        if (isDuplicate(error, "channels_by_external_id")) return "external id taken";
        if (!isDuplicate(error)) throw error;
        // The slug's index comes first, also where a call at the same moment has made this very channel.
        const isTwin = externalId !== undefined && (await findExternalChannel(ownerUserId, externalId));
        return isTwin ? "external id taken" : undefined;
      }
    },

    async listChannels(ownerUserId, limit, after) {
      const position = after === undefined ? null : uuid(after);
      return (await db.query(SELECT_OWNED, [ownerUserId, position, limit])).map(omitNulls<Channel>);
    },

    findChannel,

    findExternalChannel,

    async findExternalIds({ ownerUserId, externalIds }) {
      const rows = await db.query<{ externalId: string; id: string }>(SELECT_EXTERNAL_IDS, [
        ownerUserId,
        [...new Set(externalIds)],
      ]);
      return new Map(rows.map(({ externalId, id }) => [externalId, id]));
    },

    async findHolders(ids) {
      const wanted = [...new Set(ids)].map(uuid);
      const rows = await db.query<{ id: string; ownerUserId: string }>(SELECT_HOLDERS, [wanted]);
      return new Map(rows.map(({ id, ownerUserId }) => [id, ownerUserId]));
    },

    async editChannel(ref, { from, to, event }) {
      const { channelId, ownerUserId } = ref;
      const texts = [to.title, to.description, from.title, from.description];
      const patterns = event ? patternsOf(event.eventType) : [];
      const metadata = [to.metadata ?? null, from.metadata ?? null];
      const ids = [uuid(channelId), ownerUserId];
      const [, [row]] = (await db.transaction([
        [HOLD_CHANNEL_TO_EDIT, ids],
        [
          UPDATE_CHANNEL,
          [...valuesOf(event ?? NO_EVENT), ...ids, ...texts, patterns, ...metadata, actorNumber(ref)],
        ],
      ])) as [unknown, (Channel & { heads: HeadRows })[]];
      if (!row) return { result: (await findChannel(ref)) && "outdated", heads: [] };
      const { heads, ...channel } = row;
      return { result: omitNulls<Channel>(channel), heads: headsOf(heads) };
    },

    async deleteChannel(ref, event) {
      const { ownerUserId } = ref;
      const channel = uuid(ref.channelId);
      const patterns = patternsOf(event.eventType);
      const [, , deleted = []] = await db.transaction([
        [LOCK_CHANNEL, [channel, ownerUserId]],
        [LOCK_ATTACHMENTS, [channel]],
        [DELETE_CHANNEL, [...valuesOf(event), channel, ownerUserId, patterns, actorNumber(ref)]],
      ]);
      const [row] = deleted as { heads: HeadRows }[];
      return { result: row !== undefined, heads: headsOf(row?.heads) };
    },
  };
}
