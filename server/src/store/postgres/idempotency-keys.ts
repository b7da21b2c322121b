import { POST_CREATED, type StoredEvent } from "../../domain/event.js";
import type { Store } from "../store.js";
import type { Database, Statement } from "./connection.js";

/** An idempotency key that was used before, and its scope. */
export interface UsedKey {
  /** The channel's key; for an event to one bot, the negated key of the bot. */
  targetKey: number;
  author: string;
  key: string;
}

export const EVENT = `p.id, coalesce(p.event_type, '${POST_CREATED}') AS "eventType", p.payload, p.created_at AS "createdAt"`;

/**
 * The sign of channel_key differs: positive for a post, negative for another event of a channel, 0 for an event to one
 * bot.
 */
const SELECT_EARLIER: Statement = {
  name: "select-by-idempotency-keys",
  text: `
    SELECT u.n AS ordinal, ${EVENT}
    FROM unnest($1::bigint[], $2::text[], $3::text[]) WITH ORDINALITY AS u (target_key, author, key, n)
    JOIN idempotency_keys k USING (target_key, author, key)
    JOIN posts p ON p.channel_key = ANY (ARRAY[greatest(k.target_key, 0), least(-k.target_key, 0), 0]) AND p.id = k.event_id`,
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

export function keyExpiryVerbs(db: Database): Pick<Store, "forgetKeys"> {
  return {
    forgetKeys: async (before, limit) => (await db.query(FORGET, [before, limit])).length === limit,
  };
}
