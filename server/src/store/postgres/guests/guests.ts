import { READ_ONLY_ROLE } from "../../../domain/events/channel.js";
import { MAX_CELLS } from "../../cells/cell.js";
import { CHANGED, type GuestStore, RELAY, TURN_OF } from "../../parts/guest-store.js";
import { isChangesLog, isGuest, isOutbox } from "../../shared/guests.js";
import type { CarriedEntry, CarriedLog, CarriedRef, CarriedState, UncarriedEntry } from "../../store.js";
import { type Database, integers, type Statement, uuid } from "../connection/connection.js";

/** @param bots SQL of bots */
const logsOf = (bots: string) => `
    SELECT b.bot_key AS key, b.id AS "botId", b.owner_user_id AS "ownerUserId", l.last_update_id AS head, coalesce(c.position, 0) AS position
    FROM (${bots}) b JOIN lanes l USING (bot_key)
    LEFT JOIN LATERAL (
      SELECT position FROM consumers WHERE bot_key = b.bot_key AND lower(name) = '${RELAY}' OFFSET 0) c ON true
    ORDER BY b.bot_key`;
const SELECT_OUTBOXES: Statement = {
  name: "select-outboxes",
  text: logsOf(
    `SELECT * FROM bots WHERE ${isOutbox("owner_user_id")} OR ${isChangesLog("owner_user_id")} ORDER BY bot_key LIMIT ${2 * MAX_CELLS}`,
  ),
};
/** By the cell that the logs are for: see `store/cells/guests/guests.ts`. */
export const SELECT_UNCARRIED = `
  SELECT substr(l."ownerUserId", 2)::integer AS cell,
    sum((SELECT count(*) FROM entries WHERE log_key = l.key AND number > l.position))::integer AS entries, min(first.created_at)::float8 AS since
  FROM (${SELECT_OUTBOXES.text}) l CROSS JOIN LATERAL (
    SELECT e.created_at FROM entries n JOIN events e USING (event_key)
    WHERE n.log_key = l.key AND n.number > l.position ORDER BY n.number LIMIT 1) first
  GROUP BY cell ORDER BY cell`;
/** $1: the channel. */
const SELECT_IN_CHANNEL: Statement = {
  name: "select-outboxes-in-channel",
  text: `
    SELECT b.id FROM attachments a CROSS JOIN LATERAL (SELECT id, owner_user_id FROM bots WHERE bot_key = a.bot_key OFFSET 0) b
    WHERE a.channel_key = (SELECT channel_key FROM channels WHERE id = $1) AND ${isOutbox("b.owner_user_id")}`,
};
/** SQL of whose turn an event takes that is to be carried: {@link UncarriedEntry}. A channel may be deleted since. */
const OWNER_OF_TURN = `
  CASE WHEN p.event_type = '${CHANGED}' THEN coalesce(p.payload::json ->> '${TURN_OF}', '') ELSE coalesce(
    (SELECT owner_user_id FROM channels WHERE channel_key = p.channel_key),
    (SELECT owner_user_id FROM removed_channels WHERE channel_key = p.channel_key),
    p.owner_user_id, '') END`;
/** $1: the log, $2: the number, $3: how many. */
const SELECT_UNCARRIED_ENTRIES: Statement = {
  name: "select-uncarried",
  text: `
    SELECT e.number, o.owner, coalesce(o.is_post, false) AS "isPost"
    FROM (
      SELECT number, event_key FROM entries
      WHERE log_key = (SELECT bot_key FROM bots WHERE id = $1) AND number > $2 ORDER BY number LIMIT $3) e
    LEFT JOIN LATERAL (
      SELECT ${OWNER_OF_TURN} AS owner, p.event_type IS NULL AS is_post FROM events p
      WHERE p.event_key = e.event_key OFFSET 0) o ON true
    ORDER BY e.number`,
};
/**
 * SQL of the highest number in each of these logs of what takes the turns of an owner, and is not carried.
 *
 * @param bots SQL of the logs
 */
export const lastUncarried = (bots: string, owner: string) => `
    SELECT l.key, l."botId", e.number FROM (${logsOf(bots)}) l CROSS JOIN LATERAL (
      SELECT n.number FROM entries n CROSS JOIN LATERAL (
        SELECT ${OWNER_OF_TURN} AS owner FROM events p WHERE p.event_key = n.event_key OFFSET 0) o
      WHERE n.log_key = l.key AND n.number > l.position AND o.owner = ${owner}
      ORDER BY n.number DESC LIMIT 1) e`;
/** $1: the logs, $2: the owner. */
const SELECT_LAST: Statement = {
  name: "select-last-uncarried",
  text: lastUncarried("SELECT * FROM bots WHERE id = ANY ($1::uuid[])", "$2"),
};
/** $1: the logs, $2: the numbers. */
const SELECT_WHETHER_THERE: Statement = {
  name: "select-whether-uncarried",
  text: `
    SELECT EXISTS (
      SELECT FROM entries WHERE log_key = (SELECT bot_key FROM bots WHERE id = a.id) AND number = a.number) AS "isThere"
    FROM unnest($1::uuid[], $2::bigint[]) WITH ORDINALITY AS a (id, number, n) ORDER BY a.n`,
};
/** $1: the log, $2: the numbers. */
const SELECT_ENTRIES: Statement = {
  name: "select-carried",
  text: `
    SELECT e.number, p.id, p.event_type AS "eventType", p.payload, p.created_at AS "createdAt", p.cause,
      (SELECT c.id FROM channels c WHERE c.channel_key = p.channel_key) AS "channelId",
      (SELECT a.id FROM bots a WHERE a.bot_key = p.author_key) AS "authorBotId", p.owner_user_id AS "madeBy",
      s.id AS "subjectBotId", s.owner_user_id AS "subjectOwner"
    FROM (
      SELECT number, event_key FROM entries
      WHERE log_key = (SELECT bot_key FROM bots WHERE id = $1) AND number = ANY ($2::bigint[])) e
    CROSS JOIN LATERAL (SELECT * FROM events WHERE event_key = e.event_key OFFSET 0) p
    LEFT JOIN LATERAL (SELECT id, owner_user_id FROM bots WHERE bot_key = -p.subject_key OFFSET 0) s ON true
    ORDER BY e.number`,
};
/** $1: channels, $2: ids, $3: bots, or null. One that is deleted since is known, too. */
const SELECT_CARRIED: Statement = {
  name: "select-whether-carried",
  text: `
    SELECT p.id, c.owner_user_id AS host,
      coalesce((SELECT true FROM attachments a WHERE a.channel_key = c.channel_key LIMIT 1), false) AS "isHeard",
      EXISTS (
        SELECT FROM events e WHERE e.channel_key = c.channel_key AND e.is_listed = ANY ('{t,f}') AND e.id = p.id) AS "isKnown",
      coalesce((
        SELECT true FROM (SELECT bot_key FROM bots WHERE id = p.bot_id AND disabled_at IS NULL OFFSET 0) b
        CROSS JOIN LATERAL (SELECT role FROM attachments WHERE channel_key = c.channel_key AND bot_key = b.bot_key OFFSET 0) a
        WHERE a.role <> '${READ_ONLY_ROLE}'), false) AS "mayPost"
    FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS p (channel_id, id, bot_id) CROSS JOIN LATERAL (
      SELECT channel_key, owner_user_id FROM channels WHERE id = p.channel_id OFFSET 0) c
    WHERE ${isGuest("c.owner_user_id")}`,
};
/** $1: the log, $2: the numbers. Nothing else refers to changes. */
const REMOVE_CARRIED: Statement = {
  name: "remove-carried",
  text: `
    WITH removed AS (
      DELETE FROM entries WHERE log_key = (SELECT bot_key FROM bots WHERE id = $1) AND number = ANY ($2::bigint[]) RETURNING event_key)
    DELETE FROM events WHERE event_key = ANY (ARRAY(SELECT event_key FROM removed)) AND event_type = '${CHANGED}'`,
};
/** $1: the bot. */
const SELECT_HOSTS_OF: Statement = {
  name: "select-hosts-of-bot",
  text: `
    SELECT DISTINCT c.owner_user_id AS "ownerUserId"
    FROM attachments a CROSS JOIN LATERAL (SELECT owner_user_id FROM channels WHERE channel_key = a.channel_key OFFSET 0) c
    WHERE a.bot_key = (SELECT bot_key FROM bots WHERE id = $1) AND ${isGuest("c.owner_user_id")}`,
};

/** $1: channels, $2: bots. */
const SELECT_IN_ROOMS: Statement = {
  name: "select-guests-in-rooms",
  text: `
    SELECT c.id AS "channelId", c.owner_user_id AS "ownerUserId", coalesce(a.bots, '[]') AS bots
    FROM channels c CROSS JOIN LATERAL (
      SELECT json_agg(json_build_object('botId', b.id, 'role', a.role, 'attachedAt', a.attached_at)) AS bots
      FROM (SELECT id, bot_key FROM bots WHERE id = ANY ($2::uuid[]) OFFSET 0) b
      JOIN attachments a ON a.channel_key = c.channel_key AND a.bot_key = b.bot_key) a
    WHERE c.id = ANY ($1::uuid[])`,
};

export function guestVerbs(db: Database): GuestStore {
  return {
    listOutboxes: () => db.query<CarriedLog>(SELECT_OUTBOXES),
    async listOutboxesIn(channelId) {
      return (await db.query<{ id: string }>(SELECT_IN_CHANNEL, [uuid(channelId)])).map(({ id }) => id);
    },
    listUncarried: (botId, after, limit) =>
      db.query<UncarriedEntry>(SELECT_UNCARRIED_ENTRIES, [uuid(botId), after, limit]),
    findLastUncarried: (botIds, owner) => db.query<CarriedRef>(SELECT_LAST, [botIds.map(uuid), owner]),
    async areUncarried(entries) {
      const values = [entries.map(({ botId }) => uuid(botId)), integers(entries.map(({ number }) => number))];
      return (await db.query<{ isThere: boolean }>(SELECT_WHETHER_THERE, values)).map(
        ({ isThere }) => isThere,
      );
    },
    readCarried: (botId, numbers) => db.query<CarriedEntry>(SELECT_ENTRIES, [uuid(botId), integers(numbers)]),
    async removeCarried(botId, numbers) {
      await db.query(REMOVE_CARRIED, [uuid(botId), integers(numbers)]);
    },
    findCarried: (entries) =>
      db.query<CarriedState>(SELECT_CARRIED, [
        entries.map(({ channelId }) => uuid(channelId)),
        entries.map(({ id }) => uuid(id)),
        entries.map(({ authorBotId }) => (authorBotId === null ? null : uuid(authorBotId))),
      ]),
    findGuestsIn: (channelIds, botIds) => db.query(SELECT_IN_ROOMS, [channelIds.map(uuid), botIds.map(uuid)]),
    async listHostsOf(botId) {
      const rows = await db.query<{ ownerUserId: string }>(SELECT_HOSTS_OF, [uuid(botId)]);
      return rows.map(({ ownerUserId }) => ownerUserId);
    },
  };
}
