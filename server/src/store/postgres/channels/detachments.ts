import { ACTOR_NUMBERS, actorNumber, type StoredEvent } from "../../../domain/events/event.js";
import { hearsOfItself } from "../../../domain/events/subscription.js";
import { isGuest } from "../../shared/guests.js";
import type { GrowingVerbs } from "../../verbs.js";
import { parseSubscription, storedSubscription } from "../bots/subscriptions.js";
import { type Database, type Statement, uuid } from "../connection/connection.js";
import type { DatabaseClock } from "../connection/database-clock.js";
import { aboutAttachment, appendToFeed, forceExecutionOrder, HEADS_WITH_FEED } from "../feed/feed-events.js";
import { countChannel, eventValues, type HeadRows, headsOf, storeEvent } from "../logs/log-growth.js";
import { isChangedHere, THE_PAIR } from "./attach-rules.js";

/** Listeners are written under the lock of their attachment; the detachment begins after that, and removes them. */
const LOCK_ATTACHMENT: Statement = {
  name: "lock-attachment",
  text: `
    SELECT FROM attachments WHERE channel_key = (SELECT channel_key FROM channels WHERE id = $2)
      AND bot_key = (SELECT bot_key FROM bots WHERE id = $1) FOR UPDATE`,
};
/** Locks the channel of an attachment; whose it is does not matter. */
const LOCK_CHANNEL: Statement = {
  name: "lock-channel-of-attachment",
  text: "SELECT channel_key FROM channels WHERE id = $1 FOR UPDATE",
};
/**
 * $6: the bot, $7: who takes it out, its owner or the holder of the channel, $8: the channel, $9: whether the bot hears this event, $10: who
 * acts, $11: whether the channel's cell is told, where that is another one, $12: whether the bot's has decided it. A bot whose owner takes it out of
 * a channel of another owner has left it.
 *
 * Makes a new version of the channel's row, by which posts that are under way notice that their list of bots is out of
 * date (`append-posts.ts`).
 */
const DETACH: Statement = {
  name: "detach",
  text: `
    WITH detached AS (
      DELETE FROM attachments a USING bots b, channels c
      WHERE b.id = $6 AND c.id = $8 AND (b.owner_user_id = $7 OR c.owner_user_id = $7)
        AND ($11::boolean OR NOT ${isGuest("c.owner_user_id")}) AND ${isChangedHere("$12::boolean")} AND a.bot_key = b.bot_key AND a.channel_key = c.channel_key
      RETURNING a.bot_key, a.channel_key, c.owner_user_id <> $7 AND $10::smallint = ${ACTOR_NUMBERS.owner} AS has_left),
    touched AS (
      UPDATE channels SET title = title WHERE channel_key = (SELECT channel_key FROM detached)),
    stored AS (${storeEvent("detached.channel_key", "NULL::bigint", "detached WHERE $9::boolean")}),
    ${countChannel("detached", "- 1")},
    ${appendToFeed(
      aboutAttachment("bot.detached", THE_PAIR("detached")),
      `(SELECT CASE WHEN has_left THEN ${ACTOR_NUMBERS.bot} ELSE $10::smallint END FROM detached)`,
      forceExecutionOrder("changed", "woken"),
      "(SELECT bot_key FROM detached WHERE has_left)",
    )}
    SELECT ${HEADS_WITH_FEED} FROM changed`,
};

export function detachVerb(db: Database, clock: DatabaseClock): GrowingVerbs["detachBot"] {
  const valuesOf = (event: StoredEvent) => [...eventValues(event), clock.aheadMs()];
  return async (ref, channelId, event) => {
    const subscription = await storedSubscription(db, { botId: ref.botId });
    if (subscription === undefined) return { result: false, heads: [] };
    const isTold = hearsOfItself(parseSubscription(subscription), event.eventType);
    const pair = [uuid(ref.botId), ref.ownerUserId, uuid(channelId)];
    const [, , [row]] = (await db.transaction([
      [LOCK_CHANNEL, [uuid(channelId)]],
      [LOCK_ATTACHMENT, [uuid(ref.botId), uuid(channelId)]],
      [
        DETACH,
        [
          ...valuesOf(event),
          ...pair,
          isTold,
          actorNumber(ref),
          ref.tell !== undefined,
          ref.isFollowed === true,
        ],
      ],
    ])) as [unknown, unknown, { heads: HeadRows }[]];
    return { result: row !== undefined, heads: headsOf(row?.heads) };
  };
}
