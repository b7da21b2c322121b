import type { Bot } from "../../../domain/bots/bot.js";
import type { BotProfile, ReviewRule } from "../../../domain/bots/listing.js";
import type { ListingStore } from "../../parts/listing-store.js";
import { fullProfileOf, isOffered, profileOf, REVIEW_STATE, ROWS_LOOKED_AT } from "../../shared/listing.js";
import { omitNulls } from "../../shared/omit-nulls.js";
import type { ListedPage, LookedThrough } from "../../store.js";
import type { Database } from "../binding.js";
import { feedEventAppender } from "../feed/feed-events.js";
import type { Verbs } from "../verbs.js";
import { aboutBot, BOT } from "./bots.js";

export function listingVerbs(db: Database): Pick<Verbs, keyof ListingStore> {
  const profile = (
    viewer: string,
  ) => `b.id, b.username, b.display_name AS displayName, b.description, EXISTS (
    SELECT 1 FROM attachments a WHERE a.bot_key = b.bot_key AND a.attached_by = ${viewer}) AS isAttachedByYou`;
  /** ?1: a bot, or null. The last row that a page after it looks at, when there are more. */
  const selectLast = db.prepare(`
    SELECT bot_key AS botKey, id FROM bots INDEXED BY bots_listed
    WHERE is_listed = 1
      AND bot_key > ifnull((SELECT bot_key FROM bots WHERE id <= ?1 ORDER BY id DESC LIMIT 1), 0)
    ORDER BY bot_key LIMIT 1 OFFSET ${ROWS_LOOKED_AT - 1}`);
  /** ?1: as above; ?2: the last key to look at, or null; ?3: text, or null; ?4: the most rows. */
  const page = (columns: string, condition: string) =>
    db.prepare(`
    SELECT ${columns} FROM bots b INDEXED BY bots_listed
    WHERE b.is_listed = 1
      AND b.bot_key > ifnull((SELECT bot_key FROM bots WHERE id <= ?1 ORDER BY id DESC LIMIT 1), 0)
      AND b.bot_key <= ifnull(?2, b.bot_key)
      AND (?3 IS NULL OR instr(lower(b.username), ?3) > 0 OR instr(lower(b.display_name), ?3) > 0
        OR instr(lower(b.description), ?3) > 0)
      AND ${condition}
    ORDER BY b.bot_key LIMIT +?4`);
  const selectListed = page(profile("?5"), isOffered("?6"));
  const selectReviews = page(BOT, `(?5 IS NULL OR ${REVIEW_STATE} = ?5)`);
  const selectProfile = db.prepare(`
    SELECT * FROM (
      SELECT ${profile("?2")}, b.commands, b.owner_user_id = ?2 OR (b.is_listed AND ${isOffered("?3")}) AS isOffered
      FROM bots b WHERE b.id = ?1)
    WHERE isOffered OR isAttachedByYou`);
  const review = db.prepare(
    `UPDATE bots SET review_status = ?1, review_note = ?2, reviewed_at = ?3
    WHERE id = ?4 AND (review_status IS NOT ?1 OR review_note IS NOT ?2)`,
  );
  const selectBot = db.prepare(`SELECT ${BOT} FROM bots b WHERE b.id = ?`);
  const appendToFeed = feedEventAppender(db);

  const look = <Item>(
    select: typeof selectListed,
    { limit, after, search }: ListedPage,
    values: (string | null)[],
    itemOf: (row: unknown) => Item & { id: string },
  ): LookedThrough<Item> => {
    const last = selectLast.get(after ?? null) as { botKey: number; id: string } | undefined;
    const rows = select.all(after ?? null, last?.botKey ?? null, search ?? null, limit, ...values);
    const items = rows.map(itemOf);
    return { items, next: items.length === limit ? items.at(-1)?.id : last?.id };
  };

  return {
    listListedBots: (viewer: string, rule: ReviewRule, listed) =>
      look<BotProfile>(selectListed, listed, [viewer, rule], profileOf),

    findProfile(viewer, rule, botId) {
      const row = selectProfile.get(botId, viewer, rule);
      return row ? fullProfileOf(row) : undefined;
    },

    listReviews: (state, listed) => look<Bot>(selectReviews, listed, [state ?? null], omitNulls<Bot>),

    reviewBot(botId, { status, note, reviewedAt }) {
      const isChanged = Number(review.run(status, note, reviewedAt, botId).changes) > 0;
      const row = selectBot.get(botId);
      if (!row) return undefined;
      const bot = omitNulls<Bot>(row);
      if (!isChanged) return bot;
      const about = { ...aboutBot(bot.id, bot.username, bot.ownerUserId), status };
      appendToFeed("bot.reviewed", about, { ownerUserId: bot.ownerUserId, isPlatform: true });
      return bot;
    },
  };
}
