import { auditEntryBody } from "../../../domain/audit.js";
import { ALERT_PATTERNS, type AlertKind } from "../../../domain/events/alert.js";
import { AUDIT_ENTRY } from "../../../domain/events/event.js";
import { newId } from "../../../domain/ids.js";
import type { UpkeepStep } from "../../parts/upkeep-store.js";
import { auditedLogs, FEED_HAS_AUDIT } from "../../shared/audit-readers.js";
import { type AuditRow, toAuditEntry } from "../../shared/rows/audit-rows.js";
import type { LogHead } from "../../store.js";
import { ENTRY_BY_ID } from "../audit/audit.js";
import type { Database } from "../binding.js";
import { eventWriter } from "../channels/channel-events.js";
import { feedAppender } from "../feed/feed-events.js";

interface AlertRow {
  alertKey: number;
  ownerUserId: string;
  kind: AlertKind;
  /** Of an entry of the audit log its id. */
  payload: string;
  createdAt: number;
}

/** Entries of logs that a step appends at most, beside those of the alert with which it comes to that. */
const MAX_APPENDED = 1_000;

/** Appends alerts that wait to the logs of those of their owner who hear of them: of one owner after the other, the oldest first. */
export function alertStep(db: Database): (limit: number) => UpkeepStep {
  /** The oldest alerts of the owner after ?1, ?2 at most. */
  const selectNext = (owners: string) =>
    db.prepare(`
    SELECT alert_key AS alertKey, owner_user_id AS ownerUserId, event_type AS kind, payload, created_at AS createdAt
    FROM alerts
    WHERE owner_user_id = (SELECT owner_user_id FROM alerts WHERE ${owners} ORDER BY owner_user_id LIMIT 1)
    ORDER BY alert_key LIMIT +?2`);
  const selectOfNext = selectNext("owner_user_id > ?1");
  const selectOfFirst = selectNext("owner_user_id >= ?1");
  const remove = db.prepare("DELETE FROM alerts WHERE alert_key = ?");
  /** ?1 the owner, ?2 the entries of a subscription that match the kind, as JSON. */
  const selectLogs = db.prepare(`
    SELECT bot_key FROM bots
    WHERE owner_user_id = ?1 AND subscription IS NOT NULL AND EXISTS (
      SELECT 1 FROM json_each(subscription, '$.eventTypes') e WHERE e.value IN (SELECT p.value FROM json_each(?2) p))
    UNION ALL SELECT log_key FROM webhook_logs WHERE owner_user_id = ?1 AND kind = 'alerts'`);
  const selectEntry = db.prepare(ENTRY_BY_ID);
  const selectAuditedLogs = db.prepare(auditedLogs("?1"));
  const feedHasAudit = db.prepare(`SELECT 1 WHERE ${FEED_HAS_AUDIT}`);
  const writeEvent = eventWriter(db);
  const appendToFeed = feedAppender(db);
  const findBot = db.prepare("SELECT bot_key AS botKey FROM bots WHERE id = ?");

  const keysOf = (rows: unknown[]) => (rows as { bot_key: number }[]).map((row) => row.bot_key);

  const tellOfWebhook = (
    { ownerUserId, kind, payload, createdAt }: AlertRow,
    patterns: string,
  ): LogHead[] => {
    const logs = keysOf(selectLogs.all(ownerUserId, patterns));
    if (logs.length === 0) return [];
    return writeEvent({ id: newId(), eventType: kind, payload, createdAt }, { ownerUserId }, logs);
  };

  /** Nobody is told of one that has been removed meanwhile. */
  const tellOfEntry = ({ ownerUserId, payload: id, createdAt }: AlertRow): LogHead[] => {
    const row = selectEntry.get(id) as AuditRow | undefined;
    if (!row) return [];
    const entry = toAuditEntry(row);
    const payload = JSON.stringify(auditEntryBody(entry));
    const event = { eventType: AUDIT_ENTRY, payload, createdAt };
    const logs = keysOf(selectAuditedLogs.all(ownerUserId));
    const heads = logs.length > 0 ? writeEvent({ ...event, id: newId() }, { ownerUserId }, logs) : [];
    if (!feedHasAudit.get()) return heads;
    const { type, id: actorId } = entry.by;
    const bot = type === "bot" ? (findBot.get(actorId) as { botKey: number } | undefined) : undefined;
    return [
      ...heads,
      ...appendToFeed({ ...event, id: newId() }, ownerUserId, { actor: type, actorKey: bot?.botKey }),
    ];
  };

  /** Whose alerts the step before told. */
  let lastOwner: string | undefined;

  const nextAlerts = (limit: number): AlertRow[] => {
    const after = lastOwner === undefined ? [] : selectOfNext.all(lastOwner, limit);
    const alerts = (after.length > 0 ? after : selectOfFirst.all("", limit)) as unknown as AlertRow[];
    lastOwner = alerts[0]?.ownerUserId;
    return alerts;
  };

  return (limit) => {
    const alerts = nextAlerts(limit);
    const heads: LogHead[] = [];
    for (const alert of alerts) {
      if (heads.length >= MAX_APPENDED) break;
      const { alertKey, kind } = alert;
      heads.push(...(kind === AUDIT_ENTRY ? tellOfEntry(alert) : tellOfWebhook(alert, ALERT_PATTERNS[kind])));
      remove.run(alertKey);
    }
    return { isMore: alerts.length > 0, heads };
  };
}
