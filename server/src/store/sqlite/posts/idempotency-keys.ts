import { READ_ONLY_ROLE } from "../../../domain/events/channel.js";
import { INTERACTION_CREATED, POST_CREATED, type StoredEvent } from "../../../domain/events/event.js";
import type { UpkeepStep, UpkeepSteps } from "../../parts/upkeep-store.js";
import { changerOf, emitterOf, INTERACTION_AUTHOR } from "../../shared/change-keys.js";
import type { KeyedCall } from "../../store.js";
import type { Database } from "../binding.js";
import type { Verbs } from "../verbs.js";

/** The scope of a key. */
export interface KeyScope {
  /** The channel's key; for an event to one bot, the negated key of the bot. */
  targetKey: number;
  author:
    | { botKey: number }
    | { ownerUserId: string }
    | { emitterUserId: string }
    | { emitterKey: number }
    | { interactorUserId: string }
    | { interactionKey: number }
    | { changer: string };
  key: string;
}

/** Idempotency keys: a post or event that is sent again with the same key is not stored twice. */
export function idempotencyKeys(db: Database) {
  const findKeyed = keyedEventFinder(db);
  const keepKey = db.prepare(`
    INSERT OR REPLACE INTO idempotency_keys (target_key, author, key, event_id, created_at) VALUES (?, ?, ?, ?, ?)`);
  const keep = ({ targetKey, author, key }: KeyScope, event: Pick<StoredEvent, "id" | "createdAt">): void => {
    keepKey.run(targetKey, nameOf(author), key, event.id, event.createdAt);
  };
  return {
    find: ({ targetKey, author, key }: KeyScope) => findKeyed(targetKey, nameOf(author), key),
    keep,

    /**
     * @param underWay events that the same transaction is about to store, by id; a new one is added
     * @returns the event that was stored under the key; undefined when the key is new, and then it is stored for
     *   `event`
     */
    use(
      scope: KeyScope,
      event: StoredEvent,
      underWay: Map<string, StoredEvent> = new Map(),
    ): StoredEvent | undefined {
      const stored = findKeyed(scope.targetKey, nameOf(scope.author), scope.key, underWay);
      if (stored) return stored;
      keep(scope, event);
      underWay.set(event.id, event);
      return undefined;
    },
  };
}

/** @returns finds what was stored under a key, or is about to be */
function keyedEventFinder(db: Database) {
  const selectKey = db.prepare(`
    SELECT event_id AS id FROM idempotency_keys WHERE target_key = ? AND author = ? AND key = ?`);
  /** ?1: the channel's key, or the bot's negated; an event to one bot is in no channel. */
  const selectEvent = db.prepare(`
    SELECT id, ifnull(event_type, '${POST_CREATED}') AS eventType, payload, created_at AS createdAt FROM events
    WHERE channel_key IN (max(?1, 0), 0) AND is_listed IN (0, 1) AND id = ?2`);
  return (targetKey: number, author: string, key: string, underWay?: ReadonlyMap<string, StoredEvent>) => {
    const earlier = selectKey.get(targetKey, author, key) as { id: string } | undefined;
    if (!earlier) return undefined;
    return underWay?.get(earlier.id) ?? (selectEvent.get(targetKey, earlier.id) as StoredEvent | undefined);
  };
}

/** The stored name of an author. Posts, events, interactions, and responses to each of them have separate keys. */
function nameOf(author: KeyScope["author"]): string {
  if ("changer" in author) return author.changer;
  if ("botKey" in author) return `bot ${author.botKey}`;
  if ("emitterKey" in author) return `emitter bot ${author.emitterKey}`;
  if ("interactorUserId" in author) return `interactor ${author.interactorUserId}`;
  if ("interactionKey" in author) return `${INTERACTION_AUTHOR}${author.interactionKey}`;
  return "emitterUserId" in author ? emitterOf(author.emitterUserId) : `owner ${author.ownerUserId}`;
}

export function idempotencyKeyVerbs(db: Database): Pick<Verbs, "findKeyed"> {
  const findKeyed = keyedEventFinder(db);
  /** ?3: in whose name. */
  const selectChannel = db.prepare(`
    SELECT channel_key AS targetKey, ?3 AS author FROM channels WHERE id = ?1 AND owner_user_id = ?2`);
  const selectAttached = db.prepare(`
    SELECT a.channel_key AS targetKey, 'bot ' || b.bot_key AS author
    FROM channels c JOIN attachments a USING (channel_key) JOIN bots b USING (bot_key)
    WHERE c.id = ?1 AND b.id = ?2 AND b.disabled_at IS NULL AND b.token_hash = ifnull(?3, b.token_hash)
      AND a.role <> '${READ_ONLY_ROLE}'`);
  const selectBot = db.prepare(`
    SELECT -bot_key AS targetKey, ?3 AS author FROM bots WHERE id = ?1 AND owner_user_id = ?2`);
  const selectEmitting = db.prepare(`
    SELECT a.channel_key AS targetKey, ?3 || ' ' || b.bot_key AS author
    FROM channels c JOIN attachments a USING (channel_key) JOIN bots b USING (bot_key) WHERE c.id = ?1 AND b.id = ?2`);
  const selectInteraction = db.prepare(`
    SELECT p.channel_key AS targetKey, '${INTERACTION_AUTHOR}' || p.event_key AS author FROM events p
    WHERE p.id = ? AND p.event_type = '${INTERACTION_CREATED}' AND p.subject_key = (
      SELECT -bot_key FROM bots WHERE id = ? AND disabled_at IS NULL AND token_hash = ifnull(?, token_hash))`);
  const findScope = (call: KeyedCall): unknown => {
    if ("eventIn" in call) return selectEmitting.get(call.eventIn, call.botId, "emitter bot");
    if ("change" in call) {
      const { change, channelId, postId, editor } = call;
      return "botId" in editor
        ? selectEmitting.get(channelId, editor.botId, changerOf(change, postId, "bot"))
        : selectChannel.get(
            channelId,
            editor.ownerUserId,
            `${changerOf(change, postId, "owner")} ${editor.ownerUserId}`,
          );
    }
    if ("interactionId" in call)
      return selectInteraction.get(call.interactionId, call.botId, call.tokenHash ?? null);
    if ("interactionIn" in call)
      return selectChannel.get(call.interactionIn, call.ownerUserId, `interactor ${call.ownerUserId}`);
    if ("to" in call) {
      const { to, ownerUserId } = call;
      return "botId" in to
        ? selectBot.get(to.botId, ownerUserId, emitterOf(ownerUserId))
        : selectChannel.get(to.channelId, ownerUserId, emitterOf(ownerUserId));
    }
    const { channelId, author } = call;
    return "botId" in author
      ? selectAttached.get(channelId, author.botId, author.tokenHash ?? null)
      : selectChannel.get(channelId, author.ownerUserId, `owner ${author.ownerUserId}`);
  };
  return {
    findKeyed(call) {
      const scope = findScope(call) as { targetKey: number; author: string } | undefined;
      return scope && findKeyed(scope.targetKey, scope.author, call.key);
    },
  };
}

export function keyExpiry(db: Database): UpkeepSteps<UpkeepStep>["forgetKeys"] {
  const remove = db.prepare(`
    DELETE FROM idempotency_keys WHERE (target_key, author, key) IN (
      SELECT target_key, author, key FROM idempotency_keys WHERE created_at < ? ORDER BY created_at LIMIT +?)`);
  return ({ before }, limit) => ({ isMore: Number(remove.run(before, limit).changes) === limit });
}
