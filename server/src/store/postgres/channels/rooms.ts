import { ATTACHED_ROLE, type BotRole, type Channel } from "../../../domain/events/channel.js";
import { actorNumber, BOT_ATTACHED } from "../../../domain/events/event.js";
import { hearsOfItself, listeningOf } from "../../../domain/events/subscription.js";
import { newId } from "../../../domain/ids.js";
import { FIRST_FEED_KEY } from "../../parts/feed-store.js";
import { isGuest, isOutbox } from "../../shared/guests.js";
import { omitNulls } from "../../shared/omit-nulls.js";
import { auditValues, changesOfRoom } from "../../shared/rows/audit-rows.js";
import type { AuditContext, ChangeNotice, NewRoom, RoomRules, Store } from "../../store.js";
import { WAIT_TO_TELL } from "../audit/snapshots.js";
import { LOCK_OWNER } from "../bots/bots.js";
import { parseSubscription } from "../bots/subscriptions.js";
import {
  type Database,
  integers,
  type Statement,
  type Step,
  uuid,
  type Value,
} from "../connection/connection.js";
import { noteAway } from "../connection/incarnation.js";
import { LOCK_FEED, PARTITION_OF } from "../feed/feed.js";
import { aboutAttachment, aboutChannel, appendToFeed, forceExecutionOrder } from "../feed/feed-events.js";
import { TOLD, tellStep } from "../guests/tell.js";
import { refusalOf } from "./attach-rules.js";
import { LOCK_ATTACHING } from "./attachments.js";
import { CHANNEL } from "./channels.js";

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
const SELECT_SUBSCRIPTIONS: Statement = {
  name: "select-subscriptions-of-rooms",
  text: "SELECT id, subscription FROM bots WHERE id = ANY ($1::uuid[])",
};
/** In how many channels a bot may be before, so that these are not too many. */
const MOST_BEFORE = (most: string) => `greatest(${most}::bigint + 1 - w.uses, 0)`;
/**
 * $1: the owner, $2: who acts, $3: the most channels of the owner, $4: of a bot those of the owner, $21: and of all, $22: the rule of reviews. Channels: $5: ids, $6: slugs, $7: titles, $8: descriptions,
 * $9: external ids, $10: metadata, $11: the time. Bots: $12: ids, $13: in how many of these channels each is to be, $14: subscriptions as they
 * were read, $15 to $17: what each hears. Attachments: $18: the channel's position, $19: the bot's position, $20: the role or null.
 *
 * The keys of channels and bots are looked up by position in objects: joins would compare each attachment with each of them. A name that is taken
 * leaves out its channel, whoever takes it at the same moment.
 */
const CREATE_ROOMS: Statement = {
  name: "create-rooms",
  text: `
    WITH found AS MATERIALIZED (
      SELECT w.n, b.bot_key, b.owner_user_id <> $1 AS is_away
      FROM unnest($12::uuid[], $13::integer[], $14::text[]) WITH ORDINALITY AS w (id, uses, subscription, n)
      JOIN bots b ON b.id = w.id AND b.subscription IS NOT DISTINCT FROM w.subscription JOIN lanes l USING (bot_key)
      WHERE ${refusalOf("$1", { ofHolder: MOST_BEFORE("$4"), ofAll: MOST_BEFORE("$21") }, "$22::text")} IS NULL
      ORDER BY b.bot_key FOR SHARE OF b),
    noted AS (${noteAway("EXISTS (SELECT FROM found WHERE is_away)")}),
    bot AS MATERIALIZED (SELECT coalesce(jsonb_object_agg(n, bot_key), '{}') AS keys FROM found),
    attachment AS MATERIALIZED (
      SELECT p.*, bot.keys ->> p.bot::text AS bot_key
      FROM unnest($18::integer[], $19::integer[], $20::text[]) AS p (room, bot, role) CROSS JOIN bot),
    c AS (
      INSERT INTO channels (id, slug, title, description, owner_user_id, created_at, external_id, metadata)
      SELECT r.id, r.slug, r.title, r.description, $1, $11::bigint, r.external_id, r.metadata
      FROM unnest($5::uuid[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[])
        WITH ORDINALITY AS r (id, slug, title, description, external_id, metadata, n)
      WHERE r.n <> ALL (ARRAY(SELECT room FROM attachment WHERE bot_key IS NULL))
        AND ($3::bigint IS NULL
          OR (SELECT count(*) FROM (SELECT 1 FROM channels WHERE owner_user_id = $1 LIMIT $3) AS owned) + cardinality($5::uuid[]) <= $3)
      ORDER BY r.n
      ON CONFLICT DO NOTHING RETURNING channel_key, id, owner_user_id, external_id),
    made AS MATERIALIZED (
      SELECT coalesce(jsonb_object_agg(array_position($5::uuid[], id), channel_key), '{}') AS keys FROM c),
    attached AS (
      INSERT INTO attachments (channel_key, bot_key, role, attached_by, attached_at, post_filter, hears_custom, hears_others)
      SELECT (made.keys ->> a.room::text)::bigint, a.bot_key::bigint, coalesce(a.role, '${ATTACHED_ROLE}'), $1, $11::bigint,
        ($15::integer[])[a.bot], ($16::boolean[])[a.bot], ($17::boolean[])[a.bot]
      FROM attachment a CROSS JOIN made WHERE made.keys ? a.room::text
      RETURNING channel_key, bot_key),
    attached_feed AS (
      INSERT INTO attachments (channel_key, bot_key, role, attached_by, post_filter, hears_custom)
      SELECT c.channel_key, ${PARTITION_OF("c.owner_user_id")}, 'feed', '', 0, false
      FROM c JOIN feed f ON f.id = 1 AND f.partitions > 0 WHERE NOT ${isGuest("c.owner_user_id")}),
    locked AS (
      SELECT g.* FROM (SELECT bot_key, count(*) AS count FROM attached GROUP BY bot_key) g JOIN lanes l USING (bot_key)
      ORDER BY g.bot_key FOR UPDATE OF l),
    changed AS (
      UPDATE lanes l SET channel_count = l.channel_count + g.count FROM locked g WHERE l.bot_key = g.bot_key
      RETURNING l.bot_key),
    ${appendToFeed(
      `${aboutChannel("channel.created", "c")}
      UNION ALL ${aboutAttachment("bot.attached", "attached JOIN bots b USING (bot_key) JOIN c USING (channel_key)")}`,
      "$2",
      forceExecutionOrder("changed"),
    )}
    SELECT id FROM c`,
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

/** $1: ids of channels that were to be made. What is told to another cell says which were. */
const NOTE_MADE: Statement = {
  name: "note-rooms-made",
  text: `
    SELECT set_config('${TOLD}', ',"made":' || (SELECT coalesce(json_agg(id), '[]') FROM channels WHERE id = ANY ($1::uuid[])), true)`,
};

const NO_BOUND = Number.MAX_SAFE_INTEGER;

type RoomRow = Channel & { bots: [botId: string, role: BotRole][] | null };

export function roomVerbs(db: Database): Pick<Store, "findRooms" | "createRooms"> {
  return {
    async findRooms({ ownerUserId, externalIds }, botsOfEach) {
      const rows = await db.query<RoomRow>(SELECT_ROOMS, [ownerUserId, [...externalIds], botsOfEach]);
      return rows.map(({ bots, ...channel }) => ({
        channel: omitNulls<Channel>(channel),
        bots: (bots ?? []).map(([botId, role]) => ({ botId, role })),
      }));
    },

    async createRooms(rooms, caps) {
      const [first] = rooms;
      if (!first) return [];
      const { ownerUserId } = first;
      const botIds = [...new Set(rooms.flatMap(({ bots }) => bots.map(({ botId }) => botId)))].sort();
      const subscriptions = await subscriptionsOf(db, botIds);
      const results = await db.transaction([
        [LOCK_OWNER, [`channels of ${ownerUserId}`]],
        ...botIds.map((botId): Step => [LOCK_ATTACHING, [`channels of ${botId}`]]),
        LOCK_FEED,
        [CREATE_ROOMS, valuesOf(rooms, first, caps, botIds, subscriptions)],
        ...(first.audit ? [[AUDIT_ROOMS, entriesOf(rooms, first.audit)] satisfies Step] : []),
        ...(first.tell ? tellRooms(rooms, first.tell) : []),
      ]);
      const made = new Set((results[botIds.length + 2] as { id: string }[]).map(({ id }) => id));
      return rooms.map(({ id }) => made.has(id));
    },
  };
}

/** Last, as is the lock of a log of changes. */
function tellRooms(rooms: readonly NewRoom[], notice: ChangeNotice): Step[] {
  return [[NOTE_MADE, [rooms.map(({ id }) => uuid(id))]], tellStep(notice)];
}

function entriesOf(rooms: readonly NewRoom[], audit: AuditContext): Value[] {
  const who = auditValues({ audit, target: { type: "channel", id: "" } }).slice(0, 6);
  return [
    rooms.map(({ id }) => uuid(id)),
    rooms.map(() => newId()),
    rooms.map((room) => JSON.stringify(changesOfRoom(room))),
    ...who,
  ];
}

/** By bot, of those that do not hear that they are attached. */
async function subscriptionsOf(db: Database, botIds: readonly string[]): Promise<Map<string, string | null>> {
  if (botIds.length === 0) return new Map();
  const rows = await db.query<{ id: string; subscription: string | null }>(SELECT_SUBSCRIPTIONS, [
    botIds.map(uuid),
  ]);
  const unaware = rows.filter(
    ({ subscription }) => !hearsOfItself(parseSubscription(subscription), BOT_ATTACHED),
  );
  return new Map(unaware.map(({ id, subscription }) => [id, subscription]));
}

function valuesOf(
  rooms: readonly NewRoom[],
  first: NewRoom,
  { perOwner, perHolder = NO_BOUND, perBot = NO_BOUND, review = "off" }: RoomRules,
  botIds: readonly string[],
  subscriptions: ReadonlyMap<string, string | null>,
): Value[] {
  const positionOf = new Map(botIds.map((botId, index) => [botId, index + 1]));
  const attachments = rooms.flatMap(({ bots }, index) =>
    bots.map(({ botId, role }) => ({
      room: index + 1,
      bot: positionOf.get(botId) as number,
      role: role ?? null,
    })),
  );
  const uses = botIds.map(() => 0);
  for (const { bot } of attachments) uses[bot - 1] = (uses[bot - 1] ?? 0) + 1;
  const heard = botIds.map((botId) => listeningOf(parseSubscription(subscriptions.get(botId) ?? null)));
  return [
    first.ownerUserId,
    actorNumber(first),
    perOwner ?? null,
    perHolder,
    rooms.map(({ id }) => uuid(id)),
    rooms.map(({ slug }) => slug),
    rooms.map(({ title }) => title),
    rooms.map(({ description }) => description),
    rooms.map(({ externalId }) => externalId ?? null),
    rooms.map(({ metadata }) => metadata ?? null),
    first.createdAt,
    // A bot that is told of it is not found.
    botIds.map((botId) => (subscriptions.has(botId) ? uuid(botId) : null)),
    integers(uses),
    botIds.map((botId) => subscriptions.get(botId) ?? null),
    integers(heard.map(({ postFilter }) => postFilter)),
    heard.map(({ hearsCustom }) => hearsCustom),
    heard.map(({ hearsOthers }) => hearsOthers),
    integers(attachments.map(({ room }) => room)),
    integers(attachments.map(({ bot }) => bot)),
    attachments.map(({ role }) => role),
    perBot,
    review,
  ];
}
