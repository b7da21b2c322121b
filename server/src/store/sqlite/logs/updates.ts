import { DEFAULT_WEBHOOK } from "../../../domain/delivery/webhook.js";
import type { Slice } from "../../../domain/events/page.js";
import type { DeliveryStats, TrackedUpdate, Update } from "../../../domain/events/update.js";
import { timesAt } from "../../shared/accepted-runs.js";
import { STATE_CODE } from "../../shared/delivery-states.js";
import { omitNulls } from "../../shared/omit-nulls.js";
import type { Database } from "../binding.js";
import { IS_THERE } from "../bots/webhooks.js";
import { DELIVERY_OF_ENTRY } from "../delivery/delivery-rows.js";
import { OLDEST_PENDING_AT } from "../delivery/oldest-pending.js";
import type { Verbs } from "../verbs.js";
import { SLOWEST_CONSUMER_LAG, TOTAL_UPDATES, WAITING_UPDATES } from "./counters.js";
import { sliceReader } from "./slices.js";
import { stateOf } from "./states.js";

type UpdateVerbs = Pick<Verbs, "readUpdates" | "listRecentUpdates" | "listDeliveryErrors" | "readStats">;

/** Above every update number. */
export const ABOVE_ALL = Number.MAX_SAFE_INTEGER;

/**
 * Most polls return fewer updates than this; so few are read without reading their lengths first, which would cost as
 * much.
 */
const FEW_ROWS = 2;

/**
 * An entry `e` with what came of its delivery `d`, at the destination `dest`, beside its lane `l`. What waits in an earlier round is pending. While a lane rests, a due retry
 * is made at the end of the rest. While a lane is closed, no retry has a time.
 */
export const TRACKED = `e.number AS updateId, p.event_type AS eventType, p.payload, p.created_at AS createdAt,
  (SELECT c.id FROM channels c WHERE c.channel_key = p.channel_key) AS channelId,
  CASE WHEN d.state IS NULL OR d.state = ${STATE_CODE.held} OR d.state = ${STATE_CODE.waiting} AND d.round < dest.round THEN 0 ELSE d.state END AS stateCode,
  ifnull(d.attempt_count, 0) AS attemptCount, d.last_attempted_at AS lastAttemptedAt, d.delivered_at AS deliveredAt,
  d.times, e.number - d.first_number AS indexInRun, ifnull(d.last_error, '') AS lastError,
  CASE WHEN d.state = ${STATE_CODE.waiting} AND d.round = dest.round AND l.is_open THEN max(d.due_at, dest.resting_until) END AS nextRetryAt`;

/** Of a row of {@link TRACKED}: the times of an update that was accepted at once are with those of its run. */
type TrackedRow = Omit<TrackedUpdate, "state"> & {
  stateCode: number;
  times: string | null;
  indexInRun: number;
};

/** A slice of the updates of a bot that are numbered above `offset`. */
export type LogReader = (botKey: number, offset: number, limit: number, maxBytes: number) => Slice<Update>;

export function logReader(db: Database): LogReader {
  const fromEntries = `
    FROM entries e JOIN events p ON p.event_key = e.event_key
    WHERE e.log_key = ? AND e.number > ? ORDER BY e.number LIMIT +?`;
  const update = "e.number AS updateId, p.event_type AS eventType, p.payload, p.created_at AS createdAt";
  const selectUpdates = db.prepare(`SELECT ${update} ${fromEntries}`);
  const readUpdates = sliceReader(db, update, fromEntries);
  return (botKey, offset, limit, maxBytes) => {
    if (limit > FEW_ROWS) {
      const few = selectUpdates.all(botKey, offset, FEW_ROWS).map(toUpdate);
      if (few.length < FEW_ROWS) return { items: few, bytes: payloadBytes(few), isCut: false };
    }
    const { items, ...slice } = readUpdates(maxBytes, botKey, offset, limit);
    return { ...slice, items: items.map(toUpdate) };
  };
}

export function updateVerbs(db: Database, readLog: LogReader): UpdateVerbs {
  const selectBotKey = db.prepare("SELECT bot_key AS key FROM bots WHERE id = ?");
  const readRecent = sliceReader(
    db,
    TRACKED,
    `FROM destinations dest JOIN lanes l ON l.bot_key = dest.destination_key
      JOIN entries e ON e.log_key = dest.log_key JOIN events p ON p.event_key = e.event_key
      ${DELIVERY_OF_ENTRY}
    WHERE dest.id = ? AND e.number < ? ORDER BY e.number DESC LIMIT +?`,
  );
  const readErrors = sliceReader(
    db,
    TRACKED,
    `FROM destinations dest JOIN lanes l ON l.bot_key = dest.destination_key
      CROSS JOIN deliveries d INDEXED BY deliveries_by_failure ON d.destination_key = dest.destination_key
      CROSS JOIN entries e ON e.log_key = dest.log_key AND e.number = d.first_number
      CROSS JOIN events p ON p.event_key = e.event_key
    WHERE dest.id = ? AND d.last_failed_at IS NOT NULL AND (d.last_failed_at, d.first_number) < (?, ?)
    ORDER BY d.last_failed_at DESC, d.first_number DESC LIMIT +?`,
  );
  const selectFailedAt = db.prepare(`
    SELECT d.last_failed_at AS failedAt FROM destinations dest JOIN deliveries d USING (destination_key)
    WHERE dest.id = ? AND d.first_number = ? AND d.last_failed_at IS NOT NULL`);
  const selectStats = db.prepare(`
    SELECT ${TOTAL_UPDATES} AS total, ${WAITING_UPDATES} - dest.scheduled_count AS pending,
      dest.scheduled_count AS scheduled, dest.delivered_count AS delivered, dest.failed_count AS failed,
      dest.skipped_count AS skipped, log.channel_count AS attachedChannels, ${OLDEST_PENDING_AT} AS oldestPendingAt,
      log.last_update_at AS lastUpdateAt, ${SLOWEST_CONSUMER_LAG} AS slowestConsumerLag,
      nullif(max(ifnull(dest.last_attempted_at, 0), ifnull(dest.earlier_attempted_at, 0)), 0) AS lastAttemptedAt,
      nullif(max(ifnull(dest.last_delivered_at, 0), ifnull(dest.earlier_delivered_at, 0)), 0) AS lastDeliveredAt
    FROM bots b JOIN lanes log USING (bot_key) JOIN destinations dest ON dest.log_key = b.bot_key
    WHERE b.id = ? AND b.owner_user_id = ? AND dest.name = ? AND ${IS_THERE}`);

  return {
    readUpdates(botId, offset, limit, maxBytes) {
      const bot = selectBotKey.get(botId) as { key: number } | undefined;
      return bot ? readLog(bot.key, offset, limit, maxBytes) : NOTHING;
    },
    listRecentUpdates: (destinationId, limit, before = ABOVE_ALL, maxBytes) =>
      trackedSlice(readRecent(maxBytes, destinationId, before, limit)),
    listDeliveryErrors(destinationId, limit, before, maxBytes) {
      if (before === undefined)
        return trackedSlice(readErrors(maxBytes, destinationId, ABOVE_ALL, ABOVE_ALL, limit));
      const last = selectFailedAt.get(destinationId, before) as { failedAt: number } | undefined;
      return last && trackedSlice(readErrors(maxBytes, destinationId, last.failedAt, before, limit));
    },
    readStats({ botId, ownerUserId, name = DEFAULT_WEBHOOK }) {
      const row = selectStats.get(botId, ownerUserId, name);
      return row ? omitNulls<DeliveryStats>(row) : undefined;
    },
  };
}

const NOTHING: Slice<never> = { items: [], bytes: 0, isCut: false };

/** Without undefined properties, which would cost time between the threads. */
function toUpdate(row: unknown): Update {
  const { updateId, eventType, payload, createdAt } = row as Update;
  return eventType ? { updateId, eventType, payload, createdAt } : { updateId, payload, createdAt };
}

function payloadBytes(updates: readonly Update[]): number {
  return updates.reduce((bytes, { payload }) => bytes + Buffer.byteLength(payload), 0);
}

/** Rows of {@link TRACKED}. */
export function trackedSlice({ items, ...slice }: Slice<unknown>): Slice<TrackedUpdate> {
  return { ...slice, items: items.map(tracked) };
}

/** Each column by name: to take some out of a row costs more than to read it. */
function tracked(row: unknown): TrackedUpdate {
  const { updateId, eventType, payload, createdAt, channelId, stateCode, attemptCount } = row as TrackedRow;
  const { lastAttemptedAt, deliveredAt, times, indexInRun, lastError, nextRetryAt } = row as TrackedRow;
  const run = times === null ? undefined : timesAt(times, indexInRun);
  return omitNulls<TrackedUpdate>({
    updateId,
    eventType,
    payload,
    createdAt,
    channelId,
    state: stateOf(stateCode),
    attemptCount,
    lastAttemptedAt: run ? run.attemptedAt : lastAttemptedAt,
    deliveredAt: run ? run.deliveredAt : deliveredAt,
    lastError,
    nextRetryAt,
  });
}
