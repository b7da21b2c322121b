import { auditEntryBody } from "../../../domain/audit.js";
import type { Api, AppOptions } from "../../api.js";
import { AuditList, AuditQuery, toAuditFilter } from "../../schemas/audit.js";
import { answer } from "../../schemas/document/component.js";
import { failures } from "../../schemas/document/failures.js";
import { extension } from "../../surface.js";

/** `/v1/owner/audit` */
export function addOwnerAuditRoute(app: Api, { store }: AppOptions): void {
  app.get(
    "/v1/owner/audit",
    {
      schema: extension({
        operationId: "listOwnerAudit",
        summary: "See who changed what of yours",
        description:
          "What you, your bots and the platform changed, by which token and which request. Page by page with `before`; an empty page is the end.",
        querystring: AuditQuery,
        response: { 200: answer(AuditList, "The entries, newest first."), ...failures(400) },
      }),
    },
    async ({ owner, query }) => {
      const entries = await store.listAudit(owner.userId, toAuditFilter(query), query.limit);
      return { items: entries.map(auditEntryBody) };
    },
  );
}
