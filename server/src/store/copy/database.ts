import type { Checksum } from "./checksum.js";
import type { Key, Row, Table, TableName } from "./table.js";

/** A database that is copied from or to, whatever its engine. Nobody else uses it meanwhile. */
export interface CopyDatabase {
  /** For messages; without a password. */
  readonly name: string;
  count(table: Table): Promise<number>;
  /** Rows in the order of their keys, above the key `after` when that is given. */
  read(table: Table, after: Key | undefined, limit: number): Promise<Row[]>;
  /** The highest keys generated so far, those of deleted rows included. */
  readKeyCounters(): Promise<KeyCounters>;
  close(): Promise<void>;
}

/** A database that can be copied to. No service starts on it between `begin` and `end`. */
export interface CopyTarget extends CopyDatabase {
  /** The progress of an unfinished copy; undefined when there is none. */
  readProgress(): Promise<TableProgress[] | undefined>;
  begin(progress: readonly TableProgress[]): Promise<void>;
  /** Writes rows, and the progress they make, in one transaction. */
  write(table: Table, rows: readonly Row[], progress: TableProgress): Promise<void>;
  /** Makes the database generate keys above these. */
  setKeyCounters(counters: KeyCounters): Promise<void>;
  end(): Promise<void>;
}

/** How far the copy of one table has come. */
export interface TableProgress extends Checksum {
  table: TableName;
  /** What was copied from; see `fingerprint.ts`. */
  source: string;
  lastKey?: Key;
}

/** Tables whose keys the database generates, in ascending order. */
export const GENERATED_KEYS = {
  bots: "bot_key",
  channels: "channel_key",
  events: "event_key",
  alerts: "alert_key",
} as const;

export type KeyCounters = Record<keyof typeof GENERATED_KEYS, number>;

/** A row of the table in which a target stores the progress. Both engines create it by the same SQL. */
export interface ProgressRow {
  table_name: string;
  source: string;
  last_key: string | null;
  row_count: number;
  sum: string;
}

export const CREATE_PROGRESS = `
  CREATE TABLE copy_progress (
    table_name text PRIMARY KEY, source text NOT NULL, last_key text, row_count bigint NOT NULL, sum text NOT NULL)`;

export function toProgress(row: ProgressRow): TableProgress {
  const lastKey = row.last_key === null ? {} : { lastKey: JSON.parse(row.last_key) as Key };
  return {
    table: row.table_name as TableName,
    source: row.source,
    rows: row.row_count,
    sum: row.sum,
    ...lastKey,
  };
}

/** The values of a {@link ProgressRow} after its name: source, last key, row count, sum. */
export function fromProgress({
  source,
  lastKey,
  rows,
  sum,
}: TableProgress): [string, string | null, number, string] {
  return [source, lastKey ? JSON.stringify(lastKey) : null, rows, sum];
}
