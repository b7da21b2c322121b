import type { PostOrigin } from "../../../domain/events/bot-loop.js";
import { decodePost, type Post } from "../../../domain/events/post.js";
import { NO_NEW_POSTS } from "../../../domain/events/subscription.js";
import { AFTER_ALL_IDS, BEFORE_ALL_IDS } from "../../../domain/ids.js";
import { MAX_PAGE_BYTES } from "../../../domain/limits.js";
import { FEED } from "../../parts/feed-store.js";
import { byChannel, inColumns, type PostColumns } from "../../shared/post-columns.js";
import { type MembershipRow, membershipOf } from "../../shared/rows/membership-row.js";
import { type AppendResult, Contended, type LogHead, type PostToAppend, type Store } from "../../store.js";
import type { InBatches } from "../connection/batcher.js";
import { type Database, integers, type Statement, uuid, type Value } from "../connection/connection.js";
import type { DatabaseClock } from "../connection/database-clock.js";
import type { InTurn } from "../connection/turns.js";
import { furtherLanes, withFurther } from "../logs/log-growth.js";
import { type AppendVariant, appendStatement, OUTDATED } from "./append-posts.js";
import { findEarlier, type UsedKey } from "./idempotency-keys.js";
import { createLargeChannels } from "./large-channels.js";

type PostVerbs = Pick<Store, "appendPosts" | "findPost" | "listPosts" | "listPostOrigins">;

/** The result of appending posts: for each whether it was stored; the logs that grew; and the number of updates. */
export interface AppendedPosts {
  results: AppendResult[];
  heads: LogHead[];
  updateCount: number;
}

/**
 * Calls that share a statement at most, each usually with one post: enough to share an fsync, few enough to lock the
 * lanes only for milliseconds.
 */
const CALLS_PER_APPEND = 200;

/** How often a batch begins again because bots of its channels are detached at that moment. */
const MAX_RACES = 20;

const SELECT_POST_ID: Statement = {
  name: "select-post-id",
  text: `
    SELECT p.id FROM channels c JOIN events p USING (channel_key)
    WHERE c.id = $1 AND p.is_listed = ANY ('{t,f}') AND p.id = $2`,
};
/** The newest revision of a post `p`, of which `e` is the row of edited_posts. */
const POST = `coalesce(e.payload, p.payload) AS payload, p.created_at AS "createdAt", e.revision, e.edited_at AS "editedAt"`;
/** $1: the channel, $2: the id from which on, $3: the most posts, $4: the most bytes. */
const selectPosts = (name: string, beyond: "<" | ">", order: "ASC" | "DESC"): Statement => ({
  name,
  text: `
    SELECT payload, "createdAt", revision, "editedAt" FROM (
      SELECT *, sum(octet_length(payload)) OVER (ORDER BY id ${order} ROWS UNBOUNDED PRECEDING) AS bytes
      FROM (
        SELECT p.id, ${POST} FROM (
          SELECT * FROM events
          WHERE channel_key = (SELECT channel_key FROM channels WHERE id = $1) AND is_listed AND id ${beyond} $2
          ORDER BY id ${order} LIMIT $3) p LEFT JOIN edited_posts e USING (event_key)) found) page
    WHERE bytes <= $4 OR bytes = octet_length(payload)
    ORDER BY id ${order}`,
});
const SELECT_POSTS = selectPosts("select-posts", "<", "DESC");
const SELECT_OLDEST_POSTS = selectPosts("select-oldest-posts", ">", "ASC");
/** $1: the channel. $2: the number of posts. */
const SELECT_ORIGINS: Statement = {
  name: "select-post-origins",
  text: `
    SELECT (SELECT b.id FROM bots b WHERE b.bot_key = p.author_key) AS "botId", p.created_at AS "createdAt"
    FROM (
      SELECT id, channel_key, author_key, created_at FROM events
      WHERE channel_key = (SELECT channel_key FROM channels WHERE id = $1) AND is_listed ORDER BY id DESC LIMIT $2) p
    WHERE p.author_key IS NULL OR (
      SELECT a.post_filter FROM attachments a
      WHERE a.channel_key = p.channel_key AND a.bot_key = p.author_key) < ${NO_NEW_POSTS}
    ORDER BY p.id DESC`,
};
/**
 * No row when the reader, an owner or a bot, has no such channel; a row without a payload when the channel has no such
 * post.
 */
const SELECT_POST: Statement = {
  name: "select-post",
  text: `
    SELECT ${POST}, reader.bot_key IS NOT NULL AND reader.bot_key = p.author_key AS "isOwn", reader.role, reader.attached_at AS "attachedAt"
    FROM (
      SELECT channel_key, NULL::bigint AS bot_key, NULL::text AS role, NULL::bigint AS attached_at
      FROM channels WHERE id = $1 AND owner_user_id = $3
      UNION ALL
      SELECT c.channel_key, b.bot_key, a.role, a.attached_at
      FROM channels c JOIN attachments a USING (channel_key) JOIN bots b USING (bot_key)
      WHERE c.id = $1 AND b.id = $4 AND b.disabled_at IS NULL) reader
    LEFT JOIN events p ON p.channel_key = reader.channel_key AND p.is_listed AND p.id = $2
    LEFT JOIN edited_posts e USING (event_key)`,
};

interface PostRow {
  payload: string;
  createdAt: number;
  revision: number | null;
  editedAt: number | null;
}

type ReadRow = (PostRow & MembershipRow & { isOwn: boolean }) | { payload: null };

interface AppendRow {
  /**
   * For each publisher the key of its channel; 0 for a reader, null for a bot or owner that is not in the channel. With
   * an {@link OUTDATED} one among them, nothing was stored.
   */
  channelKeys: (number | null)[];
  /** Bots have further webhooks, which the statement has not looked for: nothing was stored. */
  hasFurther: boolean;
  /** Bots are in channels of other owners, which it has not looked for either: nothing was stored. */
  hasAway: boolean;
  /** For each publisher the bot's key, null for an owner; only when posts have idempotency keys. */
  botKeys?: (number | null)[];
  /** The ids of the posts whose idempotency keys are new; null when no key is new. */
  newKeysOf?: string[] | null;
  /**
   * Null when no log grew. The bot's id is null for the feed. The channel's key is null when the log got posts of
   * several channels; the last number is how many it got. One without a number is of a further destination's lane, as in {@link HeadRows}.
   */
  heads:
    | [
        botId: string | null,
        lastUpdateId: number | null,
        isClaimable: boolean,
        channelKey: number | null,
        count: number | null,
      ][]
    | null;
  updateCount: number;
}

/** @param onAppended called with each batch of posts, before its callers get their results */
export function postVerbs(
  db: Database,
  clock: DatabaseClock,
  inBatches: InBatches,
  inTurn: InTurn,
  onAppended: (appended: AppendedPosts) => void,
): PostVerbs {
  const large = createLargeChannels();
  /** As far as is known here. */
  let hasFurther = false;
  let hasAway = false;

  const appendCurrent = async (
    variant: Omit<AppendVariant, "hasFurther" | "hasAway">,
    columns: PostColumns,
  ): Promise<AppendRow | undefined> => {
    for (let races = 0; races < MAX_RACES; races += 1) {
      const statement = appendStatement({ ...variant, hasFurther, hasAway });
      const [row] = await db.query<AppendRow>(statement, valuesOf(columns, clock.aheadMs()));
      hasFurther ||= row?.hasFurther ?? false;
      hasAway ||= row?.hasAway ?? false;
      if (!row?.hasFurther && !row?.hasAway && !row?.channelKeys.includes(OUTDATED)) return row;
    }
    throw new Contended("what bots hear in these channels is changed all the time: repeat the call");
  };

  const append = async (posts: readonly PostToAppend[]): Promise<AppendedPosts> => {
    const columns = inColumns(posts);
    const { publisherOf, mentions, idempotencyKeys } = columns;
    const variant = { hasMentions: mentions !== undefined, hasKeys: idempotencyKeys !== undefined };
    const row = await appendCurrent(variant, columns);
    const results: AppendResult[] = [];
    const channelKeys = publisherOf.map((publisher) => {
      const key = row?.channelKeys[publisher] ?? null;
      const isReadOnly = key === 0;
      results.push(isReadOnly ? "read only" : key !== null);
      return isReadOnly ? null : key;
    });
    const replays =
      idempotencyKeys && row ? replaysOf(columns, channelKeys, row) : new Map<number, UsedKey>();
    const earlier = replays.size > 0 ? await findEarlier(db, [...replays.values()]) : [];
    for (const [n, index] of [...replays.keys()].entries()) {
      results[index] = earlier[n] ?? false;
      channelKeys[index] = null;
    }
    const heads = row?.heads ?? [];
    const postsOf = byChannel(posts, channelKeys);
    large.learn(postsOf, heads);
    return { updateCount: row?.updateCount ?? 0, results, heads: toHeads(heads, postsOf) };
  };

  const listPosts: Store["listPosts"] = async (
    channelId,
    limit,
    from = AFTER_ALL_IDS,
    maxBytes = MAX_PAGE_BYTES,
  ) => {
    const channel = uuid(channelId);
    if (typeof from !== "string") {
      const after = from.after ?? BEFORE_ALL_IDS;
      return (await db.query<PostRow>(SELECT_OLDEST_POSTS, [channel, after, limit, maxBytes])).map(toPost);
    }
    if (from !== AFTER_ALL_IDS) {
      const [post] = await db.query(SELECT_POST_ID, [channel, uuid(from)]);
      if (!post) return undefined;
    }
    return (await db.query<PostRow>(SELECT_POSTS, [channel, from, limit, maxBytes])).map(toPost);
  };

  return {
    appendPosts: inBatches({
      maxItems: CALLS_PER_APPEND,
      isApart: (call: readonly PostToAppend[]) => call.some(({ channelId }) => large.has(channelId)),
      run: (calls: readonly (readonly PostToAppend[])[]) => append(calls.flat()),
      resultsOf(appended, calls) {
        onAppended(appended);
        let taken = 0;
        return calls.map(({ length }) => appended.results.slice(taken, (taken += length)));
      },
    }),
    async findPost(reader, channelId, postId) {
      const owner = "ownerUserId" in reader ? reader.ownerUserId : null;
      const bot = "botId" in reader ? uuid(reader.botId) : null;
      const [row] = await db.query<ReadRow>(SELECT_POST, [uuid(channelId), uuid(postId), owner, bot]);
      if (!row) return "no channel";
      if (row.payload === null) return undefined;
      const membership = membershipOf(row);
      return { post: toPost(row), isOwn: row.isOwn, ...(membership && { membership }) };
    },
    listPosts: (...parameters) => inTurn(() => listPosts(...parameters)),
    listPostOrigins: (channelId, limit) => db.query<PostOrigin>(SELECT_ORIGINS, [uuid(channelId), limit]),
  };
}

/** The parameters of the statement that appends posts. */
function valuesOf(columns: PostColumns, aheadMs: number): Value[] {
  const { channelIds, botIds, tokenHashes, ownerUserIds, publisherOf, ids, createdAts, payloads } = columns;
  const { actors, mentions, idempotencyKeys, causes } = columns;
  const pairs = (mentions ?? []).flatMap((usernames, index) =>
    (usernames?.split(" ") ?? []).map((username) => [ids[index] as string, username] as const),
  );
  const values: Value[] = [
    channelIds.map(uuid),
    botIds.map((botId) => botId && uuid(botId)),
    tokenHashes,
    ownerUserIds,
    integers(publisherOf.map((publisher) => publisher + 1)),
    `{${ids.join()}}`,
    integers(createdAts),
    payloads.join("\n"),
    aheadMs,
    integers(actors),
    causes ?? null,
  ];
  if (mentions)
    values.push(
      pairs.map(([id]) => id),
      pairs.map(([, username]) => username),
    );
  if (idempotencyKeys) values.push(idempotencyKeys);
  return values;
}

/** The posts that were stored earlier, by index: their publisher may post, and their idempotency key is not new. */
function replaysOf(
  { ids, publisherOf, ownerUserIds, idempotencyKeys = [] }: PostColumns,
  channelKeys: readonly (number | null)[],
  { newKeysOf, botKeys = [] }: AppendRow,
): Map<number, UsedKey> {
  const fresh = new Set(newKeysOf);
  const replays = new Map<number, UsedKey>();
  for (const [index, key] of idempotencyKeys.entries()) {
    const targetKey = channelKeys[index] ?? null;
    if (key === null || targetKey === null || fresh.has(ids[index] as string)) continue;
    const publisher = publisherOf[index] as number;
    const botKey = botKeys[publisher] ?? null;
    const author = botKey === null ? `owner ${ownerUserIds[publisher]}` : `bot ${botKey}`;
    replays.set(index, { targetKey, author, key });
  }
  return replays;
}

function toPost({ payload, createdAt, revision, editedAt }: PostRow): Post {
  return decodePost(payload, createdAt, revision ?? 1, editedAt ?? undefined);
}

function toHeads(
  rows: NonNullable<AppendRow["heads"]>,
  postsOf: ReadonlyMap<number, readonly PostToAppend[]>,
): LogHead[] {
  const further = furtherLanes(rows);
  return rows.flatMap(([botId, lastUpdateId, isClaimable, channelKey, count]) => {
    if (lastUpdateId === null) return [];
    const head = withFurther({ botId: botId ?? FEED, lastUpdateId, isClaimable }, further);
    const events = channelKey === null ? undefined : postsOf.get(channelKey);
    // A bot that heard only some of them reads its updates from the store.
    return [events?.length === count ? { ...head, events } : head];
  });
}
