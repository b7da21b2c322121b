import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { listeningOf } from "../../../domain/events/subscription.js";
import { GUEST_HEARS } from "../../cells/guests/guests.js";
import { isGuest, isOutbox } from "../../shared/guests.js";
import { noteAway } from "../connection/incarnation.js";
import { lastUncarried } from "../guests/guests.js";
import { outboxTo } from "./outbox.js";
import { type CellSession, MoveRefused } from "./session.js";

/**
 * A bot of another owner that is, or was, in channels of one who moves, or a log that is carried to another cell: as the cell that the owner leaves has it. In the
 * other cell it is a guest.
 */
export interface Guest {
  botId: string;
  /** Of its row: no user id, unless the bot lives in the cell that the owner leaves. */
  ownerUserId: string;
}

/** A channel of another owner that bots of the owner are in, or have updates of. */
export interface OthersChannel {
  channelId: string;
  /** Of the row in the cell that is left. */
  ownerUserId: string;
}

/** How a move has channels of others carried to the cell that the owner comes to: see `others-channels.ts`. Each may be called again. */
export interface CarryToOwner {
  /** Makes these channels known in that cell, and has what happens there carried to it. Those that were deleted are left out. */
  hear(channels: readonly OthersChannel[]): Promise<void>;
  /** Waits until what has happened by now in all of these channels has come to one of both cells. @returns false when that takes longer */
  settle(cell: "from" | "to", withinMs: number): Promise<boolean>;
}

/** Bots that are guests where an owner moves. Each may be called again. */
export interface GuestsOfMove extends CarryToOwner {
  /** Makes bots of others known in the cell that the owner comes to, with the logs through which both cells hear of each other. */
  introduce(guests: readonly Guest[]): Promise<void>;
  /**
   * Called before bots of the owner come to the cell, which is then ready to tell others what becomes of them. What is to be carried to cells that were
   * removed is given up.
   */
  comeHome(): Promise<void>;
}
export type IntroduceGuests = GuestsOfMove["introduce"];

/**
 * Keys of bots as the other cell has them, known to its session: those of guests, and of bots that live there, are others, all others stay. Neighbours
 * live in the cell that is left. Those that are adopted are the owner's own, which were guests there (`own-guests.ts`).
 */
export const MAKE_BOT_KEYS = `
  CREATE TEMPORARY TABLE IF NOT EXISTS new_bot_keys (
    bot_key bigint PRIMARY KEY, new_key bigint NOT NULL, is_neighbour boolean NOT NULL, is_home boolean NOT NULL,
    is_adopted boolean NOT NULL DEFAULT false);
  TRUNCATE new_bot_keys`;
/** SQL of the key that a bot has in the cell that a row comes to. */
export const newBotKey = (key: string) =>
  `coalesce((SELECT n.new_key FROM new_bot_keys n WHERE n.bot_key = ${key}), ${key})`;

/** SQL: whether a bot is the owner's, and was a guest in the cell. */
export const isAdopted = (key: string) =>
  `EXISTS (SELECT FROM new_bot_keys n WHERE n.bot_key = ${key} AND n.is_adopted)`;

/** SQL: whether a bot is known in the cell that a row comes to, and does not live there. */
export const isGuestThere = (key: string) =>
  `EXISTS (SELECT FROM new_bot_keys n WHERE n.bot_key = ${key} AND NOT n.is_home)`;

/** SQL: whether something of this owner belongs to the cell itself, and to another than `owner`. */
export const isOfNeighbour = (rowOwner: string, owner: string) =>
  `(${rowOwner} NOT IN (${owner}, '') AND NOT ${isGuest(rowOwner)})`;
/** SQL: what an attachment has of what its bot hears, where a bot that lives in the cell that is left becomes a guest. */
export const guestHears = (key: string, column: string) => {
  const { postFilter, hearsCustom, hearsOthers } = listeningOf(GUEST_HEARS);
  const heard = { post_filter: postFilter, hears_custom: hearsCustom, hears_others: hearsOthers }[column];
  return `CASE WHEN (SELECT n.is_neighbour FROM new_bot_keys n WHERE n.bot_key = ${key}) THEN ${heard} ELSE r.${column} END`;
};

/** $1: keys, $2: the owner. */
const SELECT_GUESTS_AMONG = `
  SELECT bot_key AS key, id AS "botId", owner_user_id AS "ownerUserId", ${isOfNeighbour("owner_user_id", "$2")} AS "isNeighbour"
  FROM bots WHERE bot_key = ANY ($1::bigint[]) AND owner_user_id <> $2`;
interface GuestHere extends Guest {
  key: number;
  isNeighbour: boolean;
}
/** $1: ids. */
const SELECT_BOTS_THERE = `
  SELECT id, bot_key AS key, NOT (${isGuest("owner_user_id")}) AS "isHome" FROM bots WHERE id = ANY ($1::uuid[])`;
interface BotThere {
  id: string;
  key: number;
  isHome: boolean;
}
/** $1: keys, $2: those that they are in the other cell, $3: whether the bots live in the cell that is left, $4: and in the other one. */
const LEARN_BOTS = `
  INSERT INTO new_bot_keys (bot_key, new_key, is_neighbour, is_home)
  SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::boolean[], $4::boolean[])
  ON CONFLICT (bot_key) DO NOTHING`;

/** @returns what learns under which keys bots are in the other cell, given those under which they are in this one */
export function learnBotKeys(
  from: CellSession,
  to: CellSession,
  ownerUserId: string,
  introduce: IntroduceGuests,
): (keys: readonly string[]) => Promise<void> {
  const find = async (guests: readonly Guest[]): Promise<Map<string, BotThere>> => {
    const { rows } = await to.client.query<BotThere>(SELECT_BOTS_THERE, [guests.map(({ botId }) => botId)]);
    return new Map(rows.map((bot) => [bot.id, bot]));
  };
  return async (keys) => {
    const { rows } = await from.client.query<GuestHere>(SELECT_GUESTS_AMONG, [keys, ownerUserId]);
    const { id: outbox } = await outboxTo(to);
    const guests = rows.filter(({ botId }) => botId !== outbox);
    const before = await find(guests);
    const guestsThere = guests.filter(({ botId }) => !before.get(botId)?.isHome);
    if (guestsThere.length > 0) {
      await introduce(guestsThere);
      await to.client.query(noteAway("true"));
    }
    const there = await find(guests);
    const byKey = new Map(rows.map((guest) => [String(guest.key), guest]));
    // A bot that is being deleted may not be known there.
    const learnt = keys.flatMap((key) => {
      const guest = byKey.get(key);
      const bot = guest && there.get(guest.botId);
      if (guest && !bot) return [];
      const isNeighbour = guest?.isNeighbour ?? false;
      return [{ key, newKey: bot?.key ?? key, isNeighbour, isHome: bot?.isHome ?? false }];
    });
    const columns = (["key", "newKey", "isNeighbour", "isHome"] as const).map((name) =>
      learnt.map((bot) => bot[name]),
    );
    await to.client.query(LEARN_BOTS, columns);
  };
}

/** $1: the owner, $2: the outbox to the other cell, which does not hear itself. */
const SELECT_ATTACHED = `
  SELECT array_agg(DISTINCT b.bot_key) AS keys
  FROM channels c JOIN attachments a USING (channel_key) JOIN bots b USING (bot_key)
  WHERE c.owner_user_id = $1 AND b.owner_user_id <> $1 AND b.id <> $2`;
/** $1: keys. */
const COUNT_THERE = `
  SELECT count(*)::integer AS count FROM new_bot_keys n JOIN bots b ON b.bot_key = n.new_key WHERE n.bot_key = ANY ($1::bigint[])`;

/** @returns false when one of the guests was deleted in the other cell, and is not yet in this one */
export async function areKnownThere(
  from: CellSession,
  to: CellSession,
  ownerUserId: string,
): Promise<boolean> {
  const { rows } = await from.client.query<{ keys: number[] | null }>(SELECT_ATTACHED, [
    ownerUserId,
    (await outboxTo(to)).id,
  ]);
  const keys = rows[0]?.keys;
  if (!keys) return true;
  const there = await to.client.query<{ count: number }>(COUNT_THERE, [keys]);
  return there.rows[0]?.count === keys.length;
}

/** $1: the owner. What happened last in their channels, and is still to be carried to other cells. */
const SELECT_LAST_UNCARRIED = lastUncarried(`SELECT * FROM bots WHERE ${isOutbox("owner_user_id")}`, "$1");
/** $1: outboxes, $2: their numbers. */
const SELECT_WHETHER_THERE = `
  SELECT EXISTS (
    SELECT FROM unnest($1::bigint[], $2::bigint[]) AS a (log_key, number) JOIN entries e USING (log_key, number)) AS "isThere"`;

const LOOK_MS = 10;
/** Beside the traffic, and while nobody can write to the owner's channels. */
export const CARRIED_WITHIN_MS = 15_000;
export const LAST_CARRIED_WITHIN_MS = 500;

/** @returns whether it was so within the time */
export async function within(ms: number, isSo: () => Promise<boolean | undefined>): Promise<boolean> {
  const giveUpAt = performance.now() + ms;
  while (!(await isSo())) {
    if (performance.now() > giveUpAt) return false;
    await sleep(LOOK_MS);
  }
  return true;
}

interface LastUncarried {
  key: number;
  number: number;
}

/**
 * Waits until what has happened in the owner's channels by now is with the bots of other cells.
 *
 * @throws MoveRefused when that takes too long, as while such a cell cannot be reached
 */
export async function waitUntilCarried(client: pg.Client, ownerUserId: string): Promise<void> {
  const { rows: last } = await client.query<LastUncarried>(SELECT_LAST_UNCARRIED, [ownerUserId]);
  const values = [last.map(({ key }) => key), last.map(({ number }) => number)];
  const areCarried = async (): Promise<boolean> => {
    const { rows } = await client.query<{ isThere: boolean }>(SELECT_WHETHER_THERE, values);
    return rows[0]?.isThere === false;
  };
  if (!(await within(CARRIED_WITHIN_MS, areCarried))) throw notCarried();
}

export const notCarried = (): MoveRefused =>
  new MoveRefused(
    "what happens in the owner's channels does not reach the bots of another cell: try again when that can be reached",
  );

export const notHeard = (): MoveRefused =>
  new MoveRefused(
    "what happens in channels of others does not reach the owner's bots in the other cell, or a transaction goes on for too long: try again",
  );

/** The same in the last step, in which nothing is added to it. @returns false when it takes too long */
export async function isLastCarried(client: pg.Client, ownerUserId: string): Promise<boolean> {
  return await within(LAST_CARRIED_WITHIN_MS, async () => {
    const { rows } = await client.query<LastUncarried>(SELECT_LAST_UNCARRIED, [ownerUserId]);
    return rows.length === 0;
  });
}
