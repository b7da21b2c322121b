import type { Bot } from "../../../domain/bots/bot.js";
import type { BotProfile } from "../../../domain/bots/listing.js";
import { ACTOR_NUMBERS } from "../../../domain/events/event.js";
import { BEFORE_ALL_IDS } from "../../../domain/ids.js";
import type { ListingStore } from "../../parts/listing-store.js";
import { guestOwner } from "../../shared/guests.js";
import { fullProfileOf, isOffered, profileOf, REVIEW_STATE, ROWS_LOOKED_AT } from "../../shared/listing.js";
import { omitNulls } from "../../shared/omit-nulls.js";
import type { ListedPage, LookedThrough } from "../../store.js";
import { type Database, type Statement, uuid } from "../connection/connection.js";
import { aboutBot, appendToFeed } from "../feed/feed-events.js";
import { BOT } from "./bots.js";

/**
 * In the order of ids, which is that of creation: keys are not, where owners have been moved between cells, and pages of several cells are
 * merged by ids. $1: the bot before, or null.
 */
const POSITION = `coalesce($1::uuid, '${BEFORE_ALL_IDS}')`;
/** The last row that a page after the bot $1 looks at, when there are more. */
const SELECT_LAST: Statement = {
  name: "select-last-listed",
  text: `
    SELECT id FROM bots WHERE is_listed AND id > ${POSITION} ORDER BY id LIMIT 1 OFFSET ${ROWS_LOOKED_AT - 1}`,
};
const profile = (
  viewer: string,
) => `b.id, b.username, b.display_name AS "displayName", b.description, EXISTS (
      SELECT FROM attachments a
      WHERE a.bot_key = b.bot_key AND a.attached_by = ANY (ARRAY[${viewer}, ${guestOwner(viewer)}])) AS "isAttachedByYou"`;
/** $1: the bot before, $2: the last to look at, or null, $3: text, or null, $4: the most rows. */
const page = (name: string, columns: string, condition: string): Statement => ({
  name,
  text: `
    SELECT ${columns} FROM bots b
    WHERE b.is_listed AND b.id > ${POSITION} AND b.id <= coalesce($2::uuid, b.id)
      AND ($3::text IS NULL OR position($3 IN lower(b.username COLLATE "C")) > 0 OR position($3 IN lower(b.display_name COLLATE "C")) > 0
        OR position($3 IN lower(b.description COLLATE "C")) > 0)
      AND ${condition}
    ORDER BY b.id LIMIT $4`,
});
/** $5: who asks, $6: the rule of reviews. */
const SELECT_LISTED = page("select-listed-bots", profile("$5"), isOffered("$6::text"));
/** $5: the state, or null. */
const SELECT_REVIEWS = page("select-reviews", BOT, `($5::text IS NULL OR ${REVIEW_STATE} = $5)`);
/** $2: who asks, $3: the rule of reviews. */
const SELECT_PROFILE: Statement = {
  name: "select-bot-profile",
  text: `
    SELECT * FROM (
      SELECT ${profile("$2")}, b.commands,
        b.owner_user_id = $2 OR (b.is_listed AND ${isOffered("$3::text")}) AS "isOffered"
      FROM bots b WHERE b.id = $1) p
    WHERE "isOffered" OR "isAttachedByYou"`,
};
/** $2: the status, $3: the note, $4: when, $5: who acts. No row when it is decided so already. */
const REVIEW: Statement = {
  name: "review-bot",
  text: `
    WITH bot AS (
      UPDATE bots SET review_status = $2, review_note = $3, reviewed_at = $4
      WHERE id = $1 AND (review_status IS DISTINCT FROM $2 OR review_note IS DISTINCT FROM $3) RETURNING *),
    ${appendToFeed(aboutBot("bot.reviewed", "bot b", ", 'status', b.review_status"), "$5")}
    SELECT ${BOT} FROM bot b`,
};
const SELECT_REVIEWED: Statement = {
  name: "select-reviewed-bot",
  text: `SELECT ${BOT} FROM bots b WHERE b.id = $1`,
};

export function listingVerbs(db: Database): ListingStore {
  const look = async <Item extends { id: string }>(
    statement: Statement,
    { limit, after, search }: ListedPage,
    values: (string | null)[],
    itemOf: (row: unknown) => Item,
  ): Promise<LookedThrough<Item>> => {
    const from = after === undefined ? null : uuid(after);
    const [last] = await db.query<{ id: string }>(SELECT_LAST, [from]);
    const through = last ? uuid(last.id) : null;
    const rows = await db.query(statement, [from, through, search ?? null, limit, ...values]);
    const items = rows.map(itemOf);
    return { items, next: items.length === limit ? items.at(-1)?.id : last?.id };
  };

  return {
    listListedBots: (viewer, rule, listed) =>
      look<BotProfile>(SELECT_LISTED, listed, [viewer, rule], profileOf),

    async findProfile(viewer, rule, botId) {
      const [row] = await db.query(SELECT_PROFILE, [uuid(botId), viewer, rule]);
      return row ? fullProfileOf(row) : undefined;
    },

    listReviews: (state, listed) => look<Bot>(SELECT_REVIEWS, listed, [state ?? null], omitNulls<Bot>),

    async reviewBot(botId, { status, note, reviewedAt }) {
      const values = [uuid(botId), status, note, reviewedAt, ACTOR_NUMBERS.platform];
      const [changed] = await db.query(REVIEW, values);
      const [row] = changed ? [changed] : await db.query(SELECT_REVIEWED, [uuid(botId)]);
      return row ? omitNulls<Bot>(row) : undefined;
    },
  };
}
