import type pg from "pg";
import type { FeedBoundary, FeedMoment } from "../../cells/moves/owner-moves.js";
import { inTransaction } from "../connection/client.js";
import { attachLog, LOCK_FEED_SHARED, PARTITION_OF } from "../feed/feed.js";
import type { CellSession } from "./session.js";

/**
 * Has the directory know of a move, by its id, before the owner is let into the new cell: the feed is read in that order. Called only for a move
 * out of a cell whose feed is on, perhaps more than once.
 */
export type NoteMove = (moveId: string, move: FeedBoundary) => Promise<void>;

/** Of the row `f` of the feed. */
const IS_ON = "f.id = 1 AND f.partitions > 0";

/** $1: the owner. */
const ATTACH = `
  WITH log AS MATERIALIZED (SELECT ${PARTITION_OF("$1")} AS key FROM feed f WHERE ${IS_ON})
  ${attachLog("c.channel_key", "log.key")} FROM log CROSS JOIN channels c
  WHERE c.owner_user_id = $1 AND NOT EXISTS (SELECT FROM attachments a WHERE a.channel_key = c.channel_key AND a.bot_key = log.key)
  ON CONFLICT (channel_key, bot_key) DO NOTHING`;
/** $1: the owner. */
const MARK = `
  UPDATE owner_moves m SET feed_log = l.bot_key, feed_through = l.last_update_id
  FROM lanes l JOIN feed f ON ${IS_ON} WHERE m.owner_user_id = $1 AND l.bot_key = ${PARTITION_OF("$1")}`;
/** $1: the owner. */
const KEEP_BOTS = `
  INSERT INTO moved_bots (bot_key, id, owner_user_id) SELECT bot_key, id, owner_user_id FROM bots WHERE owner_user_id = $1`;
/** Without an id and numbers while the feed is off. */
const SELECT_MOMENT = `
  SELECT coalesce((SELECT number FROM cell), 0) AS cell, coalesce(f.feed_id, '') AS "feedId", coalesce((
    SELECT json_agg(l.last_update_id ORDER BY l.bot_key) FROM lanes l
    WHERE l.bot_key >= f.first_key AND l.bot_key < f.first_key + f.partitions), '[]') AS heads
  FROM (VALUES (1)) one LEFT JOIN feed f ON ${IS_ON}`;

/** Until the transaction ends, the feed is not switched. */
export async function lockFeed({ client }: CellSession): Promise<void> {
  await client.query(LOCK_FEED_SHARED);
}

/** Lets the feed of the cell, if it is on, hear the channels of an owner who arrives. In a transaction with {@link lockFeed}. */
export async function attachArrived({ client }: CellSession, ownerUserId: string): Promise<void> {
  await client.query(ATTACH, [ownerUserId]);
}

/** The same, beside the traffic. */
export async function attachArriving(cell: CellSession, ownerUserId: string): Promise<void> {
  await inTransaction(cell.client, async () => {
    await lockFeed(cell);
    await attachArrived(cell, ownerUserId);
  });
}

/**
 * Marks the record of an owner who leaves, and does nothing more, if the feed is on: what it has of them stays until it has expired
 * (`upkeep/moved-owners.ts`). To be called before `removeOwner`.
 */
export async function keepForFeed(client: pg.Client, ownerUserId: string): Promise<void> {
  const { rowCount } = await client.query(MARK, [ownerUserId]);
  if (rowCount) await client.query(KEEP_BOTS, [ownerUserId]);
}

/** The feeds of both cells, after an owner has left the one and before they are let into the other. */
export async function momentsOf(
  from: CellSession,
  to: CellSession,
): Promise<Pick<FeedBoundary, "from" | "to">> {
  const [here, there] = await Promise.all(
    [from, to].map(async ({ client }) => (await client.query<FeedMoment>(SELECT_MOMENT)).rows[0]),
  );
  return { from: here as FeedMoment, to: there as FeedMoment };
}
