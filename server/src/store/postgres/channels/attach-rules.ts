import { isGuest } from "../../shared/guests.js";
import { isOffered } from "../../shared/listing.js";

/** Joins a part with its bots `b` and channels `c`. */
export const THE_PAIR = (part: string) =>
  `${part} JOIN bots b USING (bot_key) JOIN channels c USING (channel_key)`;
/** The owner of a bot `b` that is in the channel `c` of another owner. */
export const AWAY_FROM = "nullif(b.owner_user_id, c.owner_user_id) AS away_from";
/**
 * SQL: whether this cell may change that a bot `b` is in a channel: of a guest, only what its own cell has decided. Who has not heard that its owner has moved
 * there looks for it again.
 *
 * @param isFollowed SQL
 */
export const isChangedHere = (isFollowed: string) => `(${isFollowed} OR NOT ${isGuest("b.owner_user_id")})`;
/**
 * Why a bot `b` with the lane `l` cannot be attached to another channel of the holder; null when it can.
 *
 * @param most SQL of the most channels of the holder, and of all, or nulls; at most as many index entries are read, and none while it is in fewer of all
 * @param rule SQL of the rule of reviews
 */
export const refusalOf = (holder: string, most: { ofHolder: string; ofAll: string }, rule: string) => `
        CASE WHEN b.owner_user_id <> ${holder} AND NOT (b.is_listed AND ${isOffered(rule)}) AND ${rule} <> 'guest' THEN 'no bot'
          WHEN l.channel_count >= ${most.ofHolder} AND (
            SELECT count(*) FROM (
              SELECT 1 FROM attachments held WHERE held.bot_key = b.bot_key AND held.attached_by = ${holder} LIMIT ${most.ofHolder}) h
            ) >= ${most.ofHolder} THEN 'too many'
          WHEN l.channel_count >= ${most.ofAll} THEN 'bot full' END`;
/**
 * The same of a bot that is to be attached to `w.uses` more channels at once, for a bot `w`: whether it cannot be attached to the last of them.
 */
export const refusalOfRooms = (holder: string, most: { ofHolder: string; ofAll: string }, rule: string) => {
  const before = (bound: string) => `greatest(${bound}::bigint + 1 - w.uses, 0)`;
  return refusalOf(holder, { ofHolder: before(most.ofHolder), ofAll: before(most.ofAll) }, rule);
};
/**
 * SQL: whether what is told of a channel has the title that the channel has, if it has one at all.
 *
 * @param payload SQL
 */
export const hasTitleOf = (channel: string, payload: string) =>
  `coalesce(${payload}::json #>> '{channel,title}', ${channel}.title) = ${channel}.title`;
