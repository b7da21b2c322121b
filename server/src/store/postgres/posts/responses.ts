import { READ_ONLY_ROLE } from "../../../domain/events/channel.js";
import {
  ACTOR_NUMBERS,
  INTERACTION_CREATED,
  INTERACTION_RESPONDED,
  POST_EDITED,
  type StoredEvent,
} from "../../../domain/events/event.js";
import { INTERACTION_MS, MAX_RESPONSES } from "../../../domain/events/interaction.js";
import { MENTIONS_ONLY, OTHERS_ONLY, patternsOf } from "../../../domain/events/subscription.js";
import { INTERACTION_AUTHOR } from "../../shared/change-keys.js";
import { isGuest } from "../../shared/guests.js";
import type { LogHead, ResponseRefusal, ResponseToAppend } from "../../store.js";
import type { GrowingVerbs, Grown } from "../../verbs.js";
import { AWAY_FROM } from "../channels/attach-rules.js";
import { DEFERRED, type InBatches } from "../connection/batcher.js";
import { type Database, integers, type Statement, type Step, uuid } from "../connection/connection.js";
import type { DatabaseClock } from "../connection/database-clock.js";
import { feedIn } from "../feed/feed.js";
import { FEED_HEADS, growFeed } from "../feed/feed-events.js";
import { APPEND_EVENT, eventValues, HEADS, type HeadRows, headsOf } from "../logs/log-growth.js";
import { findKeyed } from "./idempotency-keys.js";
import { editStatement } from "./post-edits.js";

type ResponseVerbs = Pick<GrowingVerbs, "appendResponse">;

/** Responses that share a transaction at most. */
const CALLS_PER_APPEND = 200;

/** As `HOLD_CHANNEL`, for several. */
const HOLD_CHANNELS: Statement = {
  name: "hold-channels",
  text: "SELECT FROM channels WHERE id = ANY ($1::uuid[]) ORDER BY id FOR KEY SHARE",
};
/** Responses to one interaction come one after the other. */
const LOCK: Statement = {
  name: "lock-interactions",
  text: `
    SELECT FROM events WHERE id = ANY ($1::uuid[]) AND event_type = '${INTERACTION_CREATED}' ORDER BY id FOR UPDATE`,
};

/** The parameters of {@link target}. */
interface Parameters {
  interaction: string;
  bot: string;
  tokenHash: string;
  now: string;
  key: string;
}

/** No such bot any more, or it is disabled, or has another token. */
const GONE = "gone";

/**
 * An interaction and its bot, with what keeps a response from being stored. While the interaction is locked it is not erased, so that no response
 * names a user who was. What becomes of the bot meanwhile counts for the next statement: that must not refuse what the one before has written.
 */
const target = ({ interaction, bot, tokenHash, now, key }: Parameters) => `
      SELECT p.event_key, p.channel_key, -p.subject_key AS bot_key, ${AWAY_FROM},
        (SELECT k.event_id FROM idempotency_keys k WHERE k.target_key = p.channel_key
          AND k.author = '${INTERACTION_AUTHOR}' || p.event_key AND k.key = ${key}::text) AS earlier_id,
        CASE WHEN b.bot_key IS NULL THEN '${GONE}'
          WHEN a.role IS NULL OR ${isGuest("c.owner_user_id")} THEN 'not attached'
          WHEN a.role = '${READ_ONLY_ROLE}' THEN 'read only'
          WHEN ${now}::bigint >= p.created_at + ${INTERACTION_MS} THEN 'expired'
          WHEN (SELECT count(*) FROM events r WHERE r.subject_key = p.event_key) >= ${MAX_RESPONSES} THEN 'too many'
        END AS refusal
      FROM events p
      LEFT JOIN bots b ON b.id = ${bot} AND b.bot_key = -p.subject_key AND b.token_hash = coalesce(${tokenHash}, b.token_hash)
        AND b.disabled_at IS NULL
      LEFT JOIN channels c ON c.channel_key = p.channel_key
      LEFT JOIN attachments a ON a.channel_key = p.channel_key AND a.bot_key = -p.subject_key
      WHERE p.id = ${interaction} AND p.event_type = '${INTERACTION_CREATED}' AND p.payload::json -> 'deleted' IS NULL`;
const open = (parameters: Parameters) => `
      SELECT event_key, channel_key, bot_key, away_from FROM (${target(parameters)}) t WHERE refusal IS NULL AND earlier_id IS NULL`;

/**
 * $1: the id of the post, $2: its payload, $3: the hash of the bot's token or null, $4: the time, $6: the interaction, $7: the bot,
 * $8: the idempotency key, $9: mentions, $10: the cause.
 */
const PUBLISH: Statement = {
  name: "publish-response",
  text: `
    WITH publisher AS (${open({ interaction: "$6", bot: "$7", tokenHash: "$3::text", now: "$4", key: "$8" })}),
    stored AS (
      INSERT INTO events (id, channel_key, created_at, payload, author_key, acted_by, cause, owner_user_id)
      SELECT $1::uuid, channel_key, $4::bigint, $2, bot_key, ${ACTOR_NUMBERS.bot}, $10, away_from FROM publisher
      RETURNING event_key, created_at),
    recipients AS (
      SELECT a.bot_key FROM publisher p CROSS JOIN LATERAL (
        SELECT bot_key FROM attachments
        WHERE channel_key = p.channel_key AND post_filter < ${MENTIONS_ONLY} AND (post_filter = 0 OR bot_key <> p.bot_key) OFFSET 0) a
      UNION ALL
      SELECT a.bot_key FROM publisher p CROSS JOIN unnest($9::text[]) AS m (username) CROSS JOIN LATERAL (
        SELECT bot_key FROM bots JOIN attachments USING (bot_key)
        WHERE lower(username) = m.username AND channel_key = p.channel_key
          AND post_filter BETWEEN ${MENTIONS_ONLY} AND ${MENTIONS_ONLY | OTHERS_ONLY}
          AND (post_filter = ${MENTIONS_ONLY} OR bot_key <> p.bot_key) OFFSET 0) a),
    ${APPEND_EVENT}
    SELECT ${HEADS}`,
};
/** The parameters of an edit, then $17: the interaction, $18: the hash of its token or null, $19: the idempotency key. */
const EDIT = editStatement(
  "edit-by-response",
  `EXISTS (${open({ interaction: "$17", bot: "$13", tokenHash: "$18::text", now: "$10", key: "$19" })})`,
);

/** Whether this transaction has written a row. */
const IS_WRITTEN_HERE = "xmin = pg_current_xact_id()::xid";
/**
 * Responses, each to another interaction, in one statement: they share the change of each log of the feed. What a response is besides was admitted
 * when it was written. $1 to $3: their ids, payloads as lines
 * and times, $4: the interactions, $5: the bots, $6: the hashes of their tokens or null, $7: idempotency keys, $8: the posts that were to be
 * published, $9: those to be edited, $10: causes.
 */
const RESPOND: Statement = {
  name: "append-responses",
  text: `
    WITH target AS MATERIALIZED (
      SELECT call.*, t.*, (
        SELECT event_key FROM events e
        WHERE e.channel_key = t.channel_key AND e.is_listed AND e.id = coalesce(call.post_id, call.edited_id)) AS pressed_key
      FROM unnest($1::uuid[], string_to_array($2, E'\\n'), $3::bigint[], $4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::uuid[], $9::uuid[],
        $10::text[]) WITH ORDINALITY
        AS call (id, payload, created_at, interaction_id, bot_id, token_hash, key, post_id, edited_id, cause, n)
      CROSS JOIN LATERAL (${target({ interaction: "call.interaction_id", bot: "call.bot_id", tokenHash: "call.token_hash", now: "call.created_at", key: "call.key" })}
      OFFSET 0) t),
    open AS (
      SELECT * FROM target WHERE CASE
        WHEN post_id IS NOT NULL THEN pressed_key IS NOT NULL
        WHEN edited_id IS NOT NULL THEN (SELECT true FROM edited_posts e WHERE e.event_key = pressed_key AND e.${IS_WRITTEN_HERE}) IS NOT NULL
        ELSE refusal IS NULL AND earlier_id IS NULL END),
    keyed AS (
      INSERT INTO idempotency_keys (target_key, author, key, event_id, created_at)
      SELECT channel_key, '${INTERACTION_AUTHOR}' || event_key, key, id, created_at FROM open WHERE key IS NOT NULL),
    stored AS (
      INSERT INTO events (id, event_type, payload, created_at, channel_key, is_listed, subject_key, owner_user_id, acted_by, author_key, cause)
      SELECT id, '${INTERACTION_RESPONDED}', payload, created_at, channel_key, false, event_key, away_from, ${ACTOR_NUMBERS.bot}, bot_key, cause
      FROM open ORDER BY n
      RETURNING id, event_key, channel_key, created_at),
    heard AS (
      SELECT s.event_key, s.created_at, f.bot_key FROM stored s CROSS JOIN LATERAL (${feedIn("s.channel_key")} OFFSET 0) f),
    ${growFeed("heard")}
    SELECT n::integer AS ordinal, channel_key AS "channelKey", '${INTERACTION_AUTHOR}' || event_key AS author, earlier_id IS NOT NULL AS "isRepeated", refusal,
      EXISTS (SELECT FROM stored WHERE stored.id = target.id) AS "isStored", pressed_key IS NOT NULL AS "isPostThere", ${FEED_HEADS}
    FROM target`,
};

interface RespondRow {
  ordinal: number;
  channelKey: number;
  author: string;
  isRepeated: boolean;
  refusal: ResponseRefusal | typeof GONE | null;
  isStored: boolean;
  isPostThere: boolean;
  /** The logs of the feed that grew; the same in each row. */
  heads: HeadRows;
}

type Responded = Grown<true | StoredEvent | ResponseRefusal | undefined>;

export function responseVerbs(db: Database, clock: DatabaseClock, inBatches: InBatches): ResponseVerbs {
  /** What a response is besides; it is written only if the response will be. */
  const contentOf = ({
    interactionId,
    botId,
    tokenHash,
    idempotencyKey,
    post,
    edit,
  }: ResponseToAppend): Step[] => {
    const interaction = uuid(interactionId);
    const hash = tokenHash ?? null;
    const key = idempotencyKey ?? null;
    if (post) {
      const { id, payload, createdAt, mentions = [], cause } = post;
      const stored = [id, payload, hash, createdAt, clock.aheadMs()];
      return [[PUBLISH, [...stored, interaction, uuid(botId), key, [...mentions], cause ?? null]]];
    }
    if (!edit) return [];
    const { channelId, postId, replaces, payload, answered = null, editedAt, event, mentions } = edit;
    const change = [
      uuid(channelId),
      uuid(postId),
      replaces,
      payload,
      editedAt,
      patternsOf(POST_EDITED),
      [...mentions],
    ];
    const by = [uuid(botId), ACTOR_NUMBERS.bot, event.cause ?? null, answered];
    return [[EDIT, [...eventValues(event), clock.aheadMs(), ...change, ...by, interaction, hash, key]]];
  };

  /** @param responses each to another interaction; one with a post or an edit is alone, since that locks lanes before those of the feed */
  const append = async (responses: readonly ResponseToAppend[]): Promise<Responded[]> => {
    const content = responses.flatMap(contentOf);
    const results = await db.transaction([
      [HOLD_CHANNELS, [responses.map(({ channelId }) => uuid(channelId))]],
      [LOCK, [responses.map(({ interactionId }) => uuid(interactionId))]],
      ...content,
      respondStep(responses),
    ]);
    const rows = results.at(-1) as RespondRow[];
    const heads: LogHead[] = content.flatMap((_, n) =>
      headsOf((results[n + 2] as { heads: HeadRows }[])[0]?.heads),
    );
    heads.push(...headsOf(rows[0]?.heads));
    const byOrdinal = new Map(rows.map((row) => [row.ordinal, row]));
    return await Promise.all(
      responses.map(async (response, index) => {
        const result = await resultOf(db, response, byOrdinal.get(index + 1));
        // Whoever waits for the feed is woken by the first of them that is stored.
        return { result, heads: result === true ? heads.splice(0) : [] };
      }),
    );
  };

  /**
   * All responses in channels of one owner append to one log of the feed, whose lane is locked until the commit. Each in a transaction of its
   * own, they waited for it on connections that reads then had to wait for.
   */
  const appendTogether = inBatches({
    maxItems: CALLS_PER_APPEND,
    async run(responses: readonly ResponseToAppend[]) {
      const first = firstOfEach(responses);
      const appended = await append(first);
      return new Map(first.map((response, index) => [response, appended[index]]));
    },
    // A further one to the same interaction counts those before it, which one statement does not see.
    resultsOf: (appended, responses) => responses.map((response) => appended.get(response) ?? DEFERRED),
  });

  return {
    async appendResponse(response) {
      if (!response.post && !response.edit) return await appendTogether(response);
      const [appended] = await append([response]);
      return appended ?? { result: undefined, heads: [] };
    },
  };
}

/** The first response to each interaction. */
function firstOfEach(responses: readonly ResponseToAppend[]): ResponseToAppend[] {
  const seen = new Set<string>();
  return responses.filter(({ interactionId }) => !seen.has(interactionId) && seen.add(interactionId));
}

function respondStep(responses: readonly ResponseToAppend[]): Step {
  return [
    RESPOND,
    [
      responses.map(({ event }) => event.id),
      responses.map(({ event }) => event.payload).join("\n"),
      integers(responses.map(({ event }) => event.createdAt)),
      responses.map(({ interactionId }) => uuid(interactionId)),
      responses.map(({ botId }) => uuid(botId)),
      responses.map(({ tokenHash }) => tokenHash ?? null),
      responses.map(({ idempotencyKey }) => idempotencyKey ?? null),
      responses.map(({ post }) => post?.id ?? null),
      responses.map(({ edit }) => (edit ? uuid(edit.postId) : null)),
      responses.map(({ event }) => event.cause ?? null),
    ],
  ];
}

async function resultOf(
  db: Database,
  { idempotencyKey }: ResponseToAppend,
  row: RespondRow | undefined,
): Promise<Responded["result"]> {
  if (row?.isStored) return true;
  if (!row || row.refusal === GONE) return undefined;
  if (row.isRepeated) return await findKeyed(db, row.channelKey, row.author, idempotencyKey);
  return row.refusal ?? (row.isPostThere ? "outdated" : "no post");
}
