import type { Table } from "./table.js";

/** What the upkeep still has to erase, and how far it has come. */
export const REMAINS_TABLES: readonly Table[] = [
  {
    name: "removed_bots",
    key: ["bot_key"],
    columns: { bot_key: "integer", owner_user_id: "text" },
    batchRows: 5000,
  },
  {
    name: "removed_channels",
    key: ["channel_key"],
    columns: { channel_key: "integer", owner_user_id: "text" },
    batchRows: 5000,
  },
  {
    name: "erased_posts",
    key: ["event_key"],
    columns: { event_key: "integer", owner_user_id: "text" },
    batchRows: 5000,
  },
  {
    name: "erased_users",
    key: ["user_id"],
    columns: { user_id: "text", position: "integer", ended_at: "integer", again_at: "integer" },
    batchRows: 5000,
  },
  { name: "sweeps", key: ["kind"], columns: { kind: "text", event_key: "integer" }, batchRows: 5000 },
];
