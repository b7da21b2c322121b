import { POST_CREATED, type StoredEvent } from "../../domain/event.js";
import type { Database } from "./binding.js";
import type { Verbs } from "./verbs.js";

/** The scope of a key. */
export interface KeyScope {
  /** The channel's key; for an event to one bot, the negated key of the bot. */
  targetKey: number;
  author: { botKey: number } | { ownerUserId: string } | { emitterUserId: string };
  key: string;
}

/** Idempotency keys: a post or event that is sent again with the same key is not stored twice. */
export function idempotencyKeys(db: Database) {
  const selectKey = db.prepare(`
    SELECT event_id AS id FROM idempotency_keys WHERE target_key = ? AND author = ? AND key = ?`);
  const keepKey = db.prepare(`
    INSERT OR REPLACE INTO idempotency_keys (target_key, author, key, event_id, created_at) VALUES (?, ?, ?, ?, ?)`);
  /**
   * The sign of channel_key differs: positive for a post, negative for another event of a channel, 0 for an event to
   * one bot.
   */
  const selectEvent = db.prepare(`
    SELECT id, ifnull(event_type, '${POST_CREATED}') AS eventType, payload, created_at AS createdAt FROM posts
    WHERE channel_key IN (max(?1, 0), min(-?1, 0), 0) AND id = ?2`);

  return {
    /**
     * @param underWay events that the same transaction is about to store, by id; a new one is added
     * @returns the event that was stored under the key; undefined when the key is new, and then it is stored for
     *   `event`
     */
    use(
      { targetKey, author, key }: KeyScope,
      event: StoredEvent,
      underWay: Map<string, StoredEvent> = new Map(),
    ): StoredEvent | undefined {
      const who = nameOf(author);
      const earlier = selectKey.get(targetKey, who, key) as { id: string } | undefined;
      const stored =
        earlier &&
        (underWay.get(earlier.id) ?? (selectEvent.get(targetKey, earlier.id) as StoredEvent | undefined));
      if (stored) return stored;
      keepKey.run(targetKey, who, key, event.id, event.createdAt);
      underWay.set(event.id, event);
      return undefined;
    },
  };
}

/** The stored name of an author. Posts and events have separate keys. */
function nameOf(author: KeyScope["author"]): string {
  if ("botKey" in author) return `bot ${author.botKey}`;
  return "emitterUserId" in author ? `emitter ${author.emitterUserId}` : `owner ${author.ownerUserId}`;
}

export function keyExpiryVerbs(db: Database): Pick<Verbs, "forgetKeys"> {
  const remove = db.prepare(`
    DELETE FROM idempotency_keys WHERE (target_key, author, key) IN (
      SELECT target_key, author, key FROM idempotency_keys WHERE created_at < ? ORDER BY created_at LIMIT +?)`);
  return {
    forgetKeys: (before, limit) => Number(remove.run(before, limit).changes) === limit,
  };
}
