import type { Bot, BotIdentity } from "../../../domain/bots/bot.js";
import { BY_SUSPENSION } from "../../../domain/bots/disabled-by.js";
import { actorNumber } from "../../../domain/events/event.js";
import { DISABLED_BY } from "../../shared/disabled-by.js";
import { rememberTokens } from "../../shared/known-tokens.js";
import { omitNulls } from "../../shared/omit-nulls.js";
import type { BotPage, BotRef, Store } from "../../store.js";
import { departureValues, tellHolders } from "../audit/departures.js";
import { type InBatches, LOOK_UPS_PER_BATCH } from "../connection/batcher.js";
import { type Database, type Statement, uuid, type Value } from "../connection/connection.js";
import { DATABASE_NOW } from "../connection/database-clock.js";
import { isDuplicate } from "../connection/errors.js";
import { INCARNATION } from "../connection/incarnation.js";
import { aboutBot, appendToFeed, forceExecutionOrder } from "../feed/feed-events.js";
import { destinationsOf } from "../lanes/lane-gate.js";
import { countGone, UPDATES_EVER } from "../owners/usage.js";

type BotVerbs = Pick<
  Store,
  | "createBot"
  | "listBots"
  | "findBot"
  | "editBot"
  | "deleteBot"
  | "replaceBotToken"
  | "authenticateBot"
  | "recallBot"
>;

/** The columns of a bot `b`. */
export const BOT = `b.id, b.bot_user_id AS "botUserId", b.owner_user_id AS "ownerUserId", b.username, b.display_name AS "displayName",
  b.description, (SELECT url FROM destinations WHERE destination_key = b.bot_key) AS "webhookUrl", b.metadata,
  b.created_at AS "createdAt", b.updated_at AS "updatedAt", b.disabled_at AS "disabledAt", ${DISABLED_BY} AS "disabledBy",
  CASE WHEN b.is_listed THEN 'listed' END AS visibility, b.review_status AS "reviewStatus", b.review_note AS "reviewNote",
  b.reviewed_at AS "reviewedAt"`;

/** The end of a query of bots `b` that gives one page of an owner's. Its values are those of {@link pageValues}. */
export const ON_PAGE = `b.owner_user_id = $1
    AND b.bot_key > coalesce((SELECT bot_key FROM bots WHERE id <= $2::uuid ORDER BY id DESC LIMIT 1), 0)
    AND ($3::text IS NULL OR position($3 IN lower(b.username COLLATE "C")) > 0 OR position($3 IN lower(b.display_name COLLATE "C")) > 0)
  ORDER BY b.bot_key LIMIT $4`;

export function pageValues(ownerUserId: string, page?: BotPage): Value[] {
  const after = page?.after === undefined ? null : uuid(page.after);
  return [ownerUserId, after, page?.search ?? null, page?.limit ?? null];
}

/** Bots of one owner, and channels, are created one after the other, so that the check of their number is right. */
export const LOCK_OWNER: Statement = {
  name: "lock-owner",
  text: "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))",
};
/**
 * Returns no row when the owner has as many bots as $10 allows; at most that many index entries are read. $12: who acts. A bot of a
 * suspended owner is out of service from the beginning.
 */
const INSERT_BOT: Statement = {
  name: "insert-bot",
  text: `
    WITH bot AS (
      INSERT INTO bots (id, bot_user_id, owner_user_id, username, display_name, description, token_hash, created_at, updated_at,
        metadata, is_listed, disabled_at, disabled_by)
      SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $11, $13::boolean, CASE WHEN o.is_suspended THEN $8::bigint END,
        CASE WHEN o.is_suspended THEN ${BY_SUSPENSION} ELSE 0 END
      FROM (SELECT EXISTS (SELECT FROM owners WHERE user_id = $3 AND suspended_at IS NOT NULL) AS is_suspended) o
      WHERE $10::bigint IS NULL
        OR (SELECT count(*) FROM (SELECT 1 FROM bots WHERE owner_user_id = $3 LIMIT $10) AS owned) < $10
      RETURNING *),
    lane AS (INSERT INTO lanes (bot_key, incarnation) SELECT bot_key, ${INCARNATION} FROM bot),
    destination AS (
      INSERT INTO destinations (destination_key, log_key, id, owner_user_id, counted_updates, counted_deliveries)
      SELECT bot_key, bot_key, id, owner_user_id, 0, 0 FROM bot),
    ${appendToFeed(
      `${aboutBot("bot.created", "bot b")} UNION ALL ${aboutBot("bot.listed", "bot b WHERE b.is_listed")}`,
      "$12",
    )}
    SELECT ${BOT} FROM bot b`,
};
const SELECT_OWNED: Statement = {
  name: "select-owned-bots",
  text: `SELECT ${BOT} FROM bots b WHERE ${ON_PAGE}`,
};
export const SELECT_BOT: Statement = {
  name: "select-bot",
  text: `SELECT ${BOT} FROM bots b WHERE id = $1 AND owner_user_id = $2`,
};
/** $7: who acts, $8: whether it is listed, or null, $9: whether that asks for another review. The feed is told what is another now. */
const UPDATE_BOT: Statement = {
  name: "update-bot",
  text: `
    WITH was AS MATERIALIZED (
      SELECT bot_key, display_name, description, metadata, is_listed FROM bots
      WHERE id = $1 AND owner_user_id = $2 FOR NO KEY UPDATE),
    bot AS (
      UPDATE bots SET display_name = coalesce($3, bots.display_name), description = coalesce($4, bots.description),
        metadata = nullif(coalesce($6, bots.metadata), ''), is_listed = coalesce($8::boolean, bots.is_listed),
        updated_at = CASE WHEN (coalesce($3, was.display_name), coalesce($4, was.description),
            nullif(coalesce($6, was.metadata), ''), coalesce($8::boolean, was.is_listed))
          IS DISTINCT FROM (was.display_name, was.description, was.metadata, was.is_listed) THEN $5 ELSE bots.updated_at END,
        review_status = CASE WHEN $8 AND $9::boolean AND NOT was.is_listed AND review_status = 'rejected' THEN NULL ELSE review_status END
      FROM was WHERE bots.bot_key = was.bot_key
      RETURNING bots.*, was.is_listed AS was_listed, (bots.display_name, bots.description, bots.metadata)
        IS DISTINCT FROM (was.display_name, was.description, was.metadata) AS is_other),
    ${appendToFeed(
      `${aboutBot("bot.updated", "bot b WHERE b.is_other")}
      UNION ALL ${aboutBot("bot.listed", "bot b WHERE b.is_listed AND NOT b.was_listed")}
      UNION ALL ${aboutBot("bot.unlisted", "bot b WHERE b.was_listed AND NOT b.is_listed")}`,
      "$7",
    )}
    SELECT ${BOT} FROM bot b`,
};
/**
 * Runs as a separate statement: an attachment that is created, or a webhook that is set, while this waits for its lock is only
 * visible to a statement that begins afterwards.
 */
export const LOCK_BOT: Statement = {
  name: "lock-bot",
  text: "SELECT bot_key FROM bots WHERE id = $1 AND owner_user_id = $2 FOR UPDATE",
};
/** The deleted destinations of a bot, the first one with the updates of the log. */
const GONE = `(
        SELECT d.*, (SELECT updates FROM lane WHERE bot_key = d.destination_key AND d.destination_key = d.log_key) AS updates
        FROM destination d) gone`;
/**
 * Locks the bot, then its attachments, its lanes and its destinations, as everything else does; another order could deadlock.
 * Each deletion reads the number of rows that the one before has deleted only to be executed after it. $3: who acts, $4 to $6: what
 * holders read of it.
 */
const DELETE_BOT: Statement = {
  name: "delete-bot",
  text: `
    WITH bot AS (
      DELETE FROM bots WHERE id = $1 AND owner_user_id = $2 RETURNING bot_key, id, username, owner_user_id),
    attachment AS (DELETE FROM attachments a USING bot WHERE a.bot_key = bot.bot_key RETURNING a.bot_key, a.channel_key, a.role),
    consumer AS (DELETE FROM consumers c USING bot WHERE c.bot_key = bot.bot_key),
    locked_lane AS (
      SELECT l.bot_key FROM ${destinationsOf("bot")} JOIN lanes l ON l.bot_key = dest.destination_key
      WHERE ${forceExecutionOrder("attachment")} ORDER BY l.bot_key FOR UPDATE OF l),
    lane AS (
      DELETE FROM lanes l USING locked_lane k WHERE l.bot_key = k.bot_key RETURNING l.bot_key, ${UPDATES_EVER} AS updates),
    locked_destination AS (
      SELECT dest.destination_key FROM ${destinationsOf("bot")}
      WHERE ${forceExecutionOrder("lane")} ORDER BY dest.destination_key FOR UPDATE OF dest),
    destination AS (
      DELETE FROM destinations dest USING locked_destination k WHERE dest.destination_key = k.destination_key
      RETURNING dest.*),
    ${countGone(GONE, DATABASE_NOW)},
    ${tellHolders(4)},
    ${appendToFeed(aboutBot("bot.deleted", "bot b"), "$3", forceExecutionOrder("destination"))}
    INSERT INTO removed_bots (bot_key, owner_user_id)
    SELECT d.destination_key, bot.owner_user_id FROM bot CROSS JOIN destination d RETURNING bot_key`,
};
/** $4: who acts. */
const UPDATE_TOKEN: Statement = {
  name: "update-token",
  text: `
    WITH bot AS (UPDATE bots SET token_hash = $3 WHERE id = $1 AND owner_user_id = $2 RETURNING *),
    ${appendToFeed(aboutBot("bot.token_rotated", "bot b"), "$4")}
    SELECT bot_key FROM bot`,
};
const SELECT_BY_TOKENS: Statement = {
  name: "select-by-tokens",
  text: `
    SELECT token_hash AS "tokenHash", id, bot_user_id AS "botUserId", owner_user_id AS "ownerUserId", username,
      display_name AS "displayName"
    FROM bots WHERE token_hash = ANY ($1) AND disabled_at IS NULL`,
};

export function botVerbs(db: Database, inBatches: InBatches): BotVerbs {
  const knownTokens = rememberTokens();
  const key = ({ botId, ownerUserId }: BotRef) => [uuid(botId), ownerUserId] as const;
  const firstBot = ([row]: unknown[]) => (row ? omitNulls<Bot>(row) : undefined);

  /** The enabled bot that a token belongs to. */
  const lookUpBot = inBatches({
    maxItems: LOOK_UPS_PER_BATCH,
    run: (tokenHashes: readonly string[]) =>
      db.query<BotIdentity & { tokenHash: string }>(SELECT_BY_TOKENS, [[...new Set(tokenHashes)]]),
    resultsOf(rows, tokenHashes) {
      const identities = new Map(rows.map(({ tokenHash, ...identity }) => [tokenHash, identity]));
      return tokenHashes.map((tokenHash): BotIdentity | undefined => identities.get(tokenHash));
    },
  });

  return {
    async createBot(bot, maxBots) {
      const {
        id,
        botUserId,
        ownerUserId,
        username,
        displayName,
        description,
        tokenHash,
        createdAt,
        updatedAt,
        metadata,
        visibility,
      } = bot;
      const isListed = visibility === "listed";
      try {
        const values = [id, botUserId, ownerUserId, username, displayName, description, tokenHash];
        const [, rows = []] = await db.transaction([
          [LOCK_OWNER, [`bots of ${ownerUserId}`]],
          [
            INSERT_BOT,
            [...values, createdAt, updatedAt, maxBots ?? null, metadata ?? null, actorNumber(bot), isListed],
          ],
        ]);
        return firstBot(rows) ?? "too many";
      } catch (error) {
        if (isDuplicate(error)) return undefined;
        throw error;
      }
    },

    listBots: async (ownerUserId, page) =>
      (await db.query(SELECT_OWNED, pageValues(ownerUserId, page))).map(omitNulls<Bot>),

    findBot: async (ref) => firstBot(await db.query(SELECT_BOT, key(ref))),

    async editBot(ref, { displayName, description, metadata, visibility, asksAgain = false, updatedAt }) {
      // Empty text, which is not JSON, stands for removing it.
      const text = metadata === null ? "" : (metadata ?? null);
      const isListed = visibility === undefined ? null : visibility === "listed";
      const described = [displayName ?? null, description ?? null, updatedAt, text];
      return firstBot(
        await db.query(UPDATE_BOT, [...key(ref), ...described, actorNumber(ref), isListed, asksAgain]),
      );
    },

    async deleteBot(ref, toldAs) {
      const [, deleted] = await db.transaction([
        [LOCK_BOT, key(ref)],
        [DELETE_BOT, [...key(ref), actorNumber(ref), ...departureValues(toldAs)]],
      ]);
      return (deleted?.length ?? 0) > 0;
    },

    replaceBotToken: async (ref, tokenHash) =>
      (await db.query(UPDATE_TOKEN, [...key(ref), tokenHash, actorNumber(ref)])).length === 1,

    async authenticateBot(tokenHash) {
      const identity = await lookUpBot(tokenHash);
      knownTokens.keep(tokenHash, identity);
      return identity;
    },

    recallBot: knownTokens.find,
  };
}
