import { ATTACHED_ROLE, type BotRole, type Channel } from "../../../domain/events/channel.js";
import { actorNumber, BOT_ATTACHED } from "../../../domain/events/event.js";
import { newId } from "../../../domain/ids.js";
import { FIRST_FEED_KEY } from "../../parts/feed-store.js";
import { isOutbox } from "../../shared/guests.js";
import { omitNulls } from "../../shared/omit-nulls.js";
import { changesOfRoom } from "../../shared/rows/audit-rows.js";
import type { AuditContext, NewRoom, RoomRules, Store } from "../../store.js";
import type { GrowingVerbs } from "../../verbs.js";
import { WAIT_TO_TELL } from "../audit/snapshots.js";
import { whoAsks } from "../audit/who-asks.js";
import { LOCK_OWNER } from "../bots/bots.js";
import { storedSubscriptions } from "../bots/subscriptions.js";
import {
  type Database,
  integers,
  type Statement,
  type Step,
  uuid,
  type Value,
} from "../connection/connection.js";
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
import { TOLD, tellStep } from "../guests/tell.js";
import { type HeadRows, headsOf } from "../logs/log-growth.js";
import { refusalOfRooms } from "./attach-rules.js";
import { LOCK_ATTACHING } from "./attachments.js";
import { CHANNEL } from "./channels.js";
import { growBots, roomBots } from "./room-bots.js";

/** $1: the owner, $2: external ids, $3: the most bots of each channel. */
const SELECT_ROOMS: Statement = {
  name: "select-rooms",
  text: `
    SELECT ${CHANNEL}, (
      SELECT json_agg(json_build_array(a.id, a.role) ORDER BY a.bot_key) FROM (
        SELECT a.bot_key, a.role, b.id
        FROM attachments a CROSS JOIN LATERAL (SELECT id, owner_user_id FROM bots WHERE bot_key = a.bot_key OFFSET 0) b
        WHERE a.channel_key = c.channel_key AND a.bot_key < ${FIRST_FEED_KEY} AND NOT ${isOutbox("b.owner_user_id")}
        ORDER BY a.bot_key LIMIT $3) a) AS bots
    FROM channels c WHERE c.owner_user_id = $1 AND c.external_id = ANY ($2::text[])`,
};
/**
 * $1: the owner, $2: who acts, $3: the most channels of the owner, $4: the time, $5: how far the database's clock is ahead. Channels: $6: ids, $7: slugs,
 * $8: titles, $9: descriptions, $10: external ids, $11: metadata, $12: what bots are told. Bots: $13: ids, $14: in how many of these channels each is to be,
 * $15: subscriptions as they were read, $16 to $18: what each hears, $19: whether it is told that it is attached, $20: the most channels of the owner with
 * it, $21: and of all, $22: the rule of reviews. Attachments: $23: the channel's position, $24: the bot's position, $25: the role or null, $26: the id of
 * what the bot is told. $27: when each channel was created, $28: whether another
 * cell is told, for which the ids of those that were made are left where `tell.ts` finds them.
 *
 * The keys of channels and bots are looked up by position in objects: joins would compare each attachment with each of them. A name that is taken
 * leaves out its channel, whoever takes it at the same moment.
 */
const CREATE_ROOMS: Statement = {
  name: "create-rooms",
  text: `
    WITH found AS MATERIALIZED (
      SELECT w.n, b.bot_key, b.owner_user_id <> $1 AS is_away
      FROM unnest($13::uuid[], $14::integer[], $15::text[]) WITH ORDINALITY AS w (id, uses, subscription, n)
      JOIN bots b ON b.id = w.id AND b.subscription IS NOT DISTINCT FROM w.subscription JOIN lanes l USING (bot_key)
      WHERE ${refusalOfRooms("$1", { ofHolder: "$20", ofAll: "$21" }, "$22::text")} IS NULL
      ORDER BY b.bot_key FOR SHARE OF b),
    noted AS (${noteAway("EXISTS (SELECT FROM found WHERE is_away)")}),
    bot AS MATERIALIZED (SELECT coalesce(jsonb_object_agg(n, bot_key), '{}') AS keys FROM found),
    attachment AS MATERIALIZED (
      SELECT p.*, (bot.keys ->> p.bot::text)::bigint AS bot_key
      FROM unnest($23::integer[], $24::integer[], $25::text[], $26::uuid[]) AS p (room, bot, role, event_id) CROSS JOIN bot),
    c AS (
      INSERT INTO channels (id, slug, title, description, owner_user_id, created_at, external_id, metadata)
      SELECT r.id, r.slug, r.title, r.description, $1, r.created_at, r.external_id, r.metadata
      FROM unnest($6::uuid[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $27::bigint[])
        WITH ORDINALITY AS r (id, slug, title, description, external_id, metadata, created_at, n)
      WHERE r.n <> ALL (ARRAY(SELECT room FROM attachment WHERE bot_key IS NULL))
        AND ($3::bigint IS NULL
          OR (SELECT count(*) FROM (SELECT 1 FROM channels WHERE owner_user_id = $1 LIMIT $3) AS owned) + cardinality($6::uuid[]) <= $3)
      ORDER BY r.n
      ON CONFLICT DO NOTHING RETURNING channel_key, id, owner_user_id, external_id),
    made AS MATERIALIZED (
      SELECT coalesce(jsonb_object_agg(array_position($6::uuid[], id), channel_key), '{}') AS keys FROM c),
    of_made AS MATERIALIZED (
      SELECT a.*, (made.keys ->> a.room::text)::bigint AS channel_key FROM attachment a CROSS JOIN made WHERE made.keys ? a.room::text),
    attached AS (
      INSERT INTO attachments (channel_key, bot_key, role, attached_by, attached_at, post_filter, hears_custom, hears_others)
      SELECT a.channel_key, a.bot_key, coalesce(a.role, '${ATTACHED_ROLE}'), $1, $4::bigint,
        ($16::integer[])[a.bot], ($17::boolean[])[a.bot], ($18::boolean[])[a.bot]
      FROM of_made a
      RETURNING channel_key, bot_key),
    attached_feed AS (${attachToFeed("c")}),
    stored AS (
      INSERT INTO events (id, event_type, payload, created_at, channel_key, is_listed)
      SELECT a.event_id, '${BOT_ATTACHED}', ($12::text[])[a.room], $4::bigint, a.channel_key, false
      FROM of_made a WHERE ($19::boolean[])[a.bot] ORDER BY a.room
      RETURNING id, event_key),
    ${growBots("SELECT bot_key, count(*) AS count FROM attached GROUP BY bot_key", "of_made")},
    ${appendToFeed(
      `${aboutChannel("channel.created", "c")}
      UNION ALL ${aboutAttachment("bot.attached", "attached JOIN bots b USING (bot_key) JOIN c USING (channel_key)")}`,
      "$2",
      forceExecutionOrder("changed", "woken"),
    )}
    SELECT (SELECT json_agg(id) FROM c) AS ids, (SELECT count(*) FROM stored)::integer AS "updateCount", ${HEADS_WITH_FEED},
      CASE WHEN $28::boolean THEN (
        SELECT set_config('${TOLD}', ',"made":' || coalesce(json_agg(id), '[]'), true) FROM c) END`,
};

/** $1: ids of channels that were to be made, $2: ids of entries, $3: what was changed, $4 to $9: who asked. Behind that statement, in its transaction. */
const AUDIT_ROOMS: Statement = {
  name: "audit-rooms",
  text: `
    WITH written AS (
      INSERT INTO audit (id, target_id, changes, owner_user_id, actor_type, actor_id, token_id, operation, request_id, target_type)
      SELECT r.entry_id, r.id::text, r.changes, $4, $5, $6, $7, $8, $9, 'channel'
      FROM unnest($1::uuid[], $2::uuid[], $3::text[]) AS r (id, entry_id, changes)
      WHERE EXISTS (SELECT FROM channels WHERE id = r.id)
      RETURNING id, owner_user_id)
    ${WAIT_TO_TELL}`,
};

const NO_BOUND = Number.MAX_SAFE_INTEGER;

interface RoomsRow {
  /** Of those that were made. */
  ids: string[] | null;
  updateCount: number;
  heads: HeadRows;
}
type RoomRow = Channel & { bots: [botId: string, role: BotRole][] | null };

export function roomVerbs(
  db: Database,
  clock: DatabaseClock,
): Pick<Store, "findRooms"> & Pick<GrowingVerbs, "createRooms"> {
  return {
    async findRooms({ ownerUserId, externalIds }, botsOfEach) {
      const rows = await db.query<RoomRow>(SELECT_ROOMS, [ownerUserId, [...externalIds], botsOfEach]);
      return rows.map(({ bots, ...channel }) => ({
        channel: omitNulls<Channel>(channel),
        bots: (bots ?? []).map(([botId, role]) => ({ botId, role })),
      }));
    },

    async createRooms(rooms, rules) {
      const [first] = rooms;
      if (!first) return { result: [], heads: [] };
      const botIds = [...new Set(rooms.flatMap(({ bots }) => bots.map(({ botId }) => botId)))].sort();
      const subscriptions = await storedSubscriptions(db, botIds);
      const results = await db.transaction([
        [LOCK_OWNER, [`channels of ${first.ownerUserId}`]],
        ...botIds.map((botId): Step => [LOCK_ATTACHING, [`channels of ${botId}`]]),
        LOCK_FEED,
        [CREATE_ROOMS, valuesOf(rooms, first, rules, clock.aheadMs(), subscriptions)],
        ...(first.audit ? [[AUDIT_ROOMS, entriesOf(rooms, first.audit)] satisfies Step] : []),
        // Last, as is the lock of a log of changes.
        ...(first.tell ? [tellStep(first.tell)] : []),
      ]);
      const [row] = results[botIds.length + 2] as RoomsRow[];
      const { ids, updateCount = 0, heads } = row ?? {};
      const made = new Set(ids);
      return { result: rooms.map(({ id }) => made.has(id)), heads: headsOf(heads), updateCount };
    },
  };
}

function entriesOf(rooms: readonly NewRoom[], audit: AuditContext): Value[] {
  return [
    rooms.map(({ id }) => uuid(id)),
    rooms.map(() => newId()),
    rooms.map((room) => JSON.stringify(changesOfRoom(room, room.bots))),
    ...whoAsks(audit),
  ];
}

/** @param subscriptions of the bots that there are; a room with any other is left out */
function valuesOf(
  rooms: readonly NewRoom[],
  first: NewRoom,
  { perOwner, perHolder = NO_BOUND, perBot = NO_BOUND, review = "off" }: RoomRules,
  aheadMs: number,
  subscriptions: ReadonlyMap<string, string | null>,
): Value[] {
  const bots = roomBots(subscriptions);
  const attachments = rooms.flatMap(({ bots: wished }, index) =>
    wished.map(({ botId, role = null }) => ({ room: index + 1, botId, role })),
  );
  return [
    first.ownerUserId,
    actorNumber(first),
    perOwner ?? null,
    first.attachedAt ?? first.createdAt,
    aheadMs,
    rooms.map(({ id }) => uuid(id)),
    rooms.map(({ slug }) => slug),
    rooms.map(({ title }) => title),
    rooms.map(({ description }) => description),
    rooms.map(({ externalId }) => externalId ?? null),
    rooms.map(({ metadata }) => metadata ?? null),
    rooms.map(({ notice }) => notice),
    bots.ids,
    bots.countIn(attachments.map(({ botId }) => botId)),
    bots.subscriptions,
    ...bots.listening,
    bots.hear(BOT_ATTACHED),
    perHolder,
    perBot,
    review,
    integers(attachments.map(({ room }) => room)),
    integers(attachments.map(({ botId }) => bots.positionOf(botId))),
    attachments.map(({ role }) => role),
    attachments.map(() => uuid(newId())),
    integers(rooms.map(({ createdAt }) => createdAt)),
    first.tell !== undefined,
  ];
}
