import { READ_ONLY_ROLE } from "../../../domain/events/channel.js";
import { ACTOR_NUMBERS, INTERACTION_CREATED, POST_EDITED } from "../../../domain/events/event.js";
import { INTERACTION_MS, MAX_RESPONSES } from "../../../domain/events/interaction.js";
import { MENTIONS_ONLY, OTHERS_ONLY, patternsOf } from "../../../domain/events/subscription.js";
import type { LogHead, ResponseRefusal, ResponseToAppend } from "../../store.js";
import type { GrowingVerbs } from "../../verbs.js";
import { AWAY_FROM } from "../channels/attach-rules.js";
import { type Database, type Statement, type Step, uuid } from "../connection/connection.js";
import type { DatabaseClock } from "../connection/database-clock.js";
import { HOLD_CHANNEL } from "../connection/holding.js";
import { feedIn } from "../feed/feed.js";
import { APPEND_EVENT, eventValues, HEADS, type HeadRows, headsOf, storeEvent } from "../logs/log-growth.js";
import { findKeyed } from "./idempotency-keys.js";
import { editStatement } from "./post-edits.js";

type ResponseVerbs = Pick<GrowingVerbs, "appendResponse">;

/** Responses to one interaction come one after the other. */
const LOCK: Statement = {
  name: "lock-interaction",
  text: `SELECT FROM events WHERE id = $1 AND event_type = '${INTERACTION_CREATED}' FOR UPDATE`,
};

/** The parameters of {@link target}. */
interface Parameters {
  interaction: string;
  bot: string;
  tokenHash: string;
  now: string;
  key: string;
}

/**
 * An interaction and its bot, with what keeps a response from being stored. It holds until the end of the transaction, once the interaction is
 * locked.
 */
const target = ({ interaction, bot, tokenHash, now, key }: Parameters) => `
      SELECT p.event_key, p.channel_key, b.bot_key, ${AWAY_FROM},
        (SELECT k.event_id FROM idempotency_keys k WHERE k.target_key = p.channel_key
          AND k.author = 'interaction ' || p.event_key AND k.key = ${key}::text) AS earlier_id,
        CASE WHEN a.role IS NULL OR b.disabled_at IS NOT NULL THEN 'not attached'
          WHEN a.role = '${READ_ONLY_ROLE}' THEN 'read only'
          WHEN ${now}::bigint >= p.created_at + ${INTERACTION_MS} THEN 'expired'
          WHEN (SELECT count(*) FROM events r WHERE r.subject_key = p.event_key) >= ${MAX_RESPONSES} THEN 'too many'
        END AS refusal
      FROM events p
      JOIN bots b ON b.id = ${bot} AND b.bot_key = -p.subject_key AND b.token_hash = coalesce(${tokenHash}, b.token_hash)
      LEFT JOIN channels c ON c.channel_key = p.channel_key
      LEFT JOIN attachments a ON a.channel_key = p.channel_key AND a.bot_key = b.bot_key
      WHERE p.id = ${interaction} AND p.event_type = '${INTERACTION_CREATED}'`;
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
 * $6: the interaction, $7: the bot, $8: the hash of its token or null, $9: the idempotency key, $10: the post that was to be published, $11: the one
 * to be edited, $12: the cause.
 */
const RESPOND: Statement = {
  name: "append-response",
  text: `
    WITH target AS (${target({ interaction: "$6", bot: "$7", tokenHash: "$8::text", now: "$4", key: "$9" })}),
    pressed AS (
      SELECT event_key FROM events WHERE channel_key = (SELECT channel_key FROM target) AND is_listed AND id = coalesce($10::uuid, $11::uuid)),
    open AS (
      SELECT * FROM target WHERE refusal IS NULL AND earlier_id IS NULL
        AND ($10::uuid IS NULL OR EXISTS (SELECT FROM pressed))
        AND ($11::uuid IS NULL OR EXISTS (
          SELECT FROM edited_posts WHERE event_key = (SELECT event_key FROM pressed) AND ${IS_WRITTEN_HERE}))),
    keyed AS (
      INSERT INTO idempotency_keys (target_key, author, key, event_id, created_at)
      SELECT channel_key, 'interaction ' || event_key, $9, $1::uuid, $4::bigint FROM open WHERE $9::text IS NOT NULL),
    stored AS (${storeEvent("open.channel_key", "open.event_key", "open", "open.away_from", `${ACTOR_NUMBERS.bot}, open.bot_key`, "$12")}),
    recipients AS (${feedIn("(SELECT channel_key FROM open)")}),
    ${APPEND_EVENT}
    SELECT channel_key AS "channelKey", 'interaction ' || event_key AS author, earlier_id IS NOT NULL AS "isRepeated", refusal,
      EXISTS (SELECT FROM stored) AS "isStored", EXISTS (SELECT FROM pressed) AS "isPostThere", ${HEADS} FROM target`,
};

interface RespondRow {
  channelKey: number;
  author: string;
  isRepeated: boolean;
  refusal: ResponseRefusal | null;
  isStored: boolean;
  isPostThere: boolean;
  heads: HeadRows;
}

export function responseVerbs(db: Database, clock: DatabaseClock): ResponseVerbs {
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

  return {
    async appendResponse(response) {
      const { interactionId, channelId, botId, tokenHash, event, idempotencyKey, post, edit } = response;
      const channel = uuid(channelId);
      const interaction = uuid(interactionId);
      const content = contentOf(response);
      const results = await db.transaction([
        [HOLD_CHANNEL, [channel]],
        [LOCK, [interaction]],
        ...content,
        [
          RESPOND,
          [
            ...eventValues(event),
            clock.aheadMs(),
            interaction,
            uuid(botId),
            tokenHash ?? null,
            idempotencyKey ?? null,
            post ? post.id : null,
            edit ? uuid(edit.postId) : null,
            event.cause ?? null,
          ],
        ],
      ]);
      const [row] = results.at(-1) as RespondRow[];
      if (!row) return { result: undefined, heads: [] };
      if (row.isStored) {
        const heads: LogHead[] =
          content.length === 0 ? [] : headsOf((results.at(-2) as { heads: HeadRows }[])[0]?.heads);
        return { result: true, heads: [...heads, ...headsOf(row.heads)] };
      }
      if (row.isRepeated)
        return { result: await findKeyed(db, row.channelKey, row.author, idempotencyKey), heads: [] };
      return { result: row.refusal ?? (row.isPostThere ? "outdated" : "no post"), heads: [] };
    },
  };
}
