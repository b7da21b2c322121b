import { MAX_PAGE_BYTES } from "../../domain/limits.js";
import { decodePost } from "../../domain/post.js";
import { byChannel, inColumns } from "../post-columns.js";
import type { LogHead, PostToAppend, Store } from "../store.js";
import type { InBatches } from "./batcher.js";
import { type Database, integers, type Statement, uuid } from "./connection.js";
import type { DatabaseClock } from "./database-clock.js";
import type { InTurn } from "./turns.js";

type PostVerbs = Pick<Store, "appendPosts" | "listPosts">;

/** The result of appending posts: for each whether it was stored, which logs grew, and by how many updates in all. */
export interface Appended {
  stored: boolean[];
  heads: LogHead[];
  updateCount: number;
}

/** Calls, commonly of one post each, that share a statement at most: enough to share an fsync, few enough to keep the lanes locked for milliseconds. */
const CALLS_PER_APPEND = 200;

/**
 * Everything a batch of posts does, in one statement and so in one round trip and one transaction.
 *
 * The lanes are locked in the order of their keys before any of them is changed, so two batches that share bots can wait for
 * each other but never deadlock. What follows the lock reads the newest version of a lane, whatever the
 * statement saw of it before it had to wait; so numbers follow each other without a gap, and since the lock is held to
 * the end of the transaction, they become visible in their order.
 *
 * No part is joined to another one, since each is as long as the batch, and a batch may reach ten thousand bots. Channels are
 * found in an array by their index; a bot's posts are kept as an array beside its lane, and become rows once its numbers are
 * known. OFFSET 0 keeps the planner from reading all of a table that is small.
 *
 * Who may post where is looked up once for each publisher. The payloads are JSON without line breaks, so they are sent as the
 * lines of one text: as an array or as JSON again, every quote in them would be escaped here and unescaped there, which
 * with the look-up for each post made a batch of 30 take a third longer (24 instead of 17 µs of the server's time for a
 * post).
 */
const APPEND: Statement = {
  name: "append-posts",
  text: `
    WITH publisher AS (
      SELECT array_agg((
        SELECT channel_key FROM channels c WHERE c.id = p.channel_id AND (c.owner_user_id = p.owner_user_id OR (
          SELECT true FROM bots b JOIN attachments a USING (bot_key)
          WHERE b.id = p.bot_id AND b.token_hash = coalesce(p.token_hash, b.token_hash) AND b.disabled_at IS NULL
            AND a.channel_key = c.channel_key))) ORDER BY p.n) AS channel_keys
      FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[])
        WITH ORDINALITY AS p (channel_id, bot_id, token_hash, owner_user_id, n)),
    stored AS (
      INSERT INTO posts (id, channel_key, created_at, payload)
      SELECT p.id, channel_keys[p.publisher], p.created_at, p.payload
      FROM publisher CROSS JOIN unnest($5::integer[], $6::uuid[], $7::bigint[], string_to_array($8, E'\\n'))
        WITH ORDINALITY AS p (publisher, id, created_at, payload, n)
      WHERE channel_keys[p.publisher] IS NOT NULL ORDER BY p.n
      RETURNING post_key, channel_key, created_at),
    growth AS (
      SELECT a.bot_key, array_agg(s.post_key ORDER BY s.post_key) AS post_keys, max(s.created_at) AS newest,
        CASE WHEN min(s.channel_key) = max(s.channel_key) THEN min(s.channel_key) END AS channel_key
      FROM stored s CROSS JOIN LATERAL (
        SELECT bot_key FROM attachments WHERE channel_key = s.channel_key OFFSET 0) a
      GROUP BY a.bot_key),
    locked AS (
      SELECT g.* FROM growth g JOIN lanes l USING (bot_key) ORDER BY g.bot_key FOR UPDATE OF l),
    grown AS (
      UPDATE lanes l SET
        last_update_id = l.last_update_id + cardinality(g.post_keys),
        last_update_at = greatest(l.last_update_at, g.newest),
        due_at = CASE
          WHEN NOT l.is_open THEN NULL
          WHEN l.holder IS NOT NULL THEN l.due_at
          ELSE least(l.due_at, greatest(g.newest + $9, l.resting_until)) END
      FROM locked g WHERE l.bot_key = g.bot_key
      RETURNING l.bot_key, l.last_update_id, l.is_open AND l.holder IS NULL AS is_claimable, g.post_keys, g.channel_key),
    appended AS (
      INSERT INTO updates (bot_key, update_id, post_key)
      SELECT bot_key, last_update_id - cardinality(post_keys) + generate_subscripts(post_keys, 1), unnest(post_keys)
      FROM grown)
    SELECT
      (SELECT to_json(channel_keys) FROM publisher) AS "channelKeys",
      (SELECT json_agg(json_build_array(
        (SELECT id FROM bots b WHERE b.bot_key = g.bot_key), g.last_update_id, g.is_claimable, g.channel_key))
        FROM grown g) AS heads,
      (SELECT coalesce(sum(cardinality(post_keys)), 0) FROM grown) AS "updateCount"`,
};
const AFTER_ALL_IDS = "ffffffff-ffff-ffff-ffff-ffffffffffff";

const SELECT_POST: Statement = {
  name: "select-post",
  text: "SELECT id FROM posts WHERE channel_key = (SELECT channel_key FROM channels WHERE id = $1) AND id = $2",
};
const SELECT_POSTS: Statement = {
  name: "select-posts",
  text: `
    SELECT payload, "createdAt" FROM (
      SELECT id, payload, "createdAt", sum(octet_length(payload)) OVER (ORDER BY id DESC ROWS UNBOUNDED PRECEDING) AS bytes
      FROM (
        SELECT id, payload, created_at AS "createdAt" FROM posts
        WHERE channel_key = (SELECT channel_key FROM channels WHERE id = $1) AND id < $2
        ORDER BY id DESC LIMIT $3) newest) page
    WHERE bytes <= $4 OR bytes = octet_length(payload)
    ORDER BY id DESC`,
};

interface AppendRow {
  /** For each publisher the key of the channel; null when it may not post there. */
  channelKeys: (number | null)[];
  /** Null when no log grew. The key of the channel, unless a bot got posts of several. */
  heads: [botId: string, lastUpdateId: number, isClaimable: boolean, channelKey: number | null][] | null;
  updateCount: number;
}

/** @param onAppended is told of each batch of posts, before its callers are */
export function postVerbs(
  db: Database,
  clock: DatabaseClock,
  inBatches: InBatches,
  inTurn: InTurn,
  onAppended: (appended: Appended) => void,
): PostVerbs {
  const append = async (posts: readonly PostToAppend[]): Promise<Appended> => {
    const { channelIds, botIds, tokenHashes, ownerUserIds, publisherOf, ids, createdAts, payloads } =
      inColumns(posts);
    const [row] = await db.query<AppendRow>(APPEND, [
      channelIds.map(uuid),
      botIds.map((botId) => botId && uuid(botId)),
      tokenHashes,
      ownerUserIds,
      integers(publisherOf.map((publisher) => publisher + 1)),
      `{${ids.join()}}`,
      integers(createdAts),
      payloads.join("\n"),
      clock.aheadMs(),
    ]);
    const channelKeys = publisherOf.map((publisher) => row?.channelKeys[publisher] ?? null);
    return {
      updateCount: row?.updateCount ?? 0,
      stored: channelKeys.map((key) => key !== null),
      heads: toHeads(row?.heads ?? [], byChannel(posts, channelKeys)),
    };
  };

  const listPosts: Store["listPosts"] = async (
    channelId,
    limit,
    before = AFTER_ALL_IDS,
    maxBytes = MAX_PAGE_BYTES,
  ) => {
    const channel = uuid(channelId);
    if (before !== AFTER_ALL_IDS) {
      const [post] = await db.query(SELECT_POST, [channel, uuid(before)]);
      if (!post) return undefined;
    }
    const rows = await db.query<{ payload: string; createdAt: number }>(SELECT_POSTS, [
      channel,
      before,
      limit,
      maxBytes,
    ]);
    return rows.map((row) => decodePost(row.payload, row.createdAt));
  };

  return {
    appendPosts: inBatches({
      maxItems: CALLS_PER_APPEND,
      run: (calls: readonly (readonly PostToAppend[])[]) => append(calls.flat()),
      resultsOf(appended, calls) {
        onAppended(appended);
        let taken = 0;
        return calls.map(({ length }) => appended.stored.slice(taken, (taken += length)));
      },
    }),
    listPosts: (...parameters) => inTurn(() => listPosts(...parameters)),
  };
}

function toHeads(
  rows: NonNullable<AppendRow["heads"]>,
  postsOf: ReadonlyMap<number, readonly PostToAppend[]>,
): LogHead[] {
  return rows.map(([botId, lastUpdateId, isClaimable, channelKey]) => {
    const head = { botId, lastUpdateId, isClaimable };
    const posts = channelKey === null ? undefined : postsOf.get(channelKey);
    return posts ? { ...head, posts } : head;
  });
}
