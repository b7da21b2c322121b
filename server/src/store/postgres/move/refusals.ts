import { guestOwner, makerOf } from "../../shared/guests.js";
import { isDuplicate } from "../connection/errors.js";
import { ARRIVING, LEFT, type MoveRecords, PAUSED } from "./records.js";
import { type CellSession, MoveRefused } from "./session.js";

/** $1: the owner. */
const SELECT_CELL = `
  SELECT (SELECT max(step) FROM botyard_schema) AS schema,
    EXISTS (SELECT FROM feed WHERE partitions > 0) AS "hasFeed",
    EXISTS (SELECT FROM bots WHERE owner_user_id = $1) OR EXISTS (SELECT FROM channels WHERE owner_user_id = $1)
      OR EXISTS (SELECT FROM webhook_logs WHERE owner_user_id = $1) OR EXISTS (SELECT FROM owners WHERE user_id = $1) AS "isServed",
    (SELECT changed_at FROM owner_moves WHERE owner_user_id = $1 AND feed_log IS NOT NULL) AS "leftAt"`;
const SELECT_USERNAMES = "SELECT array_agg(lower(username)) AS usernames FROM bots WHERE owner_user_id = $1";
/** $1: names, $2: the owner, who may be known there from the channels of others, or theirs as copies. */
const SELECT_TAKEN = `SELECT username FROM bots WHERE lower(username) = ANY ($1) AND owner_user_id <> ${guestOwner("$2::text")} LIMIT 1`;
const SELECT_SLUGS = "SELECT array_agg(slug) AS slugs FROM channels WHERE owner_user_id = $1";
const SELECT_TAKEN_SLUG = `SELECT slug FROM channels WHERE slug = ANY ($1) AND owner_user_id <> ${guestOwner("$2::text")} LIMIT 1`;

interface Cell {
  schema: number;
  hasFeed: boolean;
  isServed: boolean;
  /** When the owner left the cell, whose feed still has what they did there; null when it has nothing. */
  leftAt: number | null;
}

async function look({ client }: CellSession, ownerUserId: string): Promise<Cell> {
  return (await client.query<Cell>(SELECT_CELL, [ownerUserId])).rows[0] as Cell;
}

function refuse(reason: string): never {
  throw new MoveRefused(reason);
}

/** @throws MoveRefused when the owner takes part in another move, or has left */
export function refuseOtherMoves(
  { name: fromName }: CellSession,
  { name: toName }: CellSession,
  { from, to }: MoveRecords,
): void {
  if (from && from.state <= PAUSED && from.otherCell !== toName)
    refuse(`a move of the owner to the cell ${from.otherCell} was interrupted: abandon that one first`);
  if (from?.state === LEFT) refuse(`the owner has left the cell ${fromName} for ${from.otherCell}`);
  if (from?.state === ARRIVING)
    refuse(`the owner is arriving in the cell ${fromName} from ${from.otherCell}`);
  if (to && to.state !== LEFT && (to.state !== ARRIVING || to.otherCell !== fromName))
    refuse(`the cell ${toName} takes part in another move of the owner, with ${to.otherCell}`);
}

/** $1: the owner. Who is coming, or leaving, of the owners of bots in their channels, or in copies of these. */
const SELECT_MOVING_MAKER = `
  SELECT m.owner_user_id AS owner
  FROM channels c JOIN attachments a USING (channel_key) JOIN bots b USING (bot_key) JOIN owner_moves m ON m.owner_user_id = ${makerOf("b.owner_user_id")}
  WHERE c.owner_user_id IN ($1, ${guestOwner("$1::text")}) AND m.owner_user_id <> $1 AND m.state <> ${LEFT} LIMIT 1`;

/**
 * What one mover changes is not seen by another. Each looks for the other when it can be seen itself.
 *
 * @throws MoveRefused when the owner of a bot in channels of the owner is being moved, too
 */
export async function refuseMovingMakers(cells: readonly CellSession[], ownerUserId: string): Promise<void> {
  for (const { client } of cells) {
    const { rows } = await client.query<{ owner: string }>(SELECT_MOVING_MAKER, [ownerUserId]);
    if (rows[0])
      refuse(
        `${rows[0].owner}, whose bots are in channels of the owner, is being moved, too: try again afterwards`,
      );
  }
}

/** $1: keys of channels. Who is coming, or leaving, of their owners. */
const SELECT_MOVING_HOLDER = `
  SELECT m.owner_user_id AS owner FROM owner_moves m JOIN channels c ON c.owner_user_id IN (m.owner_user_id, ${guestOwner("m.owner_user_id")})
  WHERE m.state <> ${LEFT} AND c.channel_key = ANY ($1::bigint[]) LIMIT 1`;
const SELECT_THERE = "SELECT array_agg(new_key) AS keys FROM new_channel_keys WHERE is_others";

/**
 * From the other side.
 *
 * @param channels those of others, as the cell that is left has them, in which bots of the owner are
 * @throws MoveRefused when one of their owners is being moved, too
 */
export async function refuseMovingHolders(
  from: CellSession,
  to: CellSession,
  channels: readonly { key: number }[],
): Promise<void> {
  const there = (await to.client.query<{ keys: string[] | null }>(SELECT_THERE)).rows[0]?.keys ?? [];
  for (const [{ client }, keys] of [
    [from, channels.map(({ key }) => key)],
    [to, there],
  ] as const) {
    const { rows } = await client.query<{ owner: string }>(SELECT_MOVING_HOLDER, [keys]);
    if (rows[0]) throw holderMoves(rows[0].owner);
  }
}

export const holderMoves = (owner: string): MoveRefused =>
  new MoveRefused(
    `${owner}, in whose channels bots of the owner are, is being moved, too: try again afterwards`,
  );

/** @throws MoveRefused when the owner cannot move from one cell to the other */
export async function refuseImpossible(
  from: CellSession,
  to: CellSession,
  ownerUserId: string,
): Promise<void> {
  const here = await look(from, ownerUserId);
  const there = await look(to, ownerUserId);
  if (here.schema !== there.schema)
    refuse(`the cells have different schemas, ${from.name} ${here.schema} and ${to.name} ${there.schema}`);
  if (here.hasFeed !== there.hasFeed)
    refuse(
      `the platform's feed is on in the cell ${(here.hasFeed ? from : to).name}, and not in the other: try again when it has been switched`,
    );
  if (there.leftAt !== null)
    refuse(
      `the feed of the cell ${to.name} still has what the owner did there before they left at ${new Date(there.leftAt).toISOString()}: they can return RETENTION_DAYS after that`,
    );
  if (there.isServed) refuse(`the cell ${to.name} has things of the owner, too`);
}

/** @throws MoveRefused when something of another owner has a name that has to be the only one in a cell */
export async function refuseTaken(from: CellSession, to: CellSession, ownerUserId: string): Promise<void> {
  const taken =
    (await takenIn(to, from, ownerUserId, SELECT_USERNAMES, SELECT_TAKEN)) ??
    (await takenIn(to, from, ownerUserId, SELECT_SLUGS, SELECT_TAKEN_SLUG));
  if (taken) refuse(`in the cell ${to.name}, another owner has ${taken}`);
}

async function takenIn(to: CellSession, from: CellSession, ownerUserId: string, all: string, taken: string) {
  const own = Object.values((await from.client.query(all, [ownerUserId])).rows[0] ?? {})[0] ?? [];
  const found = (await to.client.query(taken, [own, ownerUserId])).rows[0] as object | undefined;
  return found && Object.entries(found).map(([what, name]) => `the ${what} ${name}`)[0];
}

/** What was taken by another owner after the look at it. */
export function refusalOf(error: unknown, to: CellSession): unknown {
  if (!isDuplicate(error)) return error;
  return new MoveRefused(`the cell ${to.name} has what belongs to the owner: ${error.detail}`, {
    cause: error,
  });
}
