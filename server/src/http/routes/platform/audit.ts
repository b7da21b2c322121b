import { auditEntryBody } from "../../../domain/audit.js";
import type { Api, AppOptions } from "../../api.js";
import { AuditList, PlatformAuditQuery, toAuditFilter } from "../../schemas/audit.js";
import { answer } from "../../schemas/document/component.js";
import { failures } from "../../schemas/document/failures.js";
import { extension } from "../../surface.js";

/** `/v1/platform/audit` */
export function addAuditRoute(app: Api, { store }: AppOptions): void {
  app.get(
    "/v1/platform/audit",
    {
      schema: extension({
        operationId: "listAudit",
        summary: "See who changed what",
        description:
          "What owners, their bots and the platform changed, by which token and which request. Page by page with `before`; an empty page is the end.",
        querystring: PlatformAuditQuery,
        response: { 200: answer(AuditList, "The entries, newest first."), ...failures(400) },
      }),
    },
    async ({ query }) => {
      const entries = await store.listAudit(query.owner, toAuditFilter(query), query.limit);
      return { items: entries.map(auditEntryBody) };
    },
  );
}
