import type { Table } from "./table.js";

export const AUDIT_TABLE: Table = {
  name: "audit",
  key: ["id"],
  columns: {
    id: "id",
    owner_user_id: "text",
    actor_type: "text",
    actor_id: "text",
    token_id: "text",
    operation: "text",
    request_id: "text",
    target_type: "text",
    target_id: "text",
    channel_id: "id",
    target_name: "text",
    changes: "text",
  },
  batchRows: 1000,
};
