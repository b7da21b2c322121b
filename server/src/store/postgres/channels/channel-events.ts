import { type BotRole, READ_ONLY_ROLE } from "../../../domain/events/channel.js";
import {
  ACTOR_NUMBERS,
  actorNumber,
  INTERACTION_CREATED,
  type StoredEvent,
} from "../../../domain/events/event.js";
import { hearsOfItself, patternsOf } from "../../../domain/events/subscription.js";
import { AFTER_ALL_IDS } from "../../../domain/ids.js";
import { emitterOf } from "../../shared/change-keys.js";
import { isCopyFor } from "../../shared/guests.js";
import type { EventToAppend, Store } from "../../store.js";
import type { GrowingVerbs, Grown } from "../../verbs.js";
import { parseSubscription, storedSubscription } from "../bots/subscriptions.js";
import { type Database, type Statement, uuid } from "../connection/connection.js";
import type { DatabaseClock } from "../connection/database-clock.js";
import { HOLD_BOT, HOLD_CHANNEL } from "../connection/holding.js";
import type { InTurn } from "../connection/turns.js";
import { APPEND_EVENT, eventValues, HEADS, type HeadRows, headsOf, storeEvent } from "../logs/log-growth.js";
import { EVENT, findEarlier } from "../posts/idempotency-keys.js";
import { AWAY_FROM } from "./attach-rules.js";
import { hearCustomIn } from "./listeners.js";

type ChannelEventVerbs = Pick<GrowingVerbs, "appendEvent" | "appendBotEvent"> &
  Pick<Store, "listChannelEvents" | "listOtherEvents" | "listBotEvents">;

/** Inserts the event's idempotency key $8 for `target`, if it is given and new, in the name of `author`, see {@link emitterOf}. */
const keyed = (author: string) => `
    keyed AS (
      INSERT INTO idempotency_keys (target_key, author, key, event_id, created_at)
      SELECT key, ${author}::text, $8, $1::uuid, $4::bigint FROM target WHERE $8::text IS NOT NULL
      ON CONFLICT (target_key, author, key) DO NOTHING RETURNING target_key),
    fresh AS (SELECT key FROM target WHERE $8::text IS NULL OR EXISTS (SELECT FROM keyed))`;
const RESULT = `
    SELECT target.key AS "targetKey", EXISTS (SELECT FROM stored) AS "isStored", ${HEADS} FROM target`;

/** $6: the channel, $7: its owner, $9: the patterns that the event matches, $10: who emits, $11: the cause, $12: whose bot has emitted it, or null, $13: in whose name a key is kept. */
const EMIT_IN_CHANNEL: Statement = {
  name: "emit-in-channel",
  text: `
    WITH target AS (SELECT channel_key AS key FROM channels WHERE id = $6 AND owner_user_id = $7),
    ${keyed("$13")},
    stored AS (${storeEvent("fresh.key", "NULL::bigint", "fresh", "$12::text", "$10::smallint, NULL::bigint", "$11")}),
    recipients AS (${hearCustomIn("(SELECT key FROM fresh)", "$9")}),
    ${APPEND_EVENT}
    ${RESULT}`,
};
/** $6: the bot, $7: its owner, $9: whether it hears the event, $10: the cause, $11: in whose name a key is kept. */
const EMIT_TO_BOT: Statement = {
  name: "emit-to-bot",
  text: `
    WITH target AS (SELECT -bot_key AS key FROM bots WHERE id = $6 AND owner_user_id = $7),
    ${keyed("$11")},
    stored AS (${storeEvent("0", "fresh.key", "fresh", "NULL", "NULL, NULL", "$10")}),
    recipients AS (SELECT -key AS bot_key FROM fresh WHERE $9::boolean),
    ${APPEND_EVENT}
    ${RESULT}`,
};
/** $6: the channel, $7: the bot, $8: the idempotency key, $9: the patterns that the event matches, $10: the hash of the token or null, $11: the cause. */
const EMIT_BY_BOT: Statement = {
  name: "emit-by-bot",
  text: `
    WITH member AS (
      SELECT a.channel_key, a.bot_key, a.role, ${AWAY_FROM} FROM channels c JOIN attachments a USING (channel_key) JOIN bots b USING (bot_key)
      WHERE c.id = $6 AND b.id = $7 AND b.disabled_at IS NULL AND b.token_hash = coalesce($10, b.token_hash)
        AND NOT ${isCopyFor("c.owner_user_id", "$10::text")}),
    target AS (SELECT * FROM member WHERE role <> '${READ_ONLY_ROLE}'),
    keyed AS (
      INSERT INTO idempotency_keys (target_key, author, key, event_id, created_at)
      SELECT channel_key, 'emitter bot ' || bot_key, $8, $1::uuid, $4::bigint FROM target WHERE $8::text IS NOT NULL
      ON CONFLICT (target_key, author, key) DO NOTHING RETURNING target_key),
    fresh AS (SELECT * FROM target WHERE $8::text IS NULL OR EXISTS (SELECT FROM keyed)),
    stored AS (${storeEvent("fresh.channel_key", "NULL::bigint", "fresh", "fresh.away_from", `${ACTOR_NUMBERS.bot}, fresh.bot_key`, "$11")}),
    recipients AS (
      SELECT h.bot_key FROM (${hearCustomIn("(SELECT channel_key FROM fresh)", "$9")}) h
      WHERE h.bot_key <> (SELECT bot_key FROM fresh)),
    ${APPEND_EVENT}
    SELECT channel_key AS "targetKey", bot_key AS "botKey", role, EXISTS (SELECT FROM stored) AS "isStored", ${HEADS} FROM member`,
};
const SELECT_EVENTS: Statement = {
  name: "select-channel-events",
  text: `
    WITH channel AS (SELECT channel_key AS key FROM channels WHERE id = $1)
    SELECT id, "eventType", payload, "createdAt" FROM (
      (SELECT ${EVENT} FROM events p WHERE channel_key = (SELECT key FROM channel) AND is_listed ORDER BY id DESC LIMIT $2)
      UNION ALL
      (SELECT ${EVENT} FROM events p WHERE channel_key = (SELECT key FROM channel) AND NOT is_listed ORDER BY id DESC LIMIT $2)) either
    ORDER BY id DESC LIMIT $2`,
};

const SELECT_OTHER: Statement = {
  name: "select-other-channel-events",
  text: `
    SELECT ${EVENT} FROM events p
    WHERE channel_key = (SELECT channel_key FROM channels WHERE id = $1) AND NOT is_listed AND id < $2 AND event_type IS NOT NULL
    ORDER BY id DESC LIMIT $3`,
};

/** Custom events to bots are in no channel; interactions are, and have an index of their own. */
const SELECT_KEY_TO_BOT: Statement = {
  name: "select-key-of-event-to-bot",
  text: `
    WITH log AS (SELECT -bot_key AS subject_key FROM bots WHERE id = $1)
    SELECT p.event_key AS "eventKey" FROM log JOIN events p USING (subject_key)
    WHERE p.channel_key = 0 AND NOT p.is_listed AND p.id = $2
    UNION ALL
    SELECT p.event_key FROM log JOIN events p USING (subject_key)
    WHERE p.event_type = '${INTERACTION_CREATED}' AND p.id = $2`,
};

const SELECT_TO_BOT: Statement = {
  name: "select-events-to-bot",
  text: `
    SELECT ${EVENT} FROM events p
    WHERE p.subject_key = (SELECT -bot_key FROM bots WHERE id = $1) AND p.event_key < $2
    ORDER BY p.event_key DESC LIMIT $3`,
};

interface EmitRow {
  targetKey: number;
  isStored: boolean;
  heads: HeadRows;
}

export function channelEventVerbs(db: Database, clock: DatabaseClock, inTurn: InTurn): ChannelEventVerbs {
  const emit = async (appended: EventToAppend): Promise<EmitRow | undefined> => {
    const { ownerUserId, to, event, idempotencyKey } = appended;
    const values = [...eventValues(event), clock.aheadMs()];
    const key = idempotencyKey ?? null;
    const author = emitterOf(ownerUserId);
    if ("channelId" in to) {
      const patterns = patternsOf(event.eventType);
      const channel = uuid(to.channelId);
      const [, rows = []] = await db.transaction([
        [HOLD_CHANNEL, [channel]],
        [
          EMIT_IN_CHANNEL,
          [
            ...values,
            channel,
            ownerUserId,
            key,
            patterns,
            actorNumber(appended),
            event.cause ?? null,
            appended.madeBy ?? null,
            author,
          ],
        ],
      ]);
      return (rows as EmitRow[])[0];
    }
    const subscription = await storedSubscription(db, { botId: to.botId, ownerUserId });
    if (subscription === undefined) return undefined;
    const isHeard = hearsOfItself(parseSubscription(subscription), event.eventType);
    const bot = uuid(to.botId);
    const [, rows = []] = await db.transaction([
      [HOLD_BOT, [bot]],
      [EMIT_TO_BOT, [...values, bot, ownerUserId, key, isHeard, event.cause ?? null, author]],
    ]);
    return (rows as EmitRow[])[0];
  };

  return {
    async appendEvent(appended): Promise<Grown<boolean | StoredEvent>> {
      const row = await emit(appended);
      if (!row) return { result: false, heads: [] };
      if (row.isStored) return { result: true, heads: headsOf(row.heads) };
      const { ownerUserId, idempotencyKey = "" } = appended;
      const { targetKey } = row;
      const author = emitterOf(ownerUserId);
      const [earlier] = await findEarlier(db, [{ targetKey, author, key: idempotencyKey }]);
      return { result: earlier ?? false, heads: [] };
    },

    async appendBotEvent({ botId, tokenHash, channelId, event, idempotencyKey }) {
      const channel = uuid(channelId);
      const values = [...eventValues(event), clock.aheadMs(), channel, uuid(botId), idempotencyKey ?? null];
      const [, rows = []] = await db.transaction([
        [HOLD_CHANNEL, [channel]],
        [EMIT_BY_BOT, [...values, patternsOf(event.eventType), tokenHash ?? null, event.cause ?? null]],
      ]);
      const [row] = rows as (EmitRow & { botKey: number; role: BotRole })[];
      if (!row) return { result: false, heads: [] };
      if (row.isStored) return { result: true, heads: headsOf(row.heads) };
      if (row.role === READ_ONLY_ROLE) return { result: "read only", heads: [] };
      const { targetKey, botKey } = row;
      const author = `emitter bot ${botKey}`;
      const [earlier] = await findEarlier(db, [{ targetKey, author, key: idempotencyKey ?? "" }]);
      return { result: earlier ?? false, heads: [] };
    },

    listChannelEvents: (channelId, limit) =>
      inTurn(() => db.query<StoredEvent>(SELECT_EVENTS, [uuid(channelId), limit])),

    listOtherEvents: (channelId, limit, before = AFTER_ALL_IDS) =>
      inTurn(() => db.query<StoredEvent>(SELECT_OTHER, [uuid(channelId), uuid(before), limit])),

    listBotEvents: (botId, limit, before) =>
      inTurn(async () => {
        const bot = uuid(botId);
        if (before === undefined)
          return await db.query<StoredEvent>(SELECT_TO_BOT, [bot, Number.MAX_SAFE_INTEGER, limit]);
        const [found] = await db.query<{ eventKey: number }>(SELECT_KEY_TO_BOT, [bot, uuid(before)]);
        return found && (await db.query<StoredEvent>(SELECT_TO_BOT, [bot, found.eventKey, limit]));
      }),
  };
}
