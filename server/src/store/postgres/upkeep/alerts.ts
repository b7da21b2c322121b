import { type AuditEntry, auditEntryBody } from "../../../domain/audit.js";
import { ALERT_PATTERNS, type AlertKind } from "../../../domain/events/alert.js";
import { ACTOR_NUMBERS, AUDIT_ENTRY } from "../../../domain/events/event.js";
import { newId } from "../../../domain/ids.js";
import type { UpkeepStep } from "../../parts/upkeep-store.js";
import { auditedLogs, FEED_HAS_AUDIT } from "../../shared/audit-readers.js";
import { type AuditRow, toAuditEntry } from "../../shared/rows/audit-rows.js";
import type { LogHead } from "../../store.js";
import { SELECT_ENTRIES } from "../audit/audit.js";
import { type Database, type Statement, uuid } from "../connection/connection.js";
import type { DatabaseClock } from "../connection/database-clock.js";
import { appendToFeed, FEED_HEADS, forceExecutionOrder } from "../feed/feed-events.js";
import { APPEND_EVENT, eventValues, HEADS, type HeadRows, headsOf, storeEvent } from "../logs/log-growth.js";

interface AlertRow {
  alertKey: number;
  ownerUserId: string;
  kind: AlertKind;
  /** Of an entry of the audit log its id. */
  payload: string;
  /** By the database's clock. */
  createdAt: number;
}

/** The oldest alerts of the owner after $1, of the first one if there is none, $2 at most. */
const selectNext = (name: string, owners: string): Statement => ({
  name,
  text: `
    SELECT alert_key AS "alertKey", owner_user_id AS "ownerUserId", event_type AS kind, payload, created_at AS "createdAt"
    FROM alerts
    WHERE owner_user_id = (SELECT owner_user_id FROM alerts WHERE ${owners} ORDER BY owner_user_id LIMIT 1)
    ORDER BY alert_key LIMIT $2`,
});
const SELECT_OF_NEXT = selectNext("select-alerts-of-next-owner", "owner_user_id > $1");
const SELECT_OF_FIRST = selectNext("select-alerts-of-first-owner", "owner_user_id >= $1");
/** Removes the alert $6, so that it is told once: an instance that has lost the upkeep finds it gone, and tells nobody. */
const TAKE = "alert AS (DELETE FROM alerts WHERE alert_key = $6 RETURNING owner_user_id)";
/**
 * Appends an alert to the logs of those who hear of it. $6: its key, $7: the owner, $8: the entries of a subscription that match its kind, as
 * JSON.
 */
const TELL_OF_WEBHOOK: Statement = {
  name: "tell-alert",
  text: `
    WITH ${TAKE},
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
/** Appends an entry of the audit log to the logs of those who hear of it, and to the feed. $8: the actor as a number, $9: the bot that acted. */
const TELL_OF_ENTRY: Statement = {
  name: "tell-audit-entry",
  text: `
    WITH ${TAKE},
    recipients AS (SELECT one.bot_key FROM alert CROSS JOIN LATERAL (${auditedLogs("alert.owner_user_id")}) one),
    stored AS (${storeEvent("0", "NULL::bigint", "recipients", "$7")}),
    ${APPEND_EVENT},
    ${appendToFeed(
      `SELECT $2::text AS event_type, owner_user_id, ($3::text)::json AS payload FROM alert WHERE ${FEED_HAS_AUDIT}`,
      "$8",
      forceExecutionOrder("grown"),
      "(SELECT bot_key FROM bots WHERE id = $9::uuid)",
    )}
    SELECT ${HEADS} UNION ALL SELECT ${FEED_HEADS}`,
};
/** An entry that has been removed meanwhile is told to nobody. */
const FORGET: Statement = { name: "forget-alert", text: "DELETE FROM alerts WHERE alert_key = $1" };

/** Entries of logs that a step appends at most, beside those of the alert with which it comes to that. */
const MAX_APPENDED = 1_000;

/** Appends alerts that wait to the logs of those of their owner who hear of them: of one owner after the other, the oldest first. */
export function alertStep(db: Database, clock: DatabaseClock): (limit: number) => Promise<UpkeepStep> {
  const valuesOf = ({ alertKey, ownerUserId, kind, createdAt }: AlertRow, payload: string) => [
    ...eventValues({ id: newId(), eventType: kind, payload, createdAt: clock.fromDatabase(createdAt) }),
    clock.aheadMs(),
    alertKey,
    ownerUserId,
  ];

  const tellOfEntry = async (alert: AlertRow, entry: AuditEntry | undefined): Promise<LogHead[]> => {
    if (!entry) {
      await db.query(FORGET, [alert.alertKey]);
      return [];
    }
    const { by } = entry;
    const told = await db.query<{ heads: HeadRows }>(TELL_OF_ENTRY, [
      ...valuesOf(alert, JSON.stringify(auditEntryBody(entry))),
      ACTOR_NUMBERS[by.type],
      by.type === "bot" ? uuid(by.id) : null,
    ]);
    return told.flatMap(({ heads }) => headsOf(heads));
  };

  const tellOfWebhook = async (alert: AlertRow, patterns: string): Promise<LogHead[]> => {
    const [told] = await db.query<{ heads: HeadRows }>(TELL_OF_WEBHOOK, [
      ...valuesOf(alert, alert.payload),
      patterns,
    ]);
    return headsOf(told?.heads);
  };

  /** Whose alerts the step before told. */
  let lastOwner: string | undefined;

  const nextAlerts = async (limit: number): Promise<AlertRow[]> => {
    const after = lastOwner === undefined ? [] : await db.query<AlertRow>(SELECT_OF_NEXT, [lastOwner, limit]);
    const alerts = after.length > 0 ? after : await db.query<AlertRow>(SELECT_OF_FIRST, ["", limit]);
    lastOwner = alerts[0]?.ownerUserId;
    return alerts;
  };

  return async (limit) => {
    const alerts = await nextAlerts(limit);
    const ids = alerts.flatMap(({ kind, payload }) => (kind === AUDIT_ENTRY ? [payload] : []));
    const rows = ids.length > 0 ? await db.query<AuditRow>(SELECT_ENTRIES, [ids]) : [];
    const entries = new Map(rows.map((row) => [row.id, toAuditEntry(row)]));
    const heads: LogHead[] = [];
    for (const alert of alerts) {
      if (heads.length >= MAX_APPENDED) break;
      const { kind, payload } = alert;
      const told =
        kind === AUDIT_ENTRY
          ? await tellOfEntry(alert, entries.get(payload))
          : await tellOfWebhook(alert, ALERT_PATTERNS[kind]);
      heads.push(...told);
    }
    return { isMore: alerts.length > 0, heads };
  };
}
