import type { Kind, Table, TableName } from "./table.js";

/** How a column of the common form is read from and written to PostgreSQL's schema, where the two differ. */
interface Difference {
  /** What to select. */
  read: string;
  /** The columns to write, each with what goes into it; `r` is the row. */
  write: Record<string, string>;
}

const DIFFERENCES: Partial<Record<TableName, Record<string, Difference>>> = {
  timeline: {
    answer_times: {
      read: "array_to_string(answer_times, ',')",
      write: { answer_times: "string_to_array(r.answer_times, ',')::integer[]" },
    },
  },
  consumers: {
    done: {
      read: "array_to_string(done, ',')",
      write: { done: "string_to_array(r.done, ',')::bigint[]" },
    },
  },
  destinations: {
    window: { read: "send_window", write: { send_window: 'r."window"' } },
  },
  lanes: {
    // No lane is held during a copy. What its last holder had still to send becomes due when that lease expires.
    due_at: {
      read: "CASE WHEN holder IS NOT NULL AND is_open THEN coalesce(due_at, lease_until) ELSE due_at END",
      write: { due_at: "r.due_at" },
    },
  },
};

const TYPES: Record<Kind, string> = { integer: "bigint", text: "text", id: "uuid", flag: "bigint" };

/** Reads rows in the common form. Parameters: the key to read above when `isContinued`, then how many. */
export function selection({ name, key, columns }: Table, isContinued: boolean): string {
  const items = Object.entries(columns).map(([column, kind]) => readOf(name, column, kind));
  const above = isContinued ? `WHERE (${key.join()}) > (${key.map((_, i) => `$${i + 1}`).join()})` : "";
  return `SELECT ${items.join()} FROM ${name} ${above} ORDER BY ${key.join()} LIMIT $${isContinued ? key.length + 1 : 1}`;
}

/** Writes rows in the common form. Parameters: an array for each column. */
export function insertion({ name, columns }: Table): string {
  const names = Object.keys(columns).map((column) => `"${column}"`);
  const arrays = Object.values(columns).map((kind, i) => `$${i + 1}::${TYPES[kind]}[]`);
  const written = Object.entries(columns).flatMap(([column, kind]) =>
    Object.entries(writeOf(name, column, kind)),
  );
  return `
    INSERT INTO ${name} (${written.map(([column]) => column).join()}) OVERRIDING SYSTEM VALUE
    SELECT ${written.map(([, expression]) => expression).join()}
    FROM unnest(${arrays.join()}) AS r (${names.join()})`;
}

function readOf(table: TableName, column: string, kind: Kind): string {
  return DIFFERENCES[table]?.[column]?.read ?? (kind === "flag" ? `${column}::integer` : column);
}

function writeOf(table: TableName, column: string, kind: Kind): Record<string, string> {
  const own = DIFFERENCES[table]?.[column]?.write;
  return own ?? { [column]: kind === "flag" ? `r.${column} <> 0` : `r.${column}` };
}
