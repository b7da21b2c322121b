import { type BotRole, READ_ONLY_ROLE } from "../../../domain/events/channel.js";
import {
  actorNumber,
  INTERACTION_CREATED,
  INTERACTION_RESPONDED,
  type StoredEvent,
} from "../../../domain/events/event.js";
import { MAX_RESPONSES } from "../../../domain/events/interaction.js";
import { isGuest } from "../../shared/guests.js";
import type { InteractionRefusal, Store } from "../../store.js";
import type { GrowingVerbs } from "../../verbs.js";
import { type Database, type Statement, uuid } from "../connection/connection.js";
import type { DatabaseClock } from "../connection/database-clock.js";
import { HOLD_BOT, HOLD_CHANNEL } from "../connection/holding.js";
import { APPEND_EVENT, eventValues, HEADS, type HeadRows, headsOf, storeEvent } from "../logs/log-growth.js";
import { EVENT, findKeyed } from "./idempotency-keys.js";

type InteractionVerbs = Pick<GrowingVerbs, "appendInteraction"> &
  Pick<Store, "findInteraction" | "findResponse">;

/**
 * $6: the channel, $7: its holder, $8: the bot, $9: the idempotency key, $10: who acts, $11: the cause, $12: an outbox, or null: without one a guest would not
 * hear of it. Whoever creates another one with the same key meanwhile waits at the key.
 */
const APPEND: Statement = {
  name: "append-interaction",
  text: `
    WITH target AS (
      SELECT c.channel_key, b.bot_key, a.role, a.role IS NOT NULL AS is_attached, b.disabled_at IS NOT NULL AS is_disabled,
        a.role <> '${READ_ONLY_ROLE}' AND b.disabled_at IS NULL AS is_open
      FROM channels c LEFT JOIN bots b ON b.id = $8
      LEFT JOIN attachments a ON a.channel_key = c.channel_key AND a.bot_key = b.bot_key AND ($12::uuid IS NOT NULL OR NOT ${isGuest("b.owner_user_id")})
      WHERE c.id = $6 AND c.owner_user_id = $7),
    keyed AS (
      INSERT INTO idempotency_keys (target_key, author, key, event_id, created_at)
      SELECT channel_key, 'interactor ' || $7, $9, $1::uuid, $4::bigint FROM target
      WHERE is_open AND $9::text IS NOT NULL
      ON CONFLICT (target_key, author, key) DO NOTHING RETURNING target_key),
    fresh AS (
      SELECT * FROM target WHERE is_open AND ($9::text IS NULL OR EXISTS (SELECT FROM keyed))),
    stored AS (${storeEvent("fresh.channel_key", "-fresh.bot_key", "fresh", "NULL", "$10::smallint, NULL::bigint", "$11")}),
    recipients AS (
      SELECT bot_key FROM fresh
      UNION ALL SELECT o.bot_key FROM fresh CROSS JOIN LATERAL (SELECT bot_key FROM bots WHERE id = $12::uuid OFFSET 0) o),
    ${APPEND_EVENT}
    SELECT channel_key AS "channelKey", is_attached AS "isAttached", role, is_disabled AS "isDisabled",
      EXISTS (SELECT FROM stored) AS "isStored", ${HEADS} FROM target`,
};

/** The interaction, with the name of its bot, then its responses. */
const ofInteractions = (condition: string) => `
    WITH interaction AS MATERIALIZED (
      SELECT p.event_key, b.username, ${EVENT}
      FROM events p JOIN bots b ON b.bot_key = -p.subject_key
      WHERE p.id = $1 AND p.event_type = '${INTERACTION_CREATED}' AND ${condition})
    SELECT 0 AS rank, * FROM interaction
    UNION ALL
    SELECT 1, r.* FROM interaction i CROSS JOIN LATERAL (
      SELECT p.event_key, NULL, ${EVENT} FROM events p WHERE p.subject_key = i.event_key ORDER BY p.event_key LIMIT ${MAX_RESPONSES}) r
    ORDER BY rank, event_key`;
const SELECT_IN_CHANNEL: Statement = {
  name: "select-interaction-in-channel",
  text: ofInteractions(
    "p.channel_key = (SELECT channel_key FROM channels WHERE id = $2 AND owner_user_id = $3)",
  ),
};
const SELECT_OF_BOT: Statement = {
  name: "select-interaction-of-bot",
  text: ofInteractions("p.subject_key = (SELECT -bot_key FROM bots WHERE id = $2)"),
};
const SELECT_RESPONSE: Statement = {
  name: "select-response",
  text: `
    SELECT ${EVENT} FROM events p
    WHERE p.channel_key = (SELECT channel_key FROM channels WHERE id = $2 AND owner_user_id = $3) AND NOT p.is_listed AND p.id = $1
      AND p.event_type = '${INTERACTION_RESPONDED}'`,
};

interface AppendRow {
  channelKey: number;
  isAttached: boolean;
  isDisabled: boolean;
  role: BotRole | null;
  isStored: boolean;
  heads: HeadRows;
}

interface InteractionRow extends StoredEvent {
  /** Of the bot, in the interaction's row. */
  username: string | null;
}

export function interactionVerbs(db: Database, clock: DatabaseClock): InteractionVerbs {
  return {
    async appendInteraction({ channelId, botId, event, idempotencyKey, outboxId, ...owner }) {
      const channel = uuid(channelId);
      const bot = uuid(botId);
      const values = [...eventValues(event), clock.aheadMs(), channel, owner.ownerUserId, bot];
      const [, , rows = []] = await db.transaction([
        [HOLD_CHANNEL, [channel]],
        [HOLD_BOT, [bot]],
        [
          APPEND,
          [
            ...values,
            idempotencyKey ?? null,
            actorNumber(owner),
            event.cause ?? null,
            outboxId === undefined ? null : uuid(outboxId),
          ],
        ],
      ]);
      const [row] = rows as AppendRow[];
      const refuse = (result: InteractionRefusal) => ({ result, heads: [] });
      if (!row) return refuse("no channel");
      if (row.isStored) return { result: true, heads: headsOf(row.heads) };
      if (!row.isAttached) return refuse("not attached");
      const earlier =
        idempotencyKey &&
        (await findKeyed(db, row.channelKey, `interactor ${owner.ownerUserId}`, idempotencyKey));
      if (earlier) return { result: earlier, heads: [] };
      if (row.role === READ_ONLY_ROLE) return refuse("read only");
      return refuse(row.isDisabled ? "disabled" : "not attached");
    },

    async findInteraction(reader, id) {
      const rows =
        "botId" in reader
          ? await db.query<InteractionRow>(SELECT_OF_BOT, [uuid(id), uuid(reader.botId)])
          : await db.query<InteractionRow>(SELECT_IN_CHANNEL, [
              uuid(id),
              uuid(reader.channelId),
              reader.ownerUserId,
            ]);
      const [interaction, ...responses] = rows.map(eventOf);
      return interaction && { interaction, username: rows[0]?.username ?? "", responses };
    },

    async findResponse({ channelId, ownerUserId }, id) {
      const [event] = await db.query<StoredEvent>(SELECT_RESPONSE, [uuid(id), uuid(channelId), ownerUserId]);
      return event;
    },
  };
}

function eventOf({ id, eventType, payload, createdAt }: InteractionRow): StoredEvent {
  return { id, eventType, payload, createdAt };
}
