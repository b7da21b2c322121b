import { isTimeout } from "../connection/errors.js";
import { INCARNATION, NOTE_FURTHER } from "../connection/incarnation.js";
import { GATE } from "./capture.js";
import { holdForArrival } from "./copied-channels.js";
import { applyChanges, type Copying, copyLast } from "./copy.js";
import { attachArrived, keepForFeed, lockFeed } from "./feed.js";
import { areKnownThere, isLastCarried, LAST_CARRIED_WITHIN_MS, within } from "./guests.js";
import { areAtRest, takeLanes } from "./lanes-at-rest.js";
import { isHeardThere } from "./others-channels.js";
import { adoptedKeys, leaveGuests } from "./own-guests.js";
import { destinationsOfOwner } from "./owner-tables.js";
import { LEFT, putRecord } from "./records.js";
import { destinationKeys, hasRemains, removeOwner } from "./removal.js";
import { type CellSession, LAST_LOCK_TIMEOUT_MS } from "./session.js";
import { leaveCopies } from "./shared-channels.js";
import { adjustUsage, lockUsage } from "./usage.js";

/** With 100,000 channels the longest one takes 0.9 s. */
const STATEMENT_TIMEOUT_MS = 1_500;
const BEGIN = `BEGIN; SET LOCAL lock_timeout = ${LAST_LOCK_TIMEOUT_MS}; SET LOCAL statement_timeout = ${STATEMENT_TIMEOUT_MS}`;
/** Held while one is made. */
const BOTS_AND_CHANNELS = ["bots of ", "channels of "];

/** What is removed in the last step, in the order in which writers lock it: none of them waits for the gate with one of these locked. $1: the owner. */
const DESTINATION_KEYS = `ARRAY(SELECT destination_key FROM ${destinationsOfOwner("$1")} o)`;
const LOCKS: readonly string[] = [
  "SELECT FROM owners WHERE user_id = $1 FOR UPDATE",
  "SELECT FROM channels WHERE owner_user_id = $1 ORDER BY channel_key FOR UPDATE",
  "SELECT FROM bots WHERE owner_user_id = $1 ORDER BY bot_key FOR UPDATE",
  `SELECT FROM lanes WHERE bot_key = ANY (${DESTINATION_KEYS}) ORDER BY bot_key FOR UPDATE`,
  `SELECT FROM destinations WHERE destination_key = ANY (${DESTINATION_KEYS}) ORDER BY destination_key FOR UPDATE`,
  `SELECT FROM consumers WHERE bot_key = ANY (${DESTINATION_KEYS}) ORDER BY bot_key, slot FOR UPDATE`,
  "SELECT FROM webhook_logs WHERE owner_user_id = $1 FOR UPDATE",
];
const counted = (select: string) => `SELECT count(*) FROM (${select}) locked`;

/** The same in the cell that they come to, where the logs of bots are guests' until they are let in: of these the further ones. */
const KEYS_THERE = `ARRAY(
  SELECT destination_key FROM ${destinationsOfOwner("$1")} o
  UNION ALL SELECT destination_key FROM new_bot_keys n JOIN destinations ON log_key = n.new_key WHERE n.is_adopted AND destination_key <> log_key)`;

/** Ten years: nobody claims a lane of an owner who has not arrived. */
const LEASE_MS = 315_360_000_000;
/**
 * $1: the owner, $2 and $3: the incarnations of the two databases. A log that would skip numbers where it was, because its database was set
 * back since it last grew, does so where it is.
 */
const ADAPT_LANES = `
  UPDATE lanes SET lease_until = lease_until + ${LEASE_MS}, incarnation = CASE WHEN incarnation = $2::bigint THEN $3::bigint ELSE -1 END
  WHERE bot_key = ANY (${KEYS_THERE})`;
const HAS_FURTHER = `${NOTE_FURTHER} AND EXISTS (
  SELECT FROM destinations WHERE destination_key = ANY (${KEYS_THERE}) AND destination_key <> log_key)`;
const SELECT_INCARNATION = `SELECT coalesce(${INCARNATION}, 0) AS incarnation`;
/** Users who are being erased, or will be once more: from the moved events, it begins again. */
const SELECT_USERS = "SELECT array_agg(user_id) AS users FROM erased_users";
const ERASE_USERS = `
  INSERT INTO erased_users (user_id) SELECT unnest($1::text[])
  ON CONFLICT (user_id) DO UPDATE SET position = NULL, ended_at = NULL, again_at = 0`;

export type LastStep = "left" | "busy" | "remains";

/**
 * Copies what is left, and lets the owner leave: one transaction in each cell. That of the new one commits first, and nobody finds the owner
 * there yet; the commit of the other one decides.
 *
 * @returns what has kept it from being done, after which nothing has changed
 */
export async function takeLastStep(copying: Copying, moveId: string): Promise<LastStep> {
  const { from, to, ownerUserId } = copying;
  try {
    await from.client.query(BEGIN);
    await to.client.query(BEGIN);
    for (const what of BOTS_AND_CHANNELS)
      await from.client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [what + ownerUserId]);
    for (const cell of [from, to]) await lockFeed(cell);
    for (const lock of LOCKS) await from.client.query(counted(lock), [ownerUserId]);
    await lockUsage(from.client, to.client);
    await from.client.query(`SELECT pg_advisory_xact_lock(${GATE})`);

    await takeLanes(from.client, ownerUserId);
    const blocked = (await hasRemains(from.client, ownerUserId))
      ? "remains"
      : (await areAtRest(from.client, ownerUserId)) && (await isLastCarried(from.client, ownerUserId))
        ? undefined
        : "busy";
    if (blocked) {
      await rollBack(from, to);
      return blocked;
    }
    while ((await applyChanges(copying, true)) > 0);
    const isThere = () => copying.rows.writeWaiting(true);
    if (!(await isHeardThere(from, to, ownerUserId)) || !(await within(LAST_CARRIED_WITHIN_MS, isThere))) {
      await rollBack(from, to);
      return "busy";
    }
    await copyLast(copying);
    if (!(await areKnownThere(from, to, ownerUserId))) {
      await rollBack(from, to);
      return "busy";
    }
    const [here, there] = [await incarnationOf(from), await incarnationOf(to)];
    await holdForArrival(copying, here);
    await leaveCopies(from, to, ownerUserId);
    await adaptToCell(from, to, ownerUserId, here, there);
    await adjustUsage(from, to, ownerUserId);
    await attachArrived(to, ownerUserId);

    await putRecord(from.client, ownerUserId, { moveId, state: LEFT, otherCell: to.name });
    const keys = await destinationKeys(from.client, ownerUserId);
    const staying = await adoptedKeys(to);
    await leaveGuests(from.client, ownerUserId, staying);
    await keepForFeed(from.client, ownerUserId);
    const areGuests = new Set(staying);
    await removeOwner(
      from.client,
      ownerUserId,
      keys.filter((key) => !areGuests.has(key)),
    );
  } catch (error) {
    await rollBack(from, to);
    if (isTimeout(error)) return "busy";
    throw error;
  }
  try {
    await to.client.query("COMMIT");
  } catch (error) {
    await rollBack(from);
    throw error;
  }
  await from.client.query("COMMIT");
  return "left";
}

async function rollBack(...cells: readonly CellSession[]): Promise<void> {
  for (const { client } of cells) await client.query("ROLLBACK").catch(() => {});
}

async function incarnationOf({ client }: CellSession): Promise<number> {
  return (await client.query<{ incarnation: number }>(SELECT_INCARNATION)).rows[0]?.incarnation ?? 0;
}

async function adaptToCell(
  from: CellSession,
  to: CellSession,
  ownerUserId: string,
  here: number,
  there: number,
): Promise<void> {
  await to.client.query(ADAPT_LANES, [ownerUserId, here, there]);
  await to.client.query(HAS_FURTHER, [ownerUserId]);
  const { rows } = await from.client.query<{ users: string[] | null }>(SELECT_USERS);
  if (rows[0]?.users) await to.client.query(ERASE_USERS, [rows[0].users]);
}
