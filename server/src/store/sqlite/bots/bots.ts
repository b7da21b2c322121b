import type { Bot, BotIdentity } from "../../../domain/bots/bot.js";
import { BY_SUSPENSION } from "../../../domain/bots/disabled-by.js";
import { isDefaultWebhook } from "../../../domain/delivery/webhook.js";
import type { FeedPayload } from "../../../domain/events/feed-event.js";
import { dayOf } from "../../../domain/owners/usage.js";
import { DISABLED_BY } from "../../shared/disabled-by.js";
import { omitNulls } from "../../shared/omit-nulls.js";
import type { BotPage, BotRef } from "../../store.js";
import { departureTeller } from "../audit/departures.js";
import { type Database, isDuplicate, type Value } from "../binding.js";
import { feedEventAppender } from "../feed/feed-events.js";
import { goneCounter } from "../owners/usage.js";
import type { Verbs } from "../verbs.js";

export const BOT = `b.id, b.bot_user_id AS botUserId, b.owner_user_id AS ownerUserId, b.username, b.display_name AS displayName,
  b.description, (SELECT url FROM destinations WHERE destination_key = b.bot_key) AS webhookUrl, b.metadata,
  b.created_at AS createdAt, b.updated_at AS updatedAt, b.disabled_at AS disabledAt, ${DISABLED_BY} AS disabledBy,
  CASE WHEN b.is_listed THEN 'listed' END AS visibility, b.review_status AS reviewStatus, b.review_note AS reviewNote,
  b.reviewed_at AS reviewedAt`;

/** The end of a query of bots `b` that gives one page of an owner's. Its values are those of {@link pageValues}. */
export const ON_PAGE = `b.owner_user_id = ?1
    AND b.bot_key > ifnull((SELECT bot_key FROM bots WHERE id <= ?2 ORDER BY id DESC LIMIT 1), 0)
    AND (?3 IS NULL OR instr(lower(b.username), ?3) > 0 OR instr(lower(b.display_name), ?3) > 0)
  ORDER BY b.bot_key LIMIT +?4`;

export function pageValues(ownerUserId: string, page?: BotPage): Value[] {
  return [ownerUserId, page?.after ?? null, page?.search ?? null, page?.limit ?? -1];
}

type BotVerbs = Pick<
  Verbs,
  "createBot" | "listBots" | "findBot" | "editBot" | "deleteBot" | "replaceBotToken" | "authenticateBot"
>;

export function botVerbs(db: Database): BotVerbs {
  /** A bot of a suspended owner is out of service from the beginning. */
  const insertBot = db.prepare(`
    INSERT INTO bots (id, bot_user_id, owner_user_id, username, display_name, description, token_hash, created_at, updated_at,
      metadata, is_listed, disabled_at, disabled_by)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const selectSuspended = db.prepare("SELECT 1 FROM owners WHERE user_id = ? AND suspended_at IS NOT NULL");
  /** Finds the bot beyond the cap, if there is one, without counting all of them. */
  const selectOwnedAt = db.prepare("SELECT bot_key FROM bots WHERE owner_user_id = ? LIMIT 1 OFFSET ?");
  const insertLane = db.prepare("INSERT INTO lanes (bot_key) VALUES (?)");
  const insertDestination = db.prepare(`
    INSERT INTO destinations (destination_key, log_key, id, owner_user_id, counted_updates, counted_deliveries)
    VALUES (?1, ?1, ?2, ?3, 0, 0)`);
  const selectOwned = db.prepare(`SELECT ${BOT} FROM bots b WHERE ${ON_PAGE}`);
  const selectBot = db.prepare(`SELECT ${BOT} FROM bots b WHERE id = ? AND owner_user_id = ?`);
  const updateBot = db.prepare(`
    UPDATE bots SET display_name = ifnull(?1, display_name), description = ifnull(?2, description),
      metadata = nullif(ifnull(?3, metadata), ''), updated_at = ?4
    WHERE id = ?5 AND owner_user_id = ?6 AND (display_name <> ifnull(?1, display_name)
      OR description <> ifnull(?2, description) OR ifnull(metadata, '') <> coalesce(?3, metadata, ''))`);
  const setListed = db.prepare(`
    UPDATE bots SET is_listed = ?1, updated_at = ?4, review_status = CASE WHEN ?1 AND ?5 AND review_status = 'rejected' THEN NULL ELSE review_status END
    WHERE id = ?2 AND owner_user_id = ?3 AND is_listed <> ?1`);
  const removeBot = db.prepare(
    "DELETE FROM bots WHERE id = ? AND owner_user_id = ? RETURNING bot_key AS botKey, username",
  );
  const tellHolders = departureTeller(db);
  const removeAttachments = db.prepare("DELETE FROM attachments WHERE bot_key = ?");
  const removeConsumers = db.prepare("DELETE FROM consumers WHERE bot_key = ?");
  const removeLanes = db.prepare(
    "DELETE FROM lanes WHERE bot_key IN (SELECT destination_key FROM destinations WHERE log_key = ?)",
  );
  const removeDestinations = db.prepare(
    "DELETE FROM destinations WHERE log_key = ? RETURNING destination_key AS destinationKey",
  );
  const rememberRemoved = db.prepare("INSERT INTO removed_bots (bot_key, owner_user_id) VALUES (?, ?)");
  const countGone = goneCounter(db);
  const appendToFeed = feedEventAppender(db);
  const updateToken = db.prepare(
    "UPDATE bots SET token_hash = ? WHERE id = ? AND owner_user_id = ? RETURNING username",
  );
  const selectByToken = db.prepare(`
    SELECT id, bot_user_id AS botUserId, owner_user_id AS ownerUserId, username, display_name AS displayName
    FROM bots WHERE token_hash = ? AND disabled_at IS NULL`);

  const findBot = ({ botId, ownerUserId }: BotRef): Bot | undefined => {
    const row = selectBot.get(botId, ownerUserId);
    return row ? omitNulls<Bot>(row) : undefined;
  };

  return {
    createBot(bot, maxBots) {
      if (maxBots === 0) return "too many";
      if (maxBots !== undefined && selectOwnedAt.get(bot.ownerUserId, maxBots - 1)) return "too many";
      const isSuspended = selectSuspended.get(bot.ownerUserId) !== undefined;
      try {
        const { lastInsertRowid } = insertBot.run(
          bot.id,
          bot.botUserId,
          bot.ownerUserId,
          bot.username,
          bot.displayName,
          bot.description,
          bot.tokenHash,
          bot.createdAt,
          bot.updatedAt,
          bot.metadata ?? null,
          bot.visibility === "listed" ? 1 : 0,
          isSuspended ? bot.createdAt : null,
          isSuspended ? BY_SUSPENSION : 0,
        );
        insertLane.run(Number(lastInsertRowid));
        insertDestination.run(Number(lastInsertRowid), bot.id, bot.ownerUserId);
        const about = aboutBot(bot.id, bot.username, bot.ownerUserId);
        appendToFeed("bot.created", about, bot);
        if (bot.visibility === "listed") appendToFeed("bot.listed", about, bot);
        return findBot({ botId: bot.id, ownerUserId: bot.ownerUserId });
      } catch (error) {
        if (isDuplicate(error)) return undefined;
        throw error;
      }
    },

    listBots: (ownerUserId, page) => selectOwned.all(...pageValues(ownerUserId, page)).map(omitNulls<Bot>),

    findBot,

    editBot(ref, { displayName, description, metadata, visibility, asksAgain, updatedAt }) {
      const { botId, ownerUserId } = ref;
      // Empty text, which is not JSON, stands for removing it.
      const text = metadata === null ? "" : (metadata ?? null);
      const before = findBot(ref);
      updateBot.run(displayName ?? null, description ?? null, text, updatedAt, botId, ownerUserId);
      const isListed = visibility === "listed";
      const isChanged =
        visibility !== undefined &&
        setListed.run(isListed ? 1 : 0, botId, ownerUserId, updatedAt, asksAgain ? 1 : 0).changes > 0;
      const bot = findBot(ref);
      if (!before || !bot) return bot;
      const about = aboutBot(bot.id, bot.username, ownerUserId);
      if (!isDescribedAlike(before, bot)) appendToFeed("bot.updated", about, ref);
      if (isChanged) appendToFeed(isListed ? "bot.listed" : "bot.unlisted", about, ref);
      return bot;
    },

    deleteBot(ref, toldAs) {
      const { botId, ownerUserId } = ref;
      const removed = removeBot.get(botId, ownerUserId) as { botKey: number; username: string } | undefined;
      if (!removed) return false;
      countGone(removed.botKey, null, dayOf(Date.now()));
      if (toldAs !== undefined) tellHolders(removed.botKey, ref, toldAs);
      for (const remove of [removeAttachments, removeConsumers, removeLanes]) remove.run(removed.botKey);
      for (const { destinationKey } of removeDestinations.all(removed.botKey) as { destinationKey: number }[])
        rememberRemoved.run(destinationKey, ownerUserId);
      appendToFeed("bot.deleted", aboutBot(botId, removed.username, ownerUserId), ref);
      return true;
    },

    replaceBotToken(ref, tokenHash) {
      const { botId, ownerUserId } = ref;
      const bot = updateToken.get(tokenHash, botId, ownerUserId) as { username: string } | undefined;
      if (bot) appendToFeed("bot.token_rotated", aboutBot(botId, bot.username, ownerUserId), ref);
      return bot !== undefined;
    },

    authenticateBot: (tokenHash) => selectByToken.get(tokenHash) as BotIdentity | undefined,
  };
}

function isDescribedAlike(one: Bot, other: Bot): boolean {
  return (
    one.displayName === other.displayName &&
    one.description === other.description &&
    one.metadata === other.metadata
  );
}

/** The payload of an event of the feed about a bot. */
export function aboutBot(botId: string, username: string, ownerUserId: string): FeedPayload {
  return { bot_id: botId, username, owner_user_id: ownerUserId };
}

/** The same about one of its webhooks. */
export function aboutWebhook({
  botId,
  username,
  ownerUserId,
  name,
}: Record<"botId" | "username" | "ownerUserId" | "name", string>): FeedPayload {
  const about = aboutBot(botId, username, ownerUserId);
  return isDefaultWebhook(name) ? about : { ...about, webhook: name };
}
