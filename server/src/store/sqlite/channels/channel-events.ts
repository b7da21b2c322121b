import { type BotRole, READ_ONLY_ROLE } from "../../../domain/events/channel.js";
import {
  ACTOR_NUMBERS,
  type ActorType,
  actorType,
  INTERACTION_CREATED,
  type NewEvent,
  POST_CREATED,
  type StoredEvent,
} from "../../../domain/events/event.js";
import { AFTER_ALL_IDS } from "../../../domain/ids.js";
import type { LogHead } from "../../store.js";
import type { Database } from "../binding.js";
import { idempotencyKeys } from "../posts/idempotency-keys.js";
import { eventAppender } from "../posts/log-appender.js";
import { AWAY_FROM } from "../posts/posts.js";
import type { EventVerbs, Verbs } from "../verbs.js";
import { listeners } from "./listeners.js";

/** The channel of an event, if any, and its subject. */
interface EventContext {
  channelKey?: number;
  /** The post that was edited; or, negated, the bot that the event is for. */
  subjectKey?: number;
  /** Whom an event of no channel names; of a bot in a channel of another owner, whose it is. */
  ownerUserId?: string | null;
  actor?: ActorType | undefined;
  /** The bot that acts. */
  actorKey?: number | undefined;
}

interface Member {
  channelKey: number;
  botKey: number;
  role: BotRole;
  awayFrom: string | null;
}

/** Stores an event other than a post, and appends it to the logs of the bots that hear it. */
export function eventWriter(db: Database) {
  const insertEvent = db.prepare(`
    INSERT INTO events (id, channel_key, created_at, payload, event_type, subject_key, owner_user_id,
      acted_by, author_key, cause, is_listed)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`);
  const append = eventAppender(db);
  return (
    event: NewEvent,
    { channelKey = 0, subjectKey, ownerUserId, actor, actorKey }: EventContext,
    botKeys: readonly number[],
  ): LogHead[] => {
    const { id, createdAt, payload, eventType, cause } = event;
    const { lastInsertRowid } = insertEvent.run(
      id,
      channelKey,
      createdAt,
      payload,
      eventType,
      subjectKey ?? null,
      ownerUserId ?? null,
      actor ? ACTOR_NUMBERS[actor] : null,
      actorKey ?? null,
      cause ?? null,
    );
    return append(Number(lastInsertRowid), createdAt, botKeys);
  };
}

export function channelEventVerbs(
  db: Database,
): Pick<EventVerbs, "appendEvent" | "appendBotEvent"> &
  Pick<Verbs, "listChannelEvents" | "listOtherEvents" | "listBotEvents"> {
  const selectChannel = db.prepare(
    "SELECT channel_key AS key FROM channels WHERE id = ? AND owner_user_id = ?",
  );
  const selectBot = db.prepare("SELECT bot_key AS key FROM bots WHERE id = ? AND owner_user_id = ?");
  const selectMember = db.prepare(`
    SELECT c.channel_key AS channelKey, b.bot_key AS botKey, a.role, ${AWAY_FROM}
    FROM channels c JOIN attachments a USING (channel_key) JOIN bots b USING (bot_key)
    WHERE c.id = ?1 AND b.id = ?2 AND b.disabled_at IS NULL AND b.token_hash = ifnull(?3, b.token_hash)`);
  const keys = idempotencyKeys(db);
  const write = eventWriter(db);
  const { inChannel, ofBot } = listeners(db);
  const event = `id, ifnull(event_type, '${POST_CREATED}') AS eventType, payload, created_at AS createdAt`;
  const selectRecent = db.prepare(`
    WITH channel AS (SELECT channel_key FROM channels WHERE id = ?1)
    SELECT * FROM (
      SELECT * FROM (SELECT ${event} FROM events
        WHERE channel_key = (SELECT channel_key FROM channel) AND is_listed = 1 ORDER BY id DESC LIMIT +?2)
      UNION ALL
      SELECT * FROM (SELECT ${event} FROM events
        WHERE channel_key = (SELECT channel_key FROM channel) AND is_listed = 0 ORDER BY id DESC LIMIT +?2))
    ORDER BY id DESC LIMIT +?2`);
  const selectOther = db.prepare(`
    SELECT ${event} FROM events
    WHERE channel_key = (SELECT channel_key FROM channels WHERE id = ?) AND is_listed = 0 AND id < ? AND event_type IS NOT NULL
    ORDER BY id DESC LIMIT +?`);
  /** Custom events to bots are in no channel; interactions are, and have an index of their own. */
  const selectKeyToBot = db.prepare(`
    SELECT p.event_key AS eventKey FROM bots b JOIN events p ON p.subject_key = -b.bot_key
    WHERE b.id = ?1 AND p.channel_key = 0 AND p.is_listed = 0 AND p.id = ?2
    UNION ALL
    SELECT p.event_key FROM bots b JOIN events p ON p.subject_key = -b.bot_key
    WHERE b.id = ?1 AND p.event_type = '${INTERACTION_CREATED}' AND p.id = ?2`);
  const selectToBot = db.prepare(`
    SELECT ${event} FROM events INDEXED BY events_by_subject
    WHERE subject_key = (SELECT -bot_key FROM bots WHERE id = ?) AND event_key < ? ORDER BY event_key DESC LIMIT +?`);

  return {
    appendEvent(appended) {
      const { ownerUserId, to, event: stored, idempotencyKey } = appended;
      const target =
        "channelId" in to
          ? selectChannel.get(to.channelId, ownerUserId)
          : selectBot.get(to.botId, ownerUserId);
      if (!target) return { result: false, heads: [] };
      const { key } = target as { key: number };
      const isChannel = "channelId" in to;
      if (idempotencyKey !== undefined) {
        const targetKey = isChannel ? key : -key;
        const earlier = keys.use(
          { targetKey, author: { emitterUserId: ownerUserId }, key: idempotencyKey },
          stored,
        );
        if (earlier) return { result: earlier, heads: [] };
      }
      const heads = isChannel
        ? write(stored, { channelKey: key, actor: actorType(appended) }, inChannel(key, stored.eventType))
        : write(stored, { subjectKey: -key }, ofBot(key, stored.eventType));
      return { result: true, heads };
    },

    appendBotEvent({ botId, tokenHash, channelId, event: stored, idempotencyKey }) {
      const found = selectMember.get(channelId, botId, tokenHash ?? null) as Member | undefined;
      if (!found) return { result: false, heads: [] };
      const { channelKey, botKey, role, awayFrom } = found;
      if (role === READ_ONLY_ROLE) return { result: "read only", heads: [] };
      if (idempotencyKey !== undefined) {
        const scope = { targetKey: channelKey, author: { emitterKey: botKey }, key: idempotencyKey };
        const earlier = keys.use(scope, stored);
        if (earlier) return { result: earlier, heads: [] };
      }
      const context = { channelKey, ownerUserId: awayFrom, actor: "bot", actorKey: botKey } as const;
      const recipients = inChannel(channelKey, stored.eventType).filter((key) => key !== botKey);
      return { result: true, heads: write(stored, context, recipients) };
    },

    listChannelEvents: (channelId, limit) => selectRecent.all(channelId, limit) as StoredEvent[],

    listOtherEvents: (channelId, limit, before = AFTER_ALL_IDS) =>
      selectOther.all(channelId, before, limit) as StoredEvent[],

    listBotEvents(botId, limit, before) {
      if (before === undefined)
        return selectToBot.all(botId, Number.MAX_SAFE_INTEGER, limit) as StoredEvent[];
      const found = selectKeyToBot.get(botId, before) as { eventKey: number } | undefined;
      return found && (selectToBot.all(botId, found.eventKey, limit) as StoredEvent[]);
    },
  };
}
