import { DEFAULT_SETTINGS, type DeliveryOrder } from "../../../domain/delivery/webhook-settings.js";
import type { DueUpdate } from "../../../domain/events/update.js";
import { STATE_CODE, UNRESOLVED } from "../../shared/delivery-states.js";
import type { DueRead, DueUpdates } from "../../store.js";
import type { Database } from "../binding.js";
import { IS_FRESH } from "../delivery/delivery-rows.js";
import { roundFinder } from "../delivery/waiting.js";

/** A destination, as far as it decides what is due there. */
export interface DueRow {
  destinationKey: number;
  round: number;
  /** The earliest round whose updates are due: 0, unless updates of earlier rounds are still to be skipped. */
  dueFromRound: number;
  isSkipping: 0 | 1;
  order: DeliveryOrder | null;
}

export type Due = Pick<DueUpdates, "updates" | "isCutShort">;

/** What a read asks for, without whose it is. */
type Limits = Omit<DueRead, "destinationId" | "order">;

const UPDATE =
  "e.number AS updateId, p.event_type AS eventType, p.payload, p.created_at AS createdAt, p.cause";

/** The last update before the number, of the channel, that waits or is held at the destination `dest`. */
const waitsFor = (channel: string, number: string) => `CASE WHEN ${channel} > 0 THEN (
  SELECT u.first_number FROM deliveries u INDEXED BY deliveries_unresolved
  WHERE u.destination_key = dest.destination_key AND u.channel_key = ${channel} AND u.state IN (${UNRESOLVED}) AND u.first_number < ${number}
  ORDER BY u.first_number DESC LIMIT 1) END AS waitsFor`;
const WAITING_OF_CHANNEL = `${UPDATE}, d.channel_key AS channelKey, ${waitsFor("d.channel_key", "d.first_number")}`;
const FRESH_OF_CHANNEL = `${UPDATE}, p.channel_key AS channelKey, ${waitsFor("p.channel_key", "e.number")}`;

const FROM_WAITING = (index: string) => `
  FROM destinations dest CROSS JOIN deliveries d INDEXED BY ${index} USING (destination_key)
    CROSS JOIN entries e ON e.log_key = dest.log_key AND e.number = d.first_number
    CROSS JOIN events p ON p.event_key = e.event_key`;

/** Of earlier rounds: the failures of those count no more. */
const requeued = (columns: string) => `
  SELECT ${columns}, d.attempt_count AS attemptCount, 0 AS failureCount, d.attempt_count = 0 AS wasHeld
  ${FROM_WAITING("deliveries_waiting")}
  WHERE dest.destination_key = ? AND d.state = ${STATE_CODE.waiting} AND d.round >= ? AND d.round < ?
  ORDER BY d.round, d.first_number LIMIT +? OFFSET +?`;
const refused = (columns: string) => `
  SELECT ${columns}, d.attempt_count AS attemptCount, d.failure_count AS failureCount
  ${FROM_WAITING("deliveries_due")}
  WHERE dest.destination_key = ? AND d.state = ${STATE_CODE.waiting} AND d.round = ? AND d.due_at <= ?
  ORDER BY d.due_at, d.first_number LIMIT +? OFFSET +?`;
const fresh = (columns: string) => `
  SELECT ${columns}, 0 AS attemptCount, 0 AS failureCount
  FROM destinations dest CROSS JOIN entries e USING (log_key) CROSS JOIN events p ON p.event_key = e.event_key
  WHERE dest.destination_key = ?1 AND e.number > ?2 AND e.number >= dest.next_fresh_number AND ${IS_FRESH}
  ORDER BY e.number LIMIT +?3`;

type DueColumns = Omit<DueUpdate, "wasHeld"> & { wasHeld?: 0 | 1 };

/** Reads what is due at destinations. */
export function dueReader(db: Database): (row: DueRow, limits: Limits, now: number) => Due {
  const prepare = (waitingColumns: string, freshColumns: string) => ({
    requeued: db.prepare(requeued(waitingColumns)),
    refused: db.prepare(refused(waitingColumns)),
    fresh: db.prepare(fresh(freshColumns)),
  });
  const inAnyOrder = prepare(UPDATE, UPDATE);
  const inChannelOrder = prepare(WAITING_OF_CHANNEL, FRESH_OF_CHANNEL);
  /** Of one round, by number. */
  const selectWaiting = db.prepare(`
    SELECT ${UPDATE}, d.attempt_count AS attemptCount, CASE WHEN d.round = dest.round THEN d.failure_count ELSE 0 END AS failureCount,
      d.attempt_count = 0 AS wasHeld, CASE WHEN d.round = dest.round THEN d.due_at ELSE 0 END AS dueAt
    ${FROM_WAITING("deliveries_waiting")}
    WHERE dest.destination_key = ? AND d.state = ${STATE_CODE.waiting} AND d.round = ?
    ORDER BY d.first_number LIMIT +?`);
  const roundsOf = roundFinder(db);

  const readAny = (
    { destinationKey, round, dueFromRound, order }: DueRow,
    limits: Limits,
    now: number,
  ): Due => {
    const select = order === "channel" ? inChannelOrder : inAnyOrder;
    const { afterUpdateId, limit, isFreshFirst } = limits;
    const { updates, take } = fitting(limits);
    const room = (): number => limit - updates.length;
    const takeFresh = (): boolean =>
      room() === 0 || take(select.fresh.iterate(destinationKey, afterUpdateId, room()));
    const takeRequeued = (most: number, from: number): boolean =>
      most <= 0 || take(select.requeued.iterate(destinationKey, dueFromRound, round, most, from));
    const takeRefused = (most: number, from: number): boolean =>
      most <= 0 || take(select.refused.iterate(destinationKey, round, now, most, from));
    // By channel there is always room for fresh ones: what has a row may have to wait until those before it are known.
    const [requeuedFirst, refusedFirst] =
      order === "channel" ? [Math.ceil(limit / 2), Math.ceil(limit / 4)] : [limit, Math.ceil(limit / 2)];
    const isWhole =
      (!isFreshFirst || takeFresh()) &&
      takeRequeued(Math.min(requeuedFirst, room()), 0) &&
      takeRefused(Math.min(refusedFirst, room()), 0) &&
      (isFreshFirst || takeFresh()) &&
      takeRefused(room(), refusedFirst) &&
      takeRequeued(room(), requeuedFirst);
    return { updates, ...(!isWhole && { isCutShort: true }) };
  };

  /** By number, as far as they are due from the first one on. */
  const readInBotOrder = (
    { destinationKey, round, isSkipping }: DueRow,
    limits: Limits,
    now: number,
  ): Due => {
    // What is to be skipped or released is between the others.
    if (isSkipping === 1) return { updates: [] };
    const { afterUpdateId, limit } = limits;
    const waiting = roundsOf(destinationKey, 0, round + 1).flatMap(
      (each) => selectWaiting.all(destinationKey, each, limit) as (DueColumns & { dueAt: number })[],
    );
    const others = inAnyOrder.fresh.all(destinationKey, afterUpdateId, limit) as DueColumns[];
    const inOrder = [...waiting, ...others.map((update) => ({ ...update, dueAt: 0 }))]
      .toSorted((a, b) => a.updateId - b.updateId)
      .slice(0, limit);
    const firstLater = inOrder.findIndex(({ dueAt }) => dueAt > now);
    const { updates, take } = fitting(limits);
    const isWhole = take(firstLater === -1 ? inOrder : inOrder.slice(0, firstLater));
    return { updates, ...(!isWhole && { isCutShort: true }) };
  };

  return (row, limits, now) => (row.order === "bot" ? readInBotOrder : readAny)(row, limits, now);
}

/** The columns of a destination `dest` that {@link DueRow} has beside its key and round. */
export const DUE_ROW = `ifnull(dest.skip_round - 1, 0) AS dueFromRound, dest.skip_through IS NOT NULL OR dest.is_releasing AS isSkipping,
  dest.settings ->> 'order' AS "order"`;

/** Whether a read with this order, as its holder knows it, gets updates. */
export function isOrder(read: DueRead["order"], order: DeliveryOrder | null): boolean {
  return (read ?? DEFAULT_SETTINGS.order) === (order ?? DEFAULT_SETTINGS.order);
}

/** Takes rows until the first that does not fit, since later rows must not overtake it. */
function fitting({ maxBytes = Number.POSITIVE_INFINITY }: Limits) {
  const updates: DueUpdate[] = [];
  let bytes = 0;
  const take = (rows: Iterable<unknown>): boolean => {
    for (const row of rows as Iterable<DueColumns>) {
      bytes += Buffer.byteLength(row.payload);
      if (bytes > maxBytes && updates.length > 0) return false;
      updates.push(toDueUpdate(row));
    }
    return true;
  };
  return { updates, take };
}

/** Without undefined properties, which would cost time between the threads. */
function toDueUpdate(row: DueColumns): DueUpdate {
  const { updateId, eventType, payload, createdAt, attemptCount, failureCount, cause } = row;
  const update: DueUpdate = { updateId, payload, createdAt, attemptCount, failureCount };
  if (eventType) update.eventType = eventType;
  if (cause) update.cause = cause;
  if (row.wasHeld === 1) update.wasHeld = true;
  if (row.channelKey) update.channelKey = row.channelKey;
  if (row.waitsFor) update.waitsFor = row.waitsFor;
  return update;
}
