import { READ_ONLY_ROLE } from "../../../domain/events/channel.js";
import { INTERACTION_CREATED, POST_CREATED, type StoredEvent } from "../../../domain/events/event.js";
import type { UpkeepStep, UpkeepSteps } from "../../parts/upkeep-store.js";
import { changerOf, emitterOf, INTERACTION_AUTHOR } from "../../shared/change-keys.js";
import type { KeyedCall, PostChange, Store } from "../../store.js";
import { type Database, type Statement, uuid, type Value } from "../connection/connection.js";

/** An idempotency key that was used before, and its scope. */
export interface UsedKey {
  /** The channel's key; for an event to one bot, the negated key of the bot. */
  targetKey: number;
  author: string;
  key: string;
}

export const EVENT = `p.id, coalesce(p.event_type, '${POST_CREATED}') AS "eventType", p.payload, p.created_at AS "createdAt"`;

/** A target is a channel, or a bot negated: an event to one bot is in no channel. */
const SELECT_EARLIER: Statement = {
  name: "select-by-idempotency-keys",
  text: `
    SELECT u.n AS ordinal, ${EVENT}
    FROM unnest($1::bigint[], $2::text[], $3::text[]) WITH ORDINALITY AS u (target_key, author, key, n)
    JOIN idempotency_keys k USING (target_key, author, key)
    JOIN events p ON p.channel_key = ANY (ARRAY[greatest(k.target_key, 0), 0]) AND p.is_listed = ANY ('{t,f}') AND p.id = k.event_id`,
};
const FORGET: Statement = {
  name: "forget-idempotency-keys",
  text: `
    DELETE FROM idempotency_keys WHERE (target_key, author, key) IN (
      SELECT target_key, author, key FROM idempotency_keys WHERE created_at < $1 ORDER BY created_at LIMIT $2)
    RETURNING created_at`,
};

/** Removes some of the keys of a deleted channel or bot. */
export const REMOVE_KEYS: Statement = {
  name: "remove-idempotency-keys",
  text: `
    DELETE FROM idempotency_keys WHERE (target_key, author, key) IN (
      SELECT target_key, author, key FROM idempotency_keys WHERE target_key = $1
      ORDER BY target_key, author, key LIMIT $2)
    RETURNING created_at`,
};
/** SQL of in whose name keys of a bot's change of the post `p` are kept, without the bot's key. */
const changedBy = (change: PostChange) => `'${changerOf(change, "' || p.id || '", "bot")} '`;
/** Some of the keys with which bots published these events, $1, or others in the same channels, or changed these. $2: how many. */
export const REMOVE_KEYS_OF_BOTS: Statement = {
  name: "remove-idempotency-keys-of-bots",
  text: `
    DELETE FROM idempotency_keys WHERE (target_key, author, key) IN (
      SELECT k.target_key, k.author, k.key FROM (
        SELECT DISTINCT p.channel_key, a.author FROM events p CROSS JOIN LATERAL (
          VALUES ('bot ' || p.author_key), ('emitter bot ' || p.author_key),
            (${changedBy("edit")} || p.author_key), (${changedBy("deletion")} || p.author_key)) a (author)
        WHERE p.event_key = ANY ($1::bigint[]) AND p.channel_key > 0 AND p.author_key IS NOT NULL OFFSET 0) s
      CROSS JOIN LATERAL (
        SELECT target_key, author, key FROM idempotency_keys
        WHERE target_key = s.channel_key AND author = s.author ORDER BY target_key, author, key LIMIT $2) k
      LIMIT $2)
    RETURNING created_at`,
};
/** What a call with the key $1 has created, in the scope that `scope` selects: a target key and an author. */
const keyedIn = (scope: string) => `
    SELECT ${EVENT}
    FROM (${scope}) s JOIN idempotency_keys k ON k.target_key = s.target_key AND k.author = s.author AND k.key = $1
    JOIN events p ON p.channel_key = ANY (ARRAY[greatest(k.target_key, 0), 0]) AND p.is_listed = ANY ('{t,f}') AND p.id = k.event_id`;
/** $2: the channel, $3: its owner, $4: in whose name. */
const SELECT_OF_OWNER: Statement = {
  name: "select-keyed-of-owner",
  text: keyedIn(`
      SELECT channel_key AS target_key, $4::text AS author FROM channels
      WHERE id = $2 AND owner_user_id = $3`),
};
/** $2: the channel, $3: the bot, $4: the hash of its token, or null. */
const SELECT_OF_BOT: Statement = {
  name: "select-keyed-post-of-bot",
  text: keyedIn(`
      SELECT a.channel_key AS target_key, 'bot ' || b.bot_key AS author
      FROM channels c JOIN attachments a USING (channel_key) JOIN bots b USING (bot_key)
      WHERE c.id = $2 AND b.id = $3 AND b.disabled_at IS NULL AND b.token_hash = coalesce($4, b.token_hash)
        AND a.role <> '${READ_ONLY_ROLE}'`),
};
/** $2: the channel, $3: the bot that emits in it, or changes a post, $4: which of these. */
const SELECT_OF_EMITTER: Statement = {
  name: "select-keyed-event-of-bot",
  text: keyedIn(`
      SELECT a.channel_key AS target_key, $4::text || ' ' || b.bot_key AS author
      FROM channels c JOIN attachments a USING (channel_key) JOIN bots b USING (bot_key) WHERE c.id = $2 AND b.id = $3`),
};
/** $2: the interaction, $3: the bot that responds to it, $4: the hash of its token, or null. */
const SELECT_RESPONSE: Statement = {
  name: "select-keyed-response",
  text: keyedIn(`
      SELECT p.channel_key AS target_key, '${INTERACTION_AUTHOR}' || p.event_key AS author FROM events p
      WHERE p.id = $2 AND p.event_type = '${INTERACTION_CREATED}' AND p.subject_key = (
        SELECT -bot_key FROM bots WHERE id = $3 AND disabled_at IS NULL AND token_hash = coalesce($4, token_hash))`),
};
/** $2: the bot, $3: its owner, $4: in whose name. */
const SELECT_TO_BOT: Statement = {
  name: "select-keyed-event-to-bot",
  text: keyedIn(`
      SELECT -bot_key AS target_key, $4::text AS author FROM bots
      WHERE id = $2 AND owner_user_id = $3`),
};

/** The events that were stored earlier under these keys, in the order of the keys. */
export async function findEarlier(
  db: Database,
  keys: readonly UsedKey[],
): Promise<(StoredEvent | undefined)[]> {
  const rows = await db.query<StoredEvent & { ordinal: number }>(SELECT_EARLIER, [
    keys.map(({ targetKey }) => targetKey),
    keys.map(({ author }) => author),
    keys.map(({ key }) => key),
  ]);
  const found: (StoredEvent | undefined)[] = keys.map(() => undefined);
  for (const { ordinal, ...event } of rows) found[ordinal - 1] = event;
  return found;
}

/** The event that was stored earlier under a key; undefined when there is none any more. */
export async function findKeyed(
  db: Database,
  targetKey: number,
  author: string,
  key = "",
): Promise<StoredEvent | undefined> {
  return (await findEarlier(db, [{ targetKey, author, key }]))[0];
}

export function idempotencyKeyVerbs(db: Database): Pick<Store, "findKeyed"> {
  return {
    async findKeyed(call) {
      const [event] = await db.query<StoredEvent>(...selectionOf(call));
      return event;
    },
  };
}

export function keyExpiry(db: Database): UpkeepSteps<Promise<UpkeepStep>>["forgetKeys"] {
  return async ({ before }, limit) => ({
    isMore: (await db.query(FORGET, [before, limit])).length === limit,
  });
}

function selectionOf(call: KeyedCall): [Statement, Value[]] {
  const { key } = call;
  if ("eventIn" in call)
    return [SELECT_OF_EMITTER, [key, uuid(call.eventIn), uuid(call.botId), "emitter bot"]];
  if ("change" in call) {
    const { change, channelId, postId, editor } = call;
    return "botId" in editor
      ? [SELECT_OF_EMITTER, [key, uuid(channelId), uuid(editor.botId), changerOf(change, postId, "bot")]]
      : ofOwner(
          key,
          channelId,
          editor.ownerUserId,
          `${changerOf(change, postId, "owner")} ${editor.ownerUserId}`,
        );
  }
  if ("interactionId" in call)
    return [SELECT_RESPONSE, [key, uuid(call.interactionId), uuid(call.botId), call.tokenHash ?? null]];
  if ("interactionIn" in call)
    return ofOwner(key, call.interactionIn, call.ownerUserId, `interactor ${call.ownerUserId}`);
  if ("to" in call) {
    const { to, ownerUserId } = call;
    return "botId" in to
      ? [SELECT_TO_BOT, [key, uuid(to.botId), ownerUserId, emitterOf(ownerUserId)]]
      : ofOwner(key, to.channelId, ownerUserId, emitterOf(ownerUserId));
  }
  const { author, channelId } = call;
  return "botId" in author
    ? [SELECT_OF_BOT, [key, uuid(channelId), uuid(author.botId), author.tokenHash ?? null]]
    : ofOwner(key, channelId, author.ownerUserId, `owner ${author.ownerUserId}`);
}

const ofOwner = (
  key: string,
  channelId: string,
  ownerUserId: string,
  author: string,
): [Statement, Value[]] => [SELECT_OF_OWNER, [key, uuid(channelId), ownerUserId, author]];
