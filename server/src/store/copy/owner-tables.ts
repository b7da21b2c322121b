import type { Table } from "./table.js";

/** What belongs to owners, and to none of their bots and channels. */
export const OWNER_TABLES: readonly Table[] = [
  {
    name: "owners",
    key: ["user_id"],
    columns: { user_id: "text", suspended_at: "integer", reason: "text", limits: "text", metadata: "text" },
    batchRows: 1000,
  },
  {
    name: "owner_usage",
    key: ["owner_user_id", "day"],
    columns: {
      owner_user_id: "text",
      day: "integer",
      posts: "integer",
      updates: "integer",
      deliveries: "integer",
      bytes: "integer",
    },
    batchRows: 5000,
  },
];
