import { READ_ONLY_ROLE } from "../../../domain/events/channel.js";
import { MENTIONS_ONLY, NO_NEW_POSTS, OTHERS_ONLY } from "../../../domain/events/subscription.js";
import { GUEST_NUMBERS, isGuest } from "../../shared/guests.js";
import { inTransaction } from "../connection/client.js";
import { HAS_AWAY } from "../connection/incarnation.js";
import { CARRIED_WITHIN_MS, type CarryToOwner, type OthersChannel, within } from "./guests.js";
import { logsOf } from "./owner-tables.js";
import { refuseMovingHolders } from "./refusals.js";
import { type CellSession, MoveRefused } from "./session.js";

/**
 * Channels of others that the owner's bots are in, or have updates of. What happens there comes to the cell that is left, by itself or by what is carried
 * from a third one, and while the owner arrives also to the other cell, where their bots are guests (`own-guests.ts`): each post that has come to the one
 * and not to the other yet is heard all the same, once, since what comes is known by its id.
 *
 * So nothing has to stop meanwhile. The log that comes with a bot has to know nothing that the other cell does not (`others-events.ts`), and what that
 * cell has beyond it is added when the owner is let in.
 */

/** $1: the owner. It reads all entries of their logs, where bots ever were in channels of others. */
const SELECT_HEARD = `
  SELECT c.channel_key AS key, c.id AS "channelId", c.owner_user_id AS "ownerUserId"
  FROM (
    SELECT a.channel_key FROM bots b JOIN attachments a USING (bot_key) WHERE b.owner_user_id = $1
    UNION
    SELECT p.channel_key FROM ${logsOf("$1")} l JOIN entries USING (log_key) JOIN events p USING (event_key)) heard
  JOIN channels c USING (channel_key)
  WHERE ${HAS_AWAY} AND c.owner_user_id <> $1`;
/** $1: the owner, $2: keys of events. Only those in which their bots are, and in which these happened. */
const SELECT_PRESENT = `
  SELECT c.channel_key AS key, c.id AS "channelId", c.owner_user_id AS "ownerUserId"
  FROM (
    SELECT a.channel_key FROM bots b JOIN attachments a USING (bot_key) WHERE b.owner_user_id = $1
    UNION SELECT channel_key FROM events WHERE event_key = ANY ($2::bigint[])) heard
  JOIN channels c USING (channel_key) WHERE c.owner_user_id <> $1`;
/** $1: keys. */
const SELECT_UNKNOWN = `
  SELECT key FROM unnest($1::bigint[]) AS key
  WHERE NOT EXISTS (SELECT FROM new_channel_keys n WHERE n.channel_key = key)`;
/** $1: keys, $2: ids. */
const LEARN_OTHERS = `
  INSERT INTO new_channel_keys (channel_key, new_key, is_others, is_copy, channel_id)
  SELECT k.key, c.channel_key, true, ${isGuest("c.owner_user_id")}, k.id FROM unnest($1::bigint[], $2::uuid[]) AS k (key, id)
  CROSS JOIN LATERAL (SELECT channel_key, owner_user_id FROM channels WHERE id = k.id OFFSET 0) c
  ON CONFLICT DO NOTHING`;

/** $1: the owner. */
const SELECT_WANTED = `
  SELECT coalesce(json_agg(w), '[]')::text AS attachments, (
      SELECT coalesce(json_agg(json_build_object('bot_key', bot_key, 'subscription', subscription)), '[]')::text FROM bots WHERE owner_user_id = $1) AS bots
  FROM (
    SELECT a.channel_key, a.bot_key, a.role, a.attached_at, a.post_filter, a.hears_custom, a.hears_others
    FROM bots b JOIN attachments a USING (bot_key) JOIN channels c USING (channel_key)
    WHERE b.owner_user_id = $1 AND c.owner_user_id <> $1) w`;
/** What the bots hear where they come from, as JSON. */
interface Wanted {
  attachments: string;
  bots: string;
}
const DEAF = OTHERS_ONLY | MENTIONS_ONLY | NO_NEW_POSTS;
/**
 * How attachments of guests in channels of others differ from what they should be. $1: those as JSON, $2: the bots as JSON. In copies that no bot of the
 * owner is in any more, one of them is for what they have heard, and hears nothing: so what is deleted there is known even if it has not been copied.
 * In channels of the cell itself, bots are attached and taken out by what it is told of them.
 */
const DIFFERENT = `
  given AS (
    SELECT n.new_key AS channel_key, b.new_key AS bot_key, n.is_copy, w.role, w.attached_at, w.post_filter, w.hears_custom, w.hears_others
    FROM json_to_recordset($1::json) AS w (
      channel_key bigint, bot_key bigint, role text, attached_at bigint, post_filter integer, hears_custom boolean, hears_others boolean)
    LEFT JOIN new_channel_keys n ON n.channel_key = w.channel_key AND n.is_others LEFT JOIN new_bot_keys b ON b.bot_key = w.bot_key AND b.is_adopted),
  wanted AS MATERIALIZED (
    SELECT *, NULL AS attached_by FROM given
    UNION ALL
    SELECT n.new_key, (SELECT min(new_key) FROM new_bot_keys WHERE is_adopted), true, '${READ_ONLY_ROLE}', NULL, ${DEAF}, false, false, ''
    FROM new_channel_keys n JOIN channels c ON c.channel_key = n.new_key
    WHERE n.is_others AND n.is_copy AND NOT EXISTS (SELECT FROM given g WHERE g.channel_key = n.new_key)),
  present AS MATERIALIZED (
    SELECT a.*, n.is_copy FROM attachments a JOIN new_channel_keys n ON n.new_key = a.channel_key AND n.is_others
    WHERE a.bot_key IN (SELECT new_key FROM new_bot_keys WHERE is_adopted)),
  different AS MATERIALIZED (
    SELECT coalesce(w.channel_key, a.channel_key) AS channel_key, coalesce(w.bot_key, a.bot_key) AS bot_key, coalesce(w.is_copy, a.is_copy) AS is_copy,
      w.role, w.attached_at, w.post_filter, w.hears_custom, w.hears_others, w.attached_by
    FROM wanted w FULL JOIN present a ON a.channel_key = w.channel_key AND a.bot_key = w.bot_key
    WHERE (w.role, w.attached_at, w.post_filter, w.hears_custom, w.hears_others)
      IS DISTINCT FROM (a.role, a.attached_at, a.post_filter, a.hears_custom, a.hears_others)),
  other_bots AS MATERIALIZED (
    SELECT n.new_key AS bot_key, w.subscription
    FROM json_to_recordset($2::json) AS w (bot_key bigint, subscription text) JOIN new_bot_keys n ON n.bot_key = w.bot_key AND n.is_adopted
    JOIN bots b ON b.bot_key = n.new_key WHERE b.subscription IS DISTINCT FROM w.subscription)`;
const SELECT_DIFFERENT = `
  WITH ${DIFFERENT}
  SELECT (SELECT coalesce(array_agg(DISTINCT channel_key) FILTER (WHERE channel_key IS NOT NULL), '{}') FROM different) AS channels,
    ARRAY(SELECT bot_key FROM different WHERE bot_key IS NOT NULL UNION SELECT bot_key FROM other_bots) AS bots,
    EXISTS (SELECT FROM different) OR EXISTS (SELECT FROM other_bots) AS "areDifferent"`;
interface Different {
  channels: readonly string[];
  bots: readonly string[];
  areDifferent: boolean;
}
/** $1: channels. Posts that are under way end before, and those that come find out that others listen. */
const LOCK_CHANNELS =
  "SELECT count(*) FROM (SELECT FROM channels WHERE channel_key = ANY ($1::bigint[]) ORDER BY channel_key FOR UPDATE) c";
const TOUCH_CHANNELS = "UPDATE channels SET title = title WHERE channel_key = ANY ($1::bigint[])";
/** $1: bots. What they have heard otherwise than they do from now on. */
const LOCK_LANES =
  "SELECT count(*) FROM (SELECT FROM lanes WHERE bot_key = ANY ($1::bigint[]) ORDER BY bot_key FOR UPDATE) l";
const FORGET_HEARD = `DELETE FROM entries WHERE log_key = ANY ($1::bigint[]) AND number >= ${GUEST_NUMBERS}`;
/** The parameters of {@link DIFFERENT}, $3: the channels in which that is done. */
const MAKE_ALIKE = `
  WITH ${DIFFERENT},
  here AS MATERIALIZED (SELECT * FROM different WHERE channel_key = ANY ($3::bigint[])),
  subscribed AS (
    UPDATE bots b SET subscription = o.subscription FROM other_bots o WHERE b.bot_key = o.bot_key),
  removed AS (
    DELETE FROM attachments a USING here d
    WHERE a.channel_key = d.channel_key AND a.bot_key = d.bot_key AND d.is_copy AND d.role IS NULL),
  heard AS (
    UPDATE attachments a SET post_filter = d.post_filter, hears_custom = d.hears_custom, hears_others = d.hears_others
    FROM here d WHERE a.channel_key = d.channel_key AND a.bot_key = d.bot_key AND NOT d.is_copy AND d.role IS NOT NULL)
  INSERT INTO attachments (channel_key, bot_key, role, attached_by, attached_at, post_filter, hears_custom, hears_others)
  SELECT channel_key, bot_key, role, coalesce(attached_by, (SELECT c.owner_user_id FROM channels c WHERE c.channel_key = d.channel_key)), attached_at,
    post_filter, hears_custom, hears_others
  FROM here d WHERE is_copy AND role IS NOT NULL AND bot_key IS NOT NULL
  ON CONFLICT (channel_key, bot_key) DO UPDATE SET role = excluded.role, attached_by = excluded.attached_by, attached_at = excluded.attached_at,
    post_filter = excluded.post_filter, hears_custom = excluded.hears_custom, hears_others = excluded.hears_others`;

/** When what has happened by now is carried, what has a key up to this one is known to all cells, or never will be. */
const SELECT_LAST_EVENT = `
  SELECT coalesce(max(event_key), 0) AS key, pg_snapshot_xmax(pg_current_snapshot())::text AS before FROM events`;
/** $1: a transaction. Whether those that were under way before it have ended. */
const SELECT_ENDED =
  'SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint >= $1::bigint AS "haveEnded"';
const NOTE_THROUGH = "UPDATE new_channel_keys SET through_key = $1 WHERE is_others";

const wantedOf = async ({ client }: CellSession, ownerUserId: string): Promise<Wanted> =>
  (await client.query<Wanted>(SELECT_WANTED, [ownerUserId])).rows[0] as Wanted;
const differentIn = async ({ client }: CellSession, { attachments, bots }: Wanted): Promise<Different> =>
  (await client.query<Different>(SELECT_DIFFERENT, [attachments, bots])).rows[0] as Different;

/** Others write to these meanwhile. */
const CHANNELS_AT_ONCE = 200;
/** While the owner's writes are refused. */
const PAUSED_WITHIN_MS = 500;

/**
 * Lets guests hear in the cell that the owner comes to what the bots hear, by now, where they come from. May be called again.
 *
 * @param awaited while nothing is attached or taken out, and there is little time: events that have happened in channels that may not be known yet
 * @returns whether they do
 */
export async function hearOthers(
  from: CellSession,
  to: CellSession,
  ownerUserId: string,
  { hear, settle }: CarryToOwner,
  awaited?: readonly number[],
): Promise<boolean> {
  const withinMs = awaited ? PAUSED_WITHIN_MS : CARRIED_WITHIN_MS;
  const isAlike = async (): Promise<boolean> => {
    const { rows: channels } = await from.client.query<OthersChannel & { key: number }>(
      awaited ? SELECT_PRESENT : SELECT_HEARD,
      awaited ? [ownerUserId, awaited] : [ownerUserId],
    );
    const { rows } = await to.client.query<{ key: number }>(SELECT_UNKNOWN, [channels.map(({ key }) => key)]);
    const unknown = new Set(rows.map(({ key }) => key));
    const found = channels.filter(({ key }) => unknown.has(key));
    await hear(found);
    await to.client.query(LEARN_OTHERS, [
      found.map(({ key }) => key),
      found.map(({ channelId }) => channelId),
    ]);
    await refuseMovingHolders(from, to, channels);
    if ((await makeAlike(from, to, ownerUserId)) && found.length === 0) return true;
    if (!(await settle("from", withinMs))) return false;
    const { rows: last } = await from.client.query<{ key: number; before: string }>(SELECT_LAST_EVENT);
    const [{ key, before }] = last as [{ key: number; before: string }];
    const haveEnded = async () =>
      (await from.client.query<{ haveEnded: boolean }>(SELECT_ENDED, [before])).rows[0]?.haveEnded;
    if (!(await within(withinMs, haveEnded)) || !(await settle("to", withinMs))) return false;
    await to.client.query(NOTE_THROUGH, [key]);
    return false;
  };
  return await within(withinMs, isAlike);
}

/** @returns whether it was so */
async function makeAlike(from: CellSession, to: CellSession, ownerUserId: string): Promise<boolean> {
  const wanted = await wantedOf(from, ownerUserId);
  const { channels, bots, areDifferent } = await differentIn(to, wanted);
  if (!areDifferent) return true;
  // Also without channels: what the bots hear may be another.
  for (let first = 0; first === 0 || first < channels.length; first += CHANNELS_AT_ONCE) {
    const some = channels.slice(first, first + CHANNELS_AT_ONCE);
    await inTransaction(to.client, async () => {
      await to.client.query(LOCK_CHANNELS, [some]);
      await to.client.query(LOCK_LANES, [bots]);
      await to.client.query(MAKE_ALIKE, [wanted.attachments, wanted.bots, some]);
      await to.client.query(TOUCH_CHANNELS, [some]);
      await to.client.query(FORGET_HEARD, [bots]);
    });
  }
  return false;
}

/**
 * Whether guests hear there what the bots hear, in the last step.
 *
 * @throws MoveRefused when a bot came into a channel of another only since the move began
 */
export async function isHeardThere(
  from: CellSession,
  to: CellSession,
  ownerUserId: string,
): Promise<boolean> {
  const wanted = await wantedOf(from, ownerUserId);
  const adopted = await to.client.query("SELECT FROM new_bot_keys WHERE is_adopted LIMIT 1");
  if (!adopted.rowCount && wanted.attachments === "[]") return true;
  if (!adopted.rowCount)
    throw new MoveRefused("a bot of the owner has just come into a channel of another; try again");
  return !(await differentIn(to, wanted)).areDifferent;
}
