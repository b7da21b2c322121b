import { ALERT_PATTERNS, type AlertKind } from "../../../domain/events/alert.js";
import { newId } from "../../../domain/ids.js";
import type { UpkeepStep } from "../../parts/upkeep-store.js";
import type { LogHead } from "../../store.js";
import type { Database, Statement } from "../connection/connection.js";
import type { DatabaseClock } from "../connection/database-clock.js";
import { APPEND_EVENT, eventValues, HEADS, type HeadRows, headsOf, storeEvent } from "../logs/log-growth.js";

interface AlertRow {
  alertKey: number;
  ownerUserId: string;
  kind: AlertKind;
  payload: string;
  /** By the database's clock. */
  createdAt: number;
}

const SELECT_OLDEST: Statement = {
  name: "select-oldest-alerts",
  text: `
    SELECT alert_key AS "alertKey", owner_user_id AS "ownerUserId", event_type AS kind, payload, created_at AS "createdAt"
    FROM alerts ORDER BY alert_key LIMIT $1`,
};
/**
 * Appends an alert to the logs of those who hear of it, and removes it, so that it is told once. $6: its key, $7: the owner, $8: the entries of
 * a subscription that match its kind, as JSON. An instance that has lost the upkeep finds it gone, and tells nobody.
 */
const TELL: Statement = {
  name: "tell-alert",
  text: `
    WITH alert AS (DELETE FROM alerts WHERE alert_key = $6 RETURNING owner_user_id),
    recipients AS (
      SELECT b.bot_key FROM alert JOIN bots b USING (owner_user_id)
      WHERE b.subscription IS NOT NULL AND EXISTS (
        SELECT FROM jsonb_array_elements_text(b.subscription::jsonb -> 'eventTypes') AS e (entry)
        WHERE e.entry IN (SELECT jsonb_array_elements_text($8::jsonb)))
      UNION ALL SELECT l.log_key FROM alert JOIN webhook_logs l USING (owner_user_id) WHERE l.kind = 'alerts'),
    stored AS (${storeEvent("0", "NULL::bigint", "recipients", "$7")}),
    ${APPEND_EVENT}
    SELECT ${HEADS}`,
};

/** Appends alerts that wait, the oldest first, to the logs of those of their owner who hear of them. */
export function alertStep(db: Database, clock: DatabaseClock): (limit: number) => Promise<UpkeepStep> {
  return async (limit) => {
    const alerts = await db.query<AlertRow>(SELECT_OLDEST, [limit]);
    const heads: LogHead[] = [];
    for (const { alertKey, ownerUserId, kind, payload, ...alert } of alerts) {
      const createdAt = clock.fromDatabase(alert.createdAt);
      const [told] = await db.query<{ heads: HeadRows }>(TELL, [
        ...eventValues({ id: newId(), eventType: kind, payload, createdAt }),
        clock.aheadMs(),
        alertKey,
        ownerUserId,
        ALERT_PATTERNS[kind],
      ]);
      heads.push(...headsOf(told?.heads));
    }
    return { isMore: alerts.length === limit, heads };
  };
}
