import type { AuditTargetType } from "../../domain/audit.js";
import { AUDIT_ENTRY } from "../../domain/events/event.js";
import type { SnapshotKind } from "../audited-verbs.js";

/** Whether a list of kinds of events in JSON names entries of the audit log: no other kind begins with `alert.`. */
const namesAudit = (json: string): string => `${json} LIKE '%"alert.%'`;

/** Whether the feed has entries of the audit log. */
export const FEED_HAS_AUDIT = "EXISTS (SELECT 1 FROM feed WHERE id = 1 AND partitions > 0 AND has_audit)";

/** Whether readers are told of changes of something: the id of a user who is erased is in the audit log alone. */
export const isTold = (target: SnapshotKind | AuditTargetType): boolean => target !== "user";

/** SQL of the keys of an owner's logs that hear of entries of the audit log. */
export const auditedLogs = (owner: string): string => `
      SELECT b.bot_key FROM bots b WHERE b.owner_user_id = ${owner} AND ${namesAudit("b.subscription")}
      UNION ALL
      SELECT d.log_key FROM webhook_logs l JOIN destinations d ON d.destination_key = l.log_key
      WHERE l.owner_user_id = ${owner} AND l.kind = 'alerts' AND ${namesAudit("d.settings")}`;

/**
 * Lets upkeep tell of an entry that was written, if anybody wants to hear of it: a row of `alerts` has its id.
 *
 * @param entry SQL of the owner, of the id as text, of the time, and of where they are from
 */
export const waitToTell = (entry: { owner: string; id: string; at: string; from?: string }): string => `
      INSERT INTO alerts (owner_user_id, event_type, payload, created_at)
      SELECT ${entry.owner}, '${AUDIT_ENTRY}', ${entry.id}, ${entry.at} ${entry.from ?? ""}
      WHERE ${FEED_HAS_AUDIT} OR EXISTS (${auditedLogs(entry.owner)})`;
