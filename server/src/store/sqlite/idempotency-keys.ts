import { POST_CREATED, type StoredEvent } from "../../domain/event.js";
import type { Database } from "./binding.js";
import type { Verbs } from "./verbs.js";

/** What a key belongs to. */
export interface KeyScope {
  /** The channel; for an event to one bot, the bot's key negated. */
  targetKey: number;
  author: { botKey: number } | { ownerUserId: string } | { emitterUserId: string };
  key: string;
}

/** The keys with which callers mark their posts and events, so that one that is sent again is not stored twice. */
export function idempotencyKeys(db: Database) {
  const selectKey = db.prepare(`
    SELECT event_id AS id FROM idempotency_keys WHERE target_key = ? AND author = ? AND key = ?`);
  const keepKey = db.prepare(`
    INSERT OR REPLACE INTO idempotency_keys (target_key, author, key, event_id, created_at) VALUES (?, ?, ?, ?, ?)`);
  /** It stands in the channel's list of posts or in that of its other events; an event to one bot in no channel's. */
  const selectEvent = db.prepare(`
    SELECT id, ifnull(event_type, '${POST_CREATED}') AS eventType, payload, created_at AS createdAt FROM posts
    WHERE channel_key IN (max(?1, 0), min(-?1, 0), 0) AND id = ?2`);

  return {
    /**
     * @param underWay events that are about to be stored in the same transaction, by their ids; a new one is added
     * @returns what was stored under the key; undefined when it is new, and then it is kept for `event`
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

/** Posts and events have keys of their own. */
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
