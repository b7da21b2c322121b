import type { DeliveryStats, TrackedUpdate, Update } from "../../domain/update.js";
import { present } from "../present.js";
import type { Database } from "./binding.js";
import { OLDEST_PENDING_AT } from "./oldest-pending.js";
import { stateOf } from "./states.js";
import type { Verbs } from "./verbs.js";

type UpdateVerbs = Pick<Verbs, "readUpdates" | "listRecentUpdates" | "listDeliveryErrors" | "readStats">;

/** Above every number of an update. */
export const ABOVE_ALL = Number.MAX_SAFE_INTEGER;

/** While a lane rests, a retry that is due waits for the end of the rest: that is when it will really be tried. */
export const TRACKED = `u.update_id AS updateId, p.payload, p.created_at AS createdAt, u.state AS stateCode,
  u.attempt_count AS attemptCount, u.last_attempted_at AS lastAttemptedAt, u.delivered_at AS deliveredAt,
  ifnull(u.last_error, '') AS lastError, CASE WHEN u.state = 1 THEN max(u.due_at, l.resting_until) END AS nextRetryAt`;

export function updateVerbs(db: Database): UpdateVerbs {
  const selectBotKey = db.prepare("SELECT bot_key AS key FROM bots WHERE id = ?");
  const selectUpdates = db.prepare(`
    SELECT u.update_id AS updateId, p.payload, p.created_at AS createdAt
    FROM updates u JOIN posts p USING (post_key)
    WHERE u.bot_key = ? AND u.update_id > ? ORDER BY u.update_id LIMIT +?`);
  const selectRecent = db.prepare(`
    SELECT ${TRACKED}
    FROM bots b JOIN lanes l USING (bot_key) JOIN updates u USING (bot_key) JOIN posts p USING (post_key)
    WHERE b.id = ? AND u.update_id < ? ORDER BY u.update_id DESC LIMIT +?`);
  const selectErrors = db.prepare(`
    SELECT ${TRACKED}
    FROM bots b JOIN lanes l USING (bot_key) JOIN updates u INDEXED BY updates_with_error USING (bot_key)
      JOIN posts p USING (post_key)
    WHERE b.id = ? AND u.update_id < ? AND u.last_error IS NOT NULL ORDER BY u.update_id DESC LIMIT +?`);
  const selectStats = db.prepare(`
    SELECT l.last_update_id AS total, l.scheduled_count AS scheduled, l.delivered_count AS delivered,
      l.failed_count AS failed, l.last_update_id - l.scheduled_count - l.delivered_count - l.failed_count AS pending,
      l.channel_count AS attachedChannels, ${OLDEST_PENDING_AT} AS oldestPendingAt, l.last_update_at AS lastUpdateAt, l.last_attempted_at AS lastAttemptedAt,
      l.last_delivered_at AS lastDeliveredAt
    FROM bots b JOIN lanes l USING (bot_key) WHERE b.id = ? AND b.owner_user_id = ?`);

  return {
    readUpdates(botId, offset, limit) {
      const bot = selectBotKey.get(botId) as { key: number } | undefined;
      return bot ? (selectUpdates.all(bot.key, offset, limit) as Update[]) : [];
    },
    listRecentUpdates: (botId, limit, before = ABOVE_ALL) =>
      selectRecent.all(botId, before, limit).map(tracked),
    listDeliveryErrors: (botId, limit, before = ABOVE_ALL) =>
      selectErrors.all(botId, before, limit).map(tracked),
    readStats({ botId, ownerUserId }) {
      const row = selectStats.get(botId, ownerUserId);
      return row ? present<DeliveryStats>(row) : undefined;
    },
  };
}

export function tracked(row: unknown): TrackedUpdate {
  const { stateCode, ...update } = present<Omit<TrackedUpdate, "state"> & { stateCode: number }>(row);
  return { ...update, state: stateOf(stateCode) };
}
