import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { guestOwner, isGuest, isOutbox } from "../../shared/guests.js";
import { type CellSession, MoveRefused } from "./session.js";

/**
 * A bot of another owner in channels of one who moves, or a log that is carried to another cell: as the cell that the owner leaves has it. A
 * bot lives in a third cell, and is a guest in both cells of the move.
 */
export interface Guest {
  botId: string;
  /** Of its row: no user id. */
  ownerUserId: string;
}

/** Makes guests known in the cell that an owner moves to, with the logs through which both cells hear of each other. It may be called again. */
export type IntroduceGuests = (guests: readonly Guest[]) => Promise<void>;

/** Keys of bots as the other cell has them, known to its session: those of guests are others there, all others stay. */
export const MAKE_BOT_KEYS = `
  CREATE TEMPORARY TABLE IF NOT EXISTS new_bot_keys (bot_key bigint PRIMARY KEY, new_key bigint NOT NULL);
  TRUNCATE new_bot_keys`;
/** SQL of the key that a bot has in the cell that a row comes to. */
export const newBotKey = (key: string) =>
  `coalesce((SELECT n.new_key FROM new_bot_keys n WHERE n.bot_key = ${key}), ${key})`;

/** $1: keys, $2: the owner. */
const SELECT_GUESTS_AMONG = `
  SELECT bot_key AS key, id AS "botId", owner_user_id AS "ownerUserId" FROM bots
  WHERE bot_key = ANY ($1::bigint[]) AND owner_user_id <> $2`;
/** $1: ids. */
const SELECT_KEYS = "SELECT id, bot_key AS key FROM bots WHERE id = ANY ($1::uuid[])";
/** $1: keys, $2: those that they are in the other cell. */
const LEARN = `
  INSERT INTO new_bot_keys (bot_key, new_key) SELECT * FROM unnest($1::bigint[], $2::bigint[])
  ON CONFLICT (bot_key) DO NOTHING`;
const NOTE_AWAY = "UPDATE incarnation SET has_away = true WHERE id = 1 AND NOT has_away";

/** @returns what learns under which keys bots are in the other cell, given those under which they are in this one */
export function learnBotKeys(
  from: CellSession,
  to: CellSession,
  ownerUserId: string,
  introduce: IntroduceGuests,
): (keys: readonly string[]) => Promise<void> {
  return async (keys) => {
    const { rows: guests } = await from.client.query<Guest & { key: number }>(SELECT_GUESTS_AMONG, [
      keys,
      ownerUserId,
    ]);
    if (guests.length > 0) {
      await introduce(guests);
      await to.client.query(NOTE_AWAY);
    }
    const ids = guests.map(({ botId }) => botId);
    const { rows: there } = await to.client.query<{ id: string; key: number }>(SELECT_KEYS, [ids]);
    const keyOf = new Map(there.map(({ id, key }) => [id, key]));
    const newKeys = new Map(guests.map(({ key, botId }) => [String(key), keyOf.get(botId)]));
    // A bot that is deleted meanwhile has no row there, and nothing is looked for by its key.
    await to.client.query(LEARN, [keys, keys.map((key) => newKeys.get(key) ?? key)]);
  };
}

/** $1: the owner. */
const SELECT_ATTACHED = `
  SELECT array_agg(DISTINCT b.bot_key) AS keys
  FROM channels c JOIN attachments a USING (channel_key) JOIN bots b USING (bot_key)
  WHERE c.owner_user_id = $1 AND b.owner_user_id <> $1`;
/** $1: keys. */
const COUNT_THERE = `
  SELECT count(*)::integer AS count FROM new_bot_keys n JOIN bots b ON b.bot_key = n.new_key WHERE n.bot_key = ANY ($1::bigint[])`;

/** @throws MoveRefused when a guest was forgotten in the other cell after it was introduced: what was copied names it by its former key */
export async function refuseForgotten(
  from: CellSession,
  to: CellSession,
  ownerUserId: string,
): Promise<void> {
  const { rows } = await from.client.query<{ keys: number[] | null }>(SELECT_ATTACHED, [ownerUserId]);
  const keys = rows[0]?.keys;
  if (!keys) return;
  const there = await to.client.query<{ count: number }>(COUNT_THERE, [keys]);
  if (there.rows[0]?.count !== keys.length)
    throw new MoveRefused("a bot in a channel of the owner has just left another one; try again");
}

/** $1: the owner. Whether something that happened in their channels is still to be carried to other cells. */
const SELECT_UNCARRIED = `
  SELECT EXISTS (
    SELECT FROM (SELECT bot_key FROM bots WHERE ${isOutbox("owner_user_id")} OFFSET 0) b
    CROSS JOIN LATERAL (
      SELECT coalesce(max(position), 0) AS position FROM consumers WHERE bot_key = b.bot_key AND lower(name) = 'relay') c
    JOIN entries e ON e.log_key = b.bot_key AND e.number > c.position JOIN events p USING (event_key)
    WHERE p.owner_user_id = $1
      OR (SELECT owner_user_id FROM channels WHERE channel_key = p.channel_key) = $1
      OR (SELECT owner_user_id FROM removed_channels WHERE channel_key = p.channel_key) = $1) AS "isUncarried"`;

/** Whether all that happened in the owner's channels is with the bots of other cells. */
export async function isCarried(client: pg.Client, ownerUserId: string): Promise<boolean> {
  const { rows } = await client.query<{ isUncarried: boolean }>(SELECT_UNCARRIED, [ownerUserId]);
  return !rows[0]?.isUncarried;
}

/** How long that may take, and how often it is looked at. */
const CARRIED_WITHIN_MS = 15_000;
const CARRIED_LOOK_MS = 50;

/** @throws MoveRefused when the bots of a cell do not hear of it for too long, as while that cannot be reached */
export async function waitUntilCarried(client: pg.Client, ownerUserId: string): Promise<void> {
  const giveUpAt = performance.now() + CARRIED_WITHIN_MS;
  while (!(await isCarried(client, ownerUserId))) {
    if (performance.now() > giveUpAt)
      throw new MoveRefused(
        "what happens in the owner's channels does not reach the bots of another cell: try again when that can be reached",
      );
    await sleep(CARRIED_LOOK_MS);
  }
}

/** $1: the owner. Whether bots of the cell are, or were, in channels that the owner has in another one. */
const SELECT_COPIES = `SELECT EXISTS (SELECT FROM channels WHERE owner_user_id = ${guestOwner("$1::text")}) AS "hasCopies"`;

export async function hasCopies(client: pg.Client, ownerUserId: string): Promise<boolean> {
  const { rows } = await client.query<{ hasCopies: boolean }>(SELECT_COPIES, [ownerUserId]);
  return rows[0]?.hasCopies ?? false;
}

/** SQL: whether something of this owner belongs to the cell itself, and to another than `owner`. */
export const isOfNeighbour = (rowOwner: string, owner: string) =>
  `(${rowOwner} <> ${owner} AND NOT ${isGuest(rowOwner)})`;
