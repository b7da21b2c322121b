import type { AuditEntry, List } from "../types.js";
import type { Connection } from "./connection.js";
import type { AuditOptions } from "./owner-options.js";

/** A page of the audit log. */
export function readAudit(
  connection: Connection,
  path: string,
  {
    limit,
    before,
    operation,
    target,
    from,
    to,
    owner,
    ...options
  }: AuditOptions & { owner?: string | undefined },
): Promise<List<AuditEntry>> {
  const query = { limit, before, operation, target, from, to, owner };
  return connection.send({ method: "GET", path, query, field: "items", ...options });
}
