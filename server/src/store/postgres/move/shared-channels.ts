import { guestOwner, guestUser } from "../../shared/guests.js";
import { HAS_AWAY } from "../connection/incarnation.js";
import { holdAttachments, isCopied, newChannelKey } from "./channel-keys.js";
import { type IntroduceGuests, isOfNeighbour } from "./guests.js";
import { attachOutbox, outboxIn, outboxTo } from "./outbox.js";
import { type CellSession, MoveRefused } from "./session.js";

/**
 * Channels in which bots are that live in the cell that an owner leaves, or that such bots have updates of: known to the session. The cell keeps
 * them as copies, as it has of any channel of another cell in which its bots are.
 */
const MAKE_SHARED = `
  CREATE TEMPORARY TABLE IF NOT EXISTS shared_channels (channel_key bigint PRIMARY KEY);
  TRUNCATE shared_channels`;
/** $1: the owner. It reads all entries of their events, where bots ever were in channels of others. */
const ADD_HEARD = `
  INSERT INTO shared_channels
  SELECT DISTINCT c.channel_key
  FROM channels c JOIN events p USING (channel_key) JOIN entries e USING (event_key) JOIN bots b ON b.bot_key = e.log_key
  WHERE ${HAS_AWAY} AND c.owner_user_id = $1 AND ${isOfNeighbour("b.owner_user_id", "$1")}
  ON CONFLICT DO NOTHING`;
/** $1: the owner. */
const ADD_ATTACHED = `
  INSERT INTO shared_channels
  SELECT DISTINCT c.channel_key FROM channels c JOIN attachments a USING (channel_key) JOIN bots b USING (bot_key)
  WHERE ${HAS_AWAY} AND c.owner_user_id = $1 AND ${isOfNeighbour("b.owner_user_id", "$1")}
  ON CONFLICT DO NOTHING`;
/** $1: keys of attachments that have changed, as JSON, $2: the owner. A bot that has left meanwhile may have heard something before. */
const ADD_CHANGED = `
  INSERT INTO shared_channels
  SELECT DISTINCT k.channel_key FROM json_to_recordset($1::json) AS k (channel_key bigint, bot_key bigint) JOIN bots b USING (bot_key)
  WHERE ${isOfNeighbour("b.owner_user_id", "$2")}
  ON CONFLICT DO NOTHING`;
/** $1: the owner. */
const SELECT_SHARED = `
  SELECT array_agg(channel_key) AS keys
  FROM shared_channels JOIN channels USING (channel_key) WHERE owner_user_id = $1`;

/** Finds those of which bots of the cell have updates. Called when changes are noted. */
export async function findHeard({ client }: CellSession, ownerUserId: string): Promise<void> {
  await client.query(MAKE_SHARED);
  await client.query(ADD_HEARD, [ownerUserId]);
}

/** @param keys of attachments that have changed, as JSON */
export async function noteAttachments(
  { client }: CellSession,
  ownerUserId: string,
  keys: string,
): Promise<void> {
  await client.query(ADD_CHANGED, [keys, ownerUserId]);
}

async function readShared({ client }: CellSession, ownerUserId: string): Promise<number[] | undefined> {
  await client.query(ADD_ATTACHED, [ownerUserId]);
  const { rows } = await client.query<{ keys: number[] | null }>(SELECT_SHARED, [ownerUserId]);
  return rows[0]?.keys ?? undefined;
}

/** Makes the log by which what happens in these channels comes back to the cell, if there are any. */
export async function prepareCopies(
  from: CellSession,
  ownerUserId: string,
  introduce: IntroduceGuests,
): Promise<void> {
  if (!(await readShared(from, ownerUserId))) return;
  const { id: botId, ownerUserId: logOwner } = await outboxTo(from);
  await introduce([{ botId, ownerUserId: logOwner }]);
}

/** SQL of channels of which the other cell has copies, or has none, as it knows them. $1: keys. */
const among = (condition: string) =>
  `SELECT ${newChannelKey("s.key")} AS channel_key FROM unnest($1::bigint[]) AS s (key) WHERE ${condition}`;
const ATTACH_OUTBOX = attachOutbox(among(`NOT ${isCopied("s.key")}`));
const HOLD_OUTBOX = holdAttachments(outboxIn(among(isCopied("s.key"))), "$2");
const HAS_OUTBOX = "SELECT FROM bots WHERE id = $1";
/** $1: the channels, $2: the owner. Nothing there is heard by others than the bots of the cell, which hear what is carried. */
const DETACH_OTHERS = `
  DELETE FROM attachments a WHERE a.channel_key = ANY ($1::bigint[])
    AND NOT EXISTS (SELECT FROM bots b WHERE b.bot_key = a.bot_key AND ${isOfNeighbour("b.owner_user_id", "$2")})`;
const NAME_HOLDER = `
  UPDATE attachments SET attached_by = ${guestOwner("$2::text")} WHERE channel_key = ANY ($1::bigint[]) AND attached_by = $2`;
/** As `copyOf` of `store/cells/guests/introduce.ts` makes one; with the id by which the feed names it. */
const MAKE_COPIES = `
  UPDATE channels SET owner_user_id = ${guestOwner("$2::text")}, metadata = NULL,
    direct_user_id = CASE WHEN direct_bot_id IS NOT NULL THEN ${guestUser("$2::text", "direct_user_id")} END
  WHERE channel_key = ANY ($1::bigint[])`;

/** Makes copies of the channels in the last step, before the owner is removed from the cell. */
export async function leaveCopies(from: CellSession, to: CellSession, ownerUserId: string): Promise<void> {
  const keys = await readShared(from, ownerUserId);
  if (!keys) return;
  const { id: outbox } = await outboxTo(from);
  if (!(await to.client.query(HAS_OUTBOX, [outbox])).rowCount)
    throw new MoveRefused("a bot has just been attached to a channel of the owner; try again");
  for (const statement of [ATTACH_OUTBOX, HOLD_OUTBOX])
    await to.client.query(statement, [keys, ownerUserId, outbox]);
  for (const statement of [DETACH_OTHERS, NAME_HOLDER, MAKE_COPIES])
    await from.client.query(statement, [keys, ownerUserId]);
}

const ROWS_PER_STEP = 1_000;
/** $1: the owner. */
const NAME_GUEST = `
  UPDATE events SET owner_user_id = ${guestOwner("$1::text")} WHERE event_key = ANY (ARRAY(
    SELECT p.event_key FROM events p JOIN channels c USING (channel_key) WHERE p.owner_user_id = $1 LIMIT ${ROWS_PER_STEP}))`;

/**
 * What an owner who has left is named by is in the name that they have there as one of another cell: in copies of their channels, and in the channels of
 * others in which their bots are. It may be run again.
 */
export async function nameGuests({ client }: CellSession, ownerUserId: string): Promise<void> {
  while ((await client.query(NAME_GUEST, [ownerUserId])).rowCount === ROWS_PER_STEP);
}
