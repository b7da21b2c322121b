import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { CLOCK_NOW } from "../connection/database-clock.js";
import { notifyServices } from "../connection/hints.js";
import { MAY_DELIVER } from "../lanes/lane-gate.js";
import { destinationsOfOwner } from "./owner-tables.js";
import { MoveRefused } from "./session.js";

/** Who holds the lanes of an owner who moves: nobody sends from them. */
const HOLDER = "moving";
/** In the cell that is left: if the move is killed, services claim the lanes when this has passed. */
const LEASE_MS = 30_000;
/** Attempts that are under way end within this time. */
const REST_WITHIN_MS = 15_000;
const LOOK_AGAIN_MS = 50;
const LANES_PER_HINT = 100;

/** Destinations of bots and of alerts, whose log is no bot's. */
const GATE = "destinations dest LEFT JOIN bots b ON b.bot_key = dest.log_key";
/** Lanes are locked in the order of their keys, like by every statement that changes several. */
const LOCKED = `
    locked AS (
      SELECT bot_key FROM lanes WHERE bot_key = ANY (ARRAY(SELECT destination_key FROM ${destinationsOfOwner("$1")} o))
      ORDER BY bot_key FOR UPDATE)`;

/** Takes lanes that nobody holds, or whose lease has expired, as they would be claimed. */
const TAKE = `
  WITH ${LOCKED}
  UPDATE lanes l SET holder = '${HOLDER}', lease_until = ${CLOCK_NOW} + ${LEASE_MS}, target_age_ms = 0, is_open = ${MAY_DELIVER}, due_at = NULL
  FROM locked JOIN ${GATE} ON dest.destination_key = locked.bot_key
  WHERE l.bot_key = locked.bot_key AND (l.holder IS NULL OR l.holder = '${HOLDER}' OR l.lease_until <= ${CLOCK_NOW})`;
/** Closes those that are held, as a pause does: no further attempt begins, and the holder gives the lane up. */
const CLOSE = `
  WITH ${LOCKED}, closed AS (
    UPDATE lanes l SET is_open = false, due_at = NULL FROM locked
    WHERE l.bot_key = locked.bot_key AND l.holder <> '${HOLDER}' RETURNING l.bot_key)
  SELECT DISTINCT first.id FROM closed JOIN destinations dest ON dest.destination_key = closed.bot_key
  JOIN destinations first ON first.destination_key = dest.log_key`;
/** Lets services claim the lanes. */
const RELEASE = `
  WITH ${LOCKED}
  UPDATE lanes l SET holder = CASE WHEN l.holder = '${HOLDER}' THEN NULL ELSE l.holder END,
    lease_until = CASE WHEN l.holder = '${HOLDER}' THEN NULL ELSE l.lease_until END, is_open = ${MAY_DELIVER},
    due_at = CASE WHEN ${MAY_DELIVER} THEN coalesce(l.due_at, greatest(${CLOCK_NOW}, l.resting_until)) END
  FROM locked JOIN ${GATE} ON dest.destination_key = locked.bot_key
  WHERE l.bot_key = locked.bot_key AND (l.holder = '${HOLDER}' OR l.is_open <> (${MAY_DELIVER}))`;
const SELECT_LOGS = `
  SELECT DISTINCT first.id FROM ${destinationsOfOwner("$1")} o JOIN destinations dest USING (destination_key)
  JOIN destinations first ON first.destination_key = dest.log_key`;
const ARE_AT_REST = `
  SELECT NOT EXISTS (
    SELECT FROM ${destinationsOfOwner("$1")} o JOIN lanes l ON l.bot_key = o.destination_key
    WHERE l.holder IS DISTINCT FROM '${HOLDER}') AS "areAtRest"`;

/**
 * Brings the owner's lanes to rest. Attempts that are under way end and are recorded; meanwhile the owner writes as ever.
 *
 * @throws MoveRefused when one is held for too long
 */
export async function restLanes(client: pg.Client, ownerUserId: string): Promise<void> {
  const giveUpAt = performance.now() + REST_WITHIN_MS;
  for (;;) {
    await takeLanes(client, ownerUserId);
    const { rows } = await client.query<{ id: string }>(CLOSE, [ownerUserId]);
    if (rows.length === 0) return;
    if (performance.now() > giveUpAt)
      throw new MoveRefused("deliveries to webhooks of the owner have not come to rest; try again");
    await hintLanes(client, rows);
    await sleep(LOOK_AGAIN_MS);
  }
}

export async function takeLanes(client: pg.Client, ownerUserId: string): Promise<void> {
  await client.query(TAKE, [ownerUserId]);
}

export async function areAtRest(client: pg.Client, ownerUserId: string): Promise<boolean> {
  const { rows } = await client.query<{ areAtRest: boolean }>(ARE_AT_REST, [ownerUserId]);
  return rows[0]?.areAtRest ?? false;
}

/** Lets services send to the owner's webhooks, at once. */
export async function releaseLanes(client: pg.Client, ownerUserId: string): Promise<void> {
  await client.query(RELEASE, [ownerUserId]);
}

/** Says of all the owner's lanes that they have changed. */
export async function hintAllLanes(client: pg.Client, ownerUserId: string): Promise<void> {
  const { rows } = await client.query<{ id: string }>(SELECT_LOGS, [ownerUserId]);
  await hintLanes(client, rows);
}

async function hintLanes(client: pg.Client, bots: readonly { id: string }[]): Promise<void> {
  for (let first = 0; first < bots.length; first += LANES_PER_HINT)
    await notifyServices(client, {
      laneChanged: bots.slice(first, first + LANES_PER_HINT).map(({ id }) => id),
    });
}
