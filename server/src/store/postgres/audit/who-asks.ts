import { auditValues } from "../../shared/rows/audit-rows.js";
import type { AuditContext } from "../../store.js";
import type { Value } from "../connection/connection.js";

/** The columns of the audit log that say who asked, with parameters from this number on; none when nobody does. */
export const whoFrom = (first: number) => ({
  columns: "owner_user_id, actor_type, actor_id, token_id, operation, request_id",
  values: Array.from({ length: 6 }, (_, at) => `$${first + at}::text`).join(", "),
  isAsked: `$${first}::text IS NOT NULL`,
});
/** The values of these. */
export const whoAsks = (audit: AuditContext | undefined): Value[] =>
  audit
    ? auditValues({ audit, target: { type: "channel", id: "" } }).slice(0, 6)
    : Array.from({ length: 6 }, () => null);
