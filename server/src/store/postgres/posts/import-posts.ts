import { actorNumber } from "../../../domain/events/event.js";
import type { AppendResult, ImportedPost, Store } from "../../store.js";
import { type Database, integers, type Statement, uuid } from "../connection/connection.js";
import { findEarlier, type UsedKey } from "./idempotency-keys.js";

/**
 * One entry for each post: $1: channels, $2: owners, $3: ids, $4: times, $5: payloads, as lines of one text, $6: who acts, negated, $7: causes, $8:
 * idempotency keys. $9: the time of the keys: they are forgotten by their age, which is not that of the posts.
 *
 * `acted_by` is negated: usage knows by it that the day of such a post is not that of its time. Nothing else reads it of a post that nobody is
 * told of.
 *
 * Each channel is locked against its deletion. New keys are inserted in their order, as those of other posts.
 */
const IMPORT: Statement = {
  name: "import-posts",
  text: `
    WITH target AS MATERIALIZED (
      SELECT array_agg((
        SELECT channel_key FROM channels WHERE id = p.channel_id AND owner_user_id = p.owner_user_id FOR KEY SHARE) ORDER BY p.n) AS keys
      FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS p (channel_id, owner_user_id, n)),
    keyed AS (
      INSERT INTO idempotency_keys (target_key, author, key, event_id, created_at)
      SELECT keys[p.n::integer], 'owner ' || p.owner_user_id, p.key, p.id, $9::bigint
      FROM target CROSS JOIN unnest($2::text[], $3::uuid[], $8::text[]) WITH ORDINALITY AS p (owner_user_id, id, key, n)
      WHERE keys[p.n::integer] IS NOT NULL AND p.key IS NOT NULL ORDER BY 1, 2, 3
      ON CONFLICT (target_key, author, key) DO NOTHING RETURNING event_id),
    stored AS (
      INSERT INTO events (id, channel_key, created_at, payload, acted_by, cause)
      SELECT p.id, keys[p.n::integer], p.created_at, p.payload, p.actor, p.cause
      FROM target CROSS JOIN unnest(
        $3::uuid[], $4::bigint[], string_to_array($5, E'\\n'), $6::smallint[], $7::text[], $8::text[])
        WITH ORDINALITY AS p (id, created_at, payload, actor, cause, key, n)
      WHERE keys[p.n::integer] IS NOT NULL AND (p.key IS NULL OR p.id IN (SELECT event_id FROM keyed))
      ORDER BY p.n)
    SELECT (SELECT to_json(keys) FROM target) AS "channelKeys", (SELECT json_agg(event_id) FROM keyed) AS "newKeysOf"`,
};

interface ImportRow {
  /** For each post the key of its channel; null when the owner has no such channel. */
  channelKeys: (number | null)[];
  /** The ids of the posts whose idempotency keys are new; null when no key is new. */
  newKeysOf: string[] | null;
}

export function importVerbs(db: Database): Pick<Store, "importPosts"> {
  return {
    async importPosts(posts) {
      const [row] = await db.query<ImportRow>(IMPORT, [
        posts.map(({ channelId }) => uuid(channelId)),
        posts.map(({ author }) => author.ownerUserId),
        posts.map(({ id }) => id),
        integers(posts.map(({ createdAt }) => createdAt)),
        posts.map(({ payload }) => payload).join("\n"),
        integers(posts.map(({ author }) => -actorNumber(author))),
        posts.map(({ cause }) => cause ?? null),
        posts.map(({ idempotencyKey }) => idempotencyKey ?? null),
        Date.now(),
      ]);
      return row ? await resultsOf(db, posts, row) : [];
    },
  };
}

async function resultsOf(
  db: Database,
  posts: readonly ImportedPost[],
  { channelKeys, newKeysOf }: ImportRow,
): Promise<AppendResult[]> {
  const fresh = new Set(newKeysOf);
  const used: (UsedKey & { index: number })[] = [];
  const results = posts.map(({ id, author, idempotencyKey: key }, index): AppendResult => {
    const targetKey = channelKeys[index] ?? null;
    if (targetKey === null) return false;
    if (key !== undefined && !fresh.has(id))
      used.push({ index, targetKey, author: `owner ${author.ownerUserId}`, key });
    return true;
  });
  const earlier = used.length > 0 ? await findEarlier(db, used) : [];
  for (const [n, { index }] of used.entries()) results[index] = earlier[n] ?? false;
  return results;
}
