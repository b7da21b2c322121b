import { ATTACHED_ROLE } from "../../../domain/events/channel.js";
import { actorNumber, BOT_ATTACHED, BOT_DETACHED, CHANNEL_UPDATED } from "../../../domain/events/event.js";
import { patternsOf } from "../../../domain/events/subscription.js";
import { newId } from "../../../domain/ids.js";
import { FIRST_FEED_KEY } from "../../parts/feed-store.js";
import { changesOfEdit } from "../../shared/rows/audit-rows.js";
import type { ChannelState, RoomBotsChange } from "../../store.js";
import type { GrowingVerbs, Grown } from "../../verbs.js";
import { WAIT_TO_TELL } from "../audit/snapshots.js";
import { whoAsks, whoFrom } from "../audit/who-asks.js";
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
import { feedIn } from "../feed/feed.js";
import { aboutAttachment, appendToFeed, forceExecutionOrder, HEADS_WITH_FEED } from "../feed/feed-events.js";
import { TOLD, tellStep } from "../guests/tell.js";
import { APPEND_EVENTS, HEADS, type HeadRows, headsOf } from "../logs/log-growth.js";
import { hasTitleOf, isChangedHere, refusalOfRooms } from "./attach-rules.js";
import { LOCK_ATTACHING } from "./attachments.js";
import { subscribedIn } from "./listeners.js";
import { growBots, roomBots } from "./room-bots.js";

/**
 * In the order of their keys, so that whoever locks several of them never deadlocks. $1: channels, $2: their owner, compared in a way that no index
 * knows: to look through all that an owner has would be taken for as cheap.
 */
const lockRooms = (name: string, lock: string): Statement => ({
  name,
  text: `SELECT FROM channels WHERE id = ANY ($1::uuid[]) AND owner_user_id IS NOT DISTINCT FROM $2 ORDER BY channel_key FOR ${lock}`,
});
const HOLD_ROOMS_TO_EDIT = lockRooms("hold-rooms-to-edit", "NO KEY UPDATE");
const HOLD_ROOMS = lockRooms("hold-rooms", "SHARE");
/** Waits for all who write to the channels: bots that are taken out hear nothing that begins later. */
const LOCK_ROOMS = lockRooms("lock-rooms", "UPDATE");
/** Whoever changes what a bot hears, or deletes it, waits. */
const HOLD_BOTS: Statement = {
  name: "hold-bots-of-rooms",
  text: "SELECT FROM bots WHERE id = ANY ($1::uuid[]) ORDER BY bot_key FOR SHARE",
};

const EDITOR = whoFrom(17);
/**
 * $1: the owner, $2: who acts, $3: patterns, $4: the time, $5: how far the database's clock is ahead. Channels: $6: ids, $7 to $9: titles,
 * descriptions and metadata, $10 to $12: the same as they were read, $13: what bots are told, or null, $14: ids of that, $15: ids of entries, $16: what
 * these say. $17 to $22: who asked.
 */
const EDIT_ROOMS: Statement = {
  name: "edit-rooms",
  text: `
    WITH e AS MATERIALIZED (
      SELECT w.*, found.channel_key
      FROM unnest($6::uuid[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::uuid[], $15::uuid[], $16::text[])
        WITH ORDINALITY AS w (id, title, description, metadata, title_was, description_was, metadata_was, payload, event_id, entry_id, changes, n)
      CROSS JOIN LATERAL (SELECT channel_key, owner_user_id FROM channels WHERE id = w.id OFFSET 0) found WHERE found.owner_user_id = $1),
    c AS (
      UPDATE channels SET title = e.title, description = e.description, metadata = e.metadata FROM e
      WHERE channels.channel_key = e.channel_key AND channels.title = e.title_was AND channels.description = e.description_was
        AND channels.metadata IS NOT DISTINCT FROM e.metadata_was
      RETURNING channels.channel_key, channels.id, e.payload, e.event_id, e.entry_id, e.changes, e.n),
    heard AS MATERIALIZED (
      SELECT c.channel_key, c.payload, c.event_id, c.n, r.bot_key
      FROM c CROSS JOIN LATERAL (
        SELECT bot_key FROM (${subscribedIn("c.channel_key", "$3")}) subscribed
        UNION ALL
        ${feedIn("c.channel_key")}) r
      WHERE c.payload IS NOT NULL),
    stored AS (
      INSERT INTO events (id, event_type, payload, created_at, channel_key, is_listed, acted_by)
      SELECT h.event_id, '${CHANNEL_UPDATED}', h.payload, $4::bigint, h.channel_key, false, $2::smallint
      FROM (SELECT DISTINCT n, event_id, payload, channel_key FROM heard) h ORDER BY h.n
      RETURNING id, event_key),
    told AS (
      SELECT h.bot_key, array_agg(s.event_key ORDER BY s.event_key) AS event_keys
      FROM stored s JOIN heard h ON h.event_id = s.id GROUP BY h.bot_key),
    ${APPEND_EVENTS},
    written AS (
      INSERT INTO audit (id, target_type, target_id, changes, ${EDITOR.columns})
      SELECT c.entry_id, 'channel', c.id::text, c.changes, ${EDITOR.values} FROM c WHERE ${EDITOR.isAsked}
      RETURNING id, owner_user_id),
    waiting AS (${WAIT_TO_TELL})
    SELECT coalesce(sum(cardinality(event_keys)) FILTER (WHERE bot_key < ${FIRST_FEED_KEY}), 0)::integer AS "updateCount", ${HEADS}
    FROM told`,
};

const ATTACHES = 0;
const CHANGES_ROLE = 1;
const DETACHES = 2;

const ASKER = whoFrom(25);
/** SQL of what was done of one kind, with the bots as `b` and the channels as `c`. */
const doneOf = (kind: number) =>
  `(SELECT * FROM done WHERE kind = ${kind}) d JOIN bots b USING (bot_key) JOIN channels c USING (channel_key)`;
const ROLE_AFTER = `CASE WHEN d.kind <> ${DETACHES} THEN coalesce(d.role, '${ATTACHED_ROLE}') END`;
const NOTE_DONE = `
      SELECT set_config('${TOLD}', ',"done":' || coalesce(json_agg(json_strip_nulls(json_build_object('id', d.entry_id, 'channelId', c.id, 'botId', b.id,
        'before', d.was, 'after', ${ROLE_AFTER}))), '[]'), true)
      FROM done d JOIN bots b USING (bot_key) JOIN channels c USING (channel_key)`;
/**
 * $1: the owner, $2: who acts, $3: the rule of reviews, $4: the time, $5: how far the database's clock is ahead. Bots: $6: ids, $7: to how many of these
 * channels each is to be attached, $8: subscriptions as they were read, $9 to $11: what each hears, $12 and $13: whether it is told that it is attached,
 * or detached, $14: the most channels of the owner with it, $15: and of all. Channels: $16: ids, $17 and $18: what is told of each. Changes: $19: the
 * channel's position, $20: the bot's position, $21: its role or null, $22: the kind, $23: the id of what the bot is told, $24: the id of the entry.
 * $25 to $30: who asked, $31: whether another cell is told, for which what was done is left where `tell.ts` finds it.
 *
 * Nobody else attaches one of these bots meanwhile, or detaches it there, deletes it or the channel, edits that, or changes what it hears: the statements before
 * have locked all that. So what is there now, in `was`, is what will be changed.
 */
const CHANGE_ROOM_BOTS: Statement = {
  name: "change-room-bots",
  text: `
    WITH found AS MATERIALIZED (
      SELECT w.n, b.bot_key, w.uses > 0 AND b.owner_user_id <> $1 AS is_away
      FROM unnest($6::uuid[], $7::integer[], $8::text[]) WITH ORDINALITY AS w (id, uses, subscription, n)
      JOIN bots b ON b.id = w.id AND b.subscription IS NOT DISTINCT FROM w.subscription JOIN lanes l USING (bot_key)
      WHERE ${isChangedHere("$3::text = 'guest'")} AND (w.uses = 0 OR ${refusalOfRooms("$1", { ofHolder: "$14", ofAll: "$15" }, "$3::text")} IS NULL)),
    noted AS (${noteAway("EXISTS (SELECT FROM found WHERE is_away)")}),
    bot AS MATERIALIZED (SELECT coalesce(jsonb_object_agg(n, bot_key), '{}') AS keys FROM found),
    room AS MATERIALIZED (
      SELECT coalesce(jsonb_object_agg(w.n, c.channel_key), '{}') AS keys
      FROM unnest($16::uuid[], $17::text[]) WITH ORDINALITY AS w (id, notice, n)
      CROSS JOIN LATERAL (SELECT channel_key, title, owner_user_id FROM channels WHERE id = w.id OFFSET 0) c
      WHERE c.owner_user_id = $1 AND ${hasTitleOf("c", "w.notice")}),
    wished AS MATERIALIZED (
      SELECT p.*, (bot.keys ->> p.bot::text)::bigint AS bot_key, (room.keys ->> p.room::text)::bigint AS channel_key
      FROM unnest($19::integer[], $20::integer[], $21::text[], $22::integer[], $23::uuid[], $24::uuid[])
        AS p (room, bot, role, kind, event_id, entry_id)
      CROSS JOIN bot CROSS JOIN room),
    done AS MATERIALIZED (
      SELECT w.*, was.role AS was
      FROM wished w LEFT JOIN LATERAL (
        SELECT role FROM attachments a WHERE a.channel_key = w.channel_key AND a.bot_key = w.bot_key OFFSET 0) was ON true
      WHERE CASE w.kind WHEN ${ATTACHES} THEN was.role IS NULL WHEN ${CHANGES_ROLE} THEN was.role <> w.role ELSE was.role IS NOT NULL END
        AND w.room <> ALL (ARRAY(SELECT room FROM wished WHERE bot_key IS NULL OR channel_key IS NULL))),
    attached AS (
      INSERT INTO attachments (channel_key, bot_key, role, attached_by, attached_at, post_filter, hears_custom, hears_others)
      SELECT d.channel_key, d.bot_key, coalesce(d.role, '${ATTACHED_ROLE}'), $1, $4::bigint,
        ($9::integer[])[d.bot], ($10::boolean[])[d.bot], ($11::boolean[])[d.bot]
      FROM done d WHERE d.kind = ${ATTACHES}),
    changed_role AS (
      UPDATE attachments a SET role = d.role FROM done d
      WHERE d.kind = ${CHANGES_ROLE} AND a.channel_key = d.channel_key AND a.bot_key = d.bot_key),
    detached AS (
      DELETE FROM attachments a USING done d
      WHERE d.kind = ${DETACHES} AND a.channel_key = d.channel_key AND a.bot_key = d.bot_key),
    touched AS (
      UPDATE channels SET title = title WHERE channel_key = ANY (ARRAY(SELECT channel_key FROM done WHERE kind = ${DETACHES}))),
    stored AS (
      INSERT INTO events (id, event_type, payload, created_at, channel_key, is_listed)
      SELECT d.event_id, CASE d.kind WHEN ${ATTACHES} THEN '${BOT_ATTACHED}' ELSE '${BOT_DETACHED}' END,
        CASE d.kind WHEN ${ATTACHES} THEN ($17::text[])[d.room] ELSE ($18::text[])[d.room] END, $4::bigint, d.channel_key, false
      FROM done d
      WHERE (d.kind = ${ATTACHES} AND ($12::boolean[])[d.bot]) OR (d.kind = ${DETACHES} AND ($13::boolean[])[d.bot])
      ORDER BY d.room, d.kind
      RETURNING id, event_key),
    ${growBots(
      `SELECT bot_key, sum(CASE kind WHEN ${ATTACHES} THEN 1 ELSE -1 END) AS count FROM done WHERE kind <> ${CHANGES_ROLE} GROUP BY bot_key`,
      "done",
    )},
    written AS (
      INSERT INTO audit (id, target_type, target_id, channel_id, changes, ${ASKER.columns})
      SELECT d.entry_id, 'attachment', b.id::text, c.id, json_build_object('role', json_strip_nulls(json_build_object('before', d.was,
        'after', ${ROLE_AFTER})))::text, ${ASKER.values}
      FROM done d JOIN bots b USING (bot_key) JOIN channels c USING (channel_key) WHERE ${ASKER.isAsked}
      RETURNING id, owner_user_id),
    waiting AS (${WAIT_TO_TELL}),
    ${appendToFeed(
      `${aboutAttachment("bot.attached", doneOf(ATTACHES))}
      UNION ALL ${aboutAttachment("bot.role_changed", doneOf(CHANGES_ROLE))}
      UNION ALL ${aboutAttachment("bot.detached", doneOf(DETACHES))}`,
      "$2",
      forceExecutionOrder("changed", "woken"),
    )}
    SELECT count(*)::integer AS "updateCount", ${HEADS_WITH_FEED}, CASE WHEN $31::boolean THEN (${NOTE_DONE}) END FROM stored`,
};

interface ChangedRow {
  updateCount: number;
  heads: HeadRows;
}

const NO_BOUND = Number.MAX_SAFE_INTEGER;

export function roomChangeVerbs(
  db: Database,
  clock: DatabaseClock,
): Pick<GrowingVerbs, "editRooms" | "changeRoomBots"> {
  const grownOf = ([row]: unknown[] = []): Grown<void> => {
    const { updateCount, heads } = row as ChangedRow;
    return { result: undefined, heads: headsOf(heads), updateCount };
  };
  return {
    async editRooms(edits) {
      const [first] = edits;
      if (!first) return { result: undefined, heads: [] };
      const channelIds = edits.map(({ channelId }) => uuid(channelId));
      const [, rows] = await db.transaction([
        [HOLD_ROOMS_TO_EDIT, [channelIds, first.ownerUserId]],
        [
          EDIT_ROOMS,
          [
            first.ownerUserId,
            actorNumber(first),
            patternsOf(CHANNEL_UPDATED),
            Date.now(),
            clock.aheadMs(),
            channelIds,
            ...columnsOf(edits.map(({ to }) => to)),
            ...columnsOf(edits.map(({ from }) => from)),
            edits.map(({ event }) => event?.payload ?? null),
            edits.map(({ event }) => event?.id ?? null),
            edits.map(() => newId()),
            edits.map(({ from, to }) => JSON.stringify(changesOfEdit(from, to))),
            ...whoAsks(first.audit),
          ],
        ],
      ]);
      return grownOf(rows);
    },

    async changeRoomBots(changes, rules) {
      const [first] = changes;
      if (!first) return { result: undefined, heads: [] };
      const all = changes.flatMap(changesOf);
      const idsOf = (some: readonly { botId: string }[]) =>
        [...new Set(some.map(({ botId }) => botId))].sort();
      const botIds = idsOf(all);
      const attaching = idsOf(all.filter(({ kind }) => kind !== DETACHES));
      const bots = roomBots(await storedSubscriptions(db, botIds));
      const channelIds = changes.map(({ channelId }) => uuid(channelId));
      const isDetaching = all.some(({ kind }) => kind === DETACHES);
      const results = await db.transaction([
        ...attaching.map((botId): Step => [LOCK_ATTACHING, [`channels of ${botId}`]]),
        [isDetaching ? LOCK_ROOMS : HOLD_ROOMS, [channelIds, first.ownerUserId]],
        [HOLD_BOTS, [bots.ids]],
        [
          CHANGE_ROOM_BOTS,
          [
            first.ownerUserId,
            actorNumber(first),
            rules.review ?? "off",
            first.createdAt,
            clock.aheadMs(),
            bots.ids,
            bots.countIn(changes.flatMap(({ attached }) => attached.map(({ botId }) => botId))),
            bots.subscriptions,
            ...bots.listening,
            bots.hear(BOT_ATTACHED),
            bots.hear(BOT_DETACHED),
            rules.perHolder ?? NO_BOUND,
            rules.perBot ?? NO_BOUND,
            channelIds,
            changes.map(({ notices }) => notices.attached),
            changes.map(({ notices }) => notices.detached),
            integers(all.map(({ room }) => room)),
            integers(all.map(({ botId }) => bots.positionOf(botId))),
            all.map(({ role }) => role),
            integers(all.map(({ kind }) => kind)),
            all.map(() => newId()),
            all.map(() => newId()),
            ...whoAsks(first.audit),
            first.tell !== undefined,
          ],
        ],
        ...(first.tell ? [tellStep(first.tell)] : []),
      ]);
      return grownOf(results[attaching.length + 2]);
    },
  };
}

/** Titles, descriptions and metadata. */
const columnsOf = (states: readonly ChannelState[]): Value[] => [
  states.map(({ title }) => title),
  states.map(({ description }) => description),
  states.map(({ metadata }) => metadata ?? null),
];

/** @param index of the channel, from 0 */
function changesOf({ attached, roleChanged, detached }: RoomBotsChange, index: number) {
  const room = index + 1;
  return [
    ...attached.map(({ botId, role = null }) => ({ room, kind: ATTACHES, botId, role })),
    ...roleChanged.map(({ botId, role }) => ({ room, kind: CHANGES_ROLE, botId, role })),
    ...detached.map((botId) => ({ room, kind: DETACHES, botId, role: null })),
  ];
}
