import type { Slice } from "../../../domain/events/page.js";
import type { DeliveryStats, TrackedUpdate, Update } from "../../../domain/events/update.js";
import { omitNulls } from "../../omit-nulls.js";
import type { Database } from "../binding.js";
import { OLDEST_PENDING_AT } from "../delivery/oldest-pending.js";
import { IS_REQUEUED } from "../delivery/requeueing.js";
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

/** Whether an update `u` of a lane `l` waits for a retry. */
export const IS_SCHEDULED = `(u.state = 1 AND NOT ifnull(${IS_REQUEUED}, 0))`;

/** While a lane rests, a due retry is made at the end of the rest. While a lane is closed, no retry has a time. */
export const TRACKED = `u.update_id AS updateId, p.event_type AS eventType, p.payload, p.created_at AS createdAt,
  (SELECT c.id FROM channels c WHERE c.channel_key = abs(p.channel_key)) AS channelId,
  CASE WHEN u.state = 1 AND ${IS_REQUEUED} THEN 0 ELSE u.state END AS stateCode,
  u.attempt_count AS attemptCount, u.last_attempted_at AS lastAttemptedAt, u.delivered_at AS deliveredAt,
  ifnull(u.last_error, '') AS lastError,
  CASE WHEN ${IS_SCHEDULED} AND l.is_open THEN max(u.due_at, l.resting_until) END AS nextRetryAt`;

/** A slice of the updates of a bot that are numbered above `offset`. */
export type LogReader = (botKey: number, offset: number, limit: number, maxBytes: number) => Slice<Update>;

export function logReader(db: Database): LogReader {
  const fromUpdates = `
    FROM updates u JOIN posts p USING (post_key)
    WHERE u.bot_key = ? AND u.update_id > ? ORDER BY u.update_id LIMIT +?`;
  const update = "u.update_id AS updateId, p.event_type AS eventType, p.payload, p.created_at AS createdAt";
  const selectUpdates = db.prepare(`SELECT ${update} ${fromUpdates}`);
  const readUpdates = sliceReader(db, update, fromUpdates);
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
    `FROM bots b JOIN lanes l USING (bot_key) JOIN updates u USING (bot_key) JOIN posts p USING (post_key)
    WHERE b.id = ? AND u.update_id < ? ORDER BY u.update_id DESC LIMIT +?`,
  );
  const readErrors = sliceReader(
    db,
    TRACKED,
    `FROM bots b JOIN lanes l USING (bot_key) JOIN updates u INDEXED BY updates_by_failure USING (bot_key)
      JOIN posts p USING (post_key)
    WHERE b.id = ? AND u.last_failed_at IS NOT NULL AND (u.last_failed_at, u.update_id) < (?, ?)
    ORDER BY u.last_failed_at DESC, u.update_id DESC LIMIT +?`,
  );
  const selectFailedAt = db.prepare(`
    SELECT u.last_failed_at AS failedAt FROM bots b JOIN updates u USING (bot_key)
    WHERE b.id = ? AND u.update_id = ? AND u.last_failed_at IS NOT NULL`);
  const selectStats = db.prepare(`
    SELECT ${TOTAL_UPDATES} AS total, ${WAITING_UPDATES} - l.scheduled_count AS pending,
      l.scheduled_count AS scheduled, l.delivered_count AS delivered, l.failed_count AS failed,
      l.skipped_count AS skipped, l.channel_count AS attachedChannels, ${OLDEST_PENDING_AT} AS oldestPendingAt,
      l.last_update_at AS lastUpdateAt, ${SLOWEST_CONSUMER_LAG} AS slowestConsumerLag,
      nullif(max(ifnull(l.last_attempted_at, 0), ifnull(l.earlier_attempted_at, 0)), 0) AS lastAttemptedAt,
      nullif(max(ifnull(l.last_delivered_at, 0), ifnull(l.earlier_delivered_at, 0)), 0) AS lastDeliveredAt
    FROM bots b JOIN lanes l USING (bot_key) WHERE b.id = ? AND b.owner_user_id = ?`);

  return {
    readUpdates(botId, offset, limit, maxBytes) {
      const bot = selectBotKey.get(botId) as { key: number } | undefined;
      return bot ? readLog(bot.key, offset, limit, maxBytes) : NOTHING;
    },
    listRecentUpdates: (botId, limit, before = ABOVE_ALL, maxBytes) =>
      trackedSlice(readRecent(maxBytes, botId, before, limit)),
    listDeliveryErrors(botId, limit, before, maxBytes) {
      if (before === undefined) return trackedSlice(readErrors(maxBytes, botId, ABOVE_ALL, ABOVE_ALL, limit));
      const last = selectFailedAt.get(botId, before) as { failedAt: number } | undefined;
      return last && trackedSlice(readErrors(maxBytes, botId, last.failedAt, before, limit));
    },
    readStats({ botId, ownerUserId }) {
      const row = selectStats.get(botId, ownerUserId);
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

function tracked(row: unknown): TrackedUpdate {
  const { stateCode, ...update } = omitNulls<Omit<TrackedUpdate, "state"> & { stateCode: number }>(row);
  return { ...update, state: stateOf(stateCode) };
}
