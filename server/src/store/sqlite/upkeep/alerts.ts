import { ALERT_PATTERNS, type AlertKind } from "../../../domain/events/alert.js";
import { newId } from "../../../domain/ids.js";
import type { UpkeepStep } from "../../parts/upkeep-store.js";
import type { LogHead } from "../../store.js";
import type { Database } from "../binding.js";
import { eventWriter } from "../channels/channel-events.js";

interface AlertRow {
  alertKey: number;
  ownerUserId: string;
  kind: AlertKind;
  payload: string;
  createdAt: number;
}

/** Appends alerts that wait, the oldest first, to the logs of those of their owner who hear of them. */
export function alertStep(db: Database): (limit: number) => UpkeepStep {
  const selectOldest = db.prepare(`
    SELECT alert_key AS alertKey, owner_user_id AS ownerUserId, event_type AS kind, payload, created_at AS createdAt
    FROM alerts ORDER BY alert_key LIMIT +?`);
  const remove = db.prepare("DELETE FROM alerts WHERE alert_key = ?");
  /** ?1 the owner, ?2 the entries of a subscription that match the kind, as JSON. */
  const selectLogs = db.prepare(`
    SELECT bot_key AS logKey FROM bots
    WHERE owner_user_id = ?1 AND subscription IS NOT NULL AND EXISTS (
      SELECT 1 FROM json_each(subscription, '$.eventTypes') e WHERE e.value IN (SELECT p.value FROM json_each(?2) p))
    UNION ALL SELECT log_key FROM webhook_logs WHERE owner_user_id = ?1 AND kind = 'alerts'`);
  const writeEvent = eventWriter(db);

  const tell = ({ ownerUserId, kind, payload, createdAt }: AlertRow): LogHead[] => {
    const logs = selectLogs.all(ownerUserId, ALERT_PATTERNS[kind]) as { logKey: number }[];
    if (logs.length === 0) return [];
    const event = { id: newId(), eventType: kind, payload, createdAt };
    return writeEvent(
      event,
      { ownerUserId },
      logs.map(({ logKey }) => logKey),
    );
  };

  return (limit) => {
    const alerts = selectOldest.all(limit) as unknown as AlertRow[];
    const heads: LogHead[] = [];
    for (const alert of alerts) {
      heads.push(...tell(alert));
      remove.run(alert.alertKey);
    }
    return { isMore: alerts.length === limit, heads };
  };
}
