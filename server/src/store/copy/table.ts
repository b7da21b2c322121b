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
  | "owners"
  | "owner_usage"
  | "channels"
  | "attachments"
  | "events"
  | "edited_posts"
  | "idempotency_keys"
  | "entries"
  | "deliveries"
  | "failed_attempts"
  | "given_up"
  | "lanes"
  | "destinations"
  | "timeline"
  | "consumers"
  | "alerts"
  | "webhook_logs"
  | "audit"
  | "feed"
  | "deliveries_off"
  | "removed_bots"
  | "removed_channels"
  | "erased_posts"
  | "erased_users"
  | "sweeps";

/** `id` is a UUID as text, `flag` is 0 or 1. Any value may also be null. */
export type Kind = "integer" | "text" | "id" | "flag";

export type Row = (string | number | null)[];

/** The values of a primary key. */
export type Key = readonly (string | number)[];

/** The values of a row's primary key. */
export function keyOf(table: Table, row: Row): Key {
  const names = Object.keys(table.columns);
  return table.key.map((column) => row[names.indexOf(column)] as string | number);
}
