/**
 * What a copy carries over, in the one form in which it reads and writes every engine: a row is an array with a value for
 * each column named here. A test compares these lists with the engines' schemas, so that no column is forgotten.
 */
export interface Table {
  name: TableName;
  /** The columns of the primary key: the order in which rows are read, and by which an interrupted copy continues. */
  key: readonly string[];
  columns: Readonly<Record<string, Kind>>;
  /** Rows that are read, held in memory and written together. */
  batchRows: number;
}

export type TableName =
  | "bots"
  | "channels"
  | "attachments"
  | "posts"
  | "edited_posts"
  | "idempotency_keys"
  | "entries"
  | "deliveries"
  | "failed_attempts"
  | "lanes"
  | "destinations"
  | "timeline"
  | "consumers"
  | "feed"
  | "deliveries_off"
  | "removed_bots"
  | "removed_channels"
  | "erased_posts"
  | "sweeps";

/** `id` is a UUID as text, `flag` is 0 or 1. Any value may also be null. */
export type Kind = "integer" | "text" | "id" | "flag";

export type Row = (string | number | null)[];

export const TABLES: readonly Table[] = [
  {
    name: "bots",
    key: ["bot_key"],
    columns: {
      bot_key: "integer",
      id: "id",
      bot_user_id: "id",
      owner_user_id: "text",
      username: "text",
      display_name: "text",
      description: "text",
      token_hash: "text",
      created_at: "integer",
      updated_at: "integer",
      disabled_at: "integer",
      subscription: "text",
      metadata: "text",
    },
    batchRows: 1000,
  },
  {
    name: "channels",
    key: ["channel_key"],
    columns: {
      channel_key: "integer",
      id: "id",
      slug: "text",
      title: "text",
      description: "text",
      owner_user_id: "text",
      created_at: "integer",
      external_id: "text",
      metadata: "text",
    },
    batchRows: 1000,
  },
  {
    name: "attachments",
    key: ["channel_key", "bot_key"],
    columns: {
      channel_key: "integer",
      bot_key: "integer",
      role: "text",
      attached_by: "text",
      post_filter: "integer",
      hears_custom: "flag",
      hears_others: "flag",
    },
    batchRows: 5000,
  },
  {
    name: "posts",
    key: ["post_key"],
    columns: {
      post_key: "integer",
      id: "id",
      channel_key: "integer",
      created_at: "integer",
      payload: "text",
      event_type: "text",
      author_key: "integer",
      subject_key: "integer",
      owner_user_id: "text",
      acted_by: "integer",
      cause: "text",
    },
    // A payload has at most 40 KB, so a batch has at most 10 MB.
    batchRows: 250,
  },
  {
    name: "edited_posts",
    key: ["post_key"],
    columns: { post_key: "integer", revision: "integer", edited_at: "integer", payload: "text" },
    batchRows: 250,
  },
  {
    name: "idempotency_keys",
    key: ["target_key", "author", "key"],
    columns: {
      target_key: "integer",
      author: "text",
      key: "text",
      event_id: "id",
      created_at: "integer",
    },
    batchRows: 5000,
  },
  {
    name: "entries",
    key: ["log_key", "number"],
    columns: { log_key: "integer", number: "integer", event_key: "integer" },
    batchRows: 5000,
  },
  {
    name: "deliveries",
    key: ["destination_key", "first_number"],
    columns: {
      destination_key: "integer",
      first_number: "integer",
      last_number: "integer",
      state: "integer",
      attempt_count: "integer",
      failure_count: "integer",
      round: "integer",
      due_at: "integer",
      last_attempted_at: "integer",
      delivered_at: "integer",
      last_failed_at: "integer",
      last_error: "text",
      times: "text",
    },
    batchRows: 5000,
  },
  {
    name: "failed_attempts",
    key: ["bot_key", "update_id", "attempt"],
    columns: {
      bot_key: "integer",
      update_id: "integer",
      attempt: "integer",
      attempted_at: "integer",
      duration_ms: "integer",
      status: "integer",
      error: "text",
      response_body: "text",
    },
    // The stored beginning of a response has at most 3 KB as text.
    batchRows: 2500,
  },
  {
    name: "lanes",
    key: ["bot_key"],
    columns: {
      bot_key: "integer",
      last_update_id: "integer",
      last_update_at: "integer",
      channel_count: "integer",
      unused_count: "integer",
      gap_from: "integer",
      gap_through: "integer",
      is_open: "flag",
      due_at: "integer",
      resting_until: "integer",
    },
    batchRows: 5000,
  },
  {
    name: "destinations",
    key: ["destination_key"],
    columns: {
      destination_key: "integer",
      log_key: "integer",
      name: "text",
      url: "text",
      secret: "text",
      paused_at: "integer",
      version: "integer",
      changed_at: "integer",
      through_number: "integer",
      next_fresh_number: "integer",
      round: "integer",
      skip_through: "integer",
      skip_round: "integer",
      scheduled_count: "integer",
      delivered_count: "integer",
      failed_count: "integer",
      skipped_count: "integer",
      last_attempted_at: "integer",
      last_delivered_at: "integer",
      last_error: "text",
      earlier_attempted_at: "integer",
      earlier_delivered_at: "integer",
      failing_since: "integer",
      failures_in_row: "integer",
      last_failure_at: "integer",
      told_failing: "flag",
      window: "integer",
      failing_updates: "integer",
      last_failed_update_id: "integer",
      failed_probes: "integer",
      resting_until: "integer",
      generation: "integer",
    },
    batchRows: 1000,
  },
  {
    name: "timeline",
    key: ["bot_key", "starts_at"],
    columns: {
      bot_key: "integer",
      starts_at: "integer",
      delivered: "integer",
      retried: "integer",
      failed: "integer",
      answer_times: "text",
      oldest_ms: "integer",
      backlog: "integer",
    },
    batchRows: 5000,
  },
  {
    name: "consumers",
    key: ["bot_key", "slot"],
    columns: {
      bot_key: "integer",
      slot: "integer",
      name: "text",
      position: "integer",
      done: "text",
      created_at: "integer",
      last_polled_at: "integer",
      reader: "text",
      reader_until: "integer",
    },
    batchRows: 500,
  },
  {
    name: "feed",
    key: ["id"],
    columns: { id: "integer", feed_id: "text", first_key: "integer", partitions: "integer" },
    batchRows: 1,
  },
  { name: "deliveries_off", key: ["id"], columns: { id: "integer" }, batchRows: 1 },
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
    key: ["post_key"],
    columns: { post_key: "integer", owner_user_id: "text" },
    batchRows: 5000,
  },
  { name: "sweeps", key: ["kind"], columns: { kind: "text", post_key: "integer" }, batchRows: 5000 },
];

/** The values of a primary key. */
export type Key = readonly (string | number)[];

/** The values of a row's primary key. */
export function keyOf(table: Table, row: Row): Key {
  const names = Object.keys(table.columns);
  return table.key.map((column) => row[names.indexOf(column)] as string | number);
}
