import { FIRST_FEED_KEY } from "#botyard/store/parts/feed-store.js";
import { engine } from "./engines.js";
import type { SqlConnection } from "./stored-rows.js";

/** Those of the tables of today that can hold text, the same for all databases of an engine. */
let columns: { table: string; columns: string }[] | undefined;

/** @returns the tables in which one of these texts occurs, whichever cell they are in */
export async function tablesWith(sql: SqlConnection, texts: readonly string[]): Promise<string[]> {
  columns ??= (await sql.run(COLUMNS)) as { table: string; columns: string }[];
  const placeholders = texts.map((_, index) => (engine.name === "sqlite" ? "(?)" : `($${index + 1}::text)`));
  const selects = columns.map(
    ({ table, columns: all }) =>
      `SELECT DISTINCT '${table.replace(/.*\./, "")}' AS name FROM (SELECT concat_ws(' ', ${all}) AS row FROM ${table}) r, sought
        WHERE row LIKE '%' || sought.text || '%'`,
  );
  const sought = `WITH sought (text) AS (VALUES ${placeholders.join(", ")})`;
  const rows = (await sql.run(`${sought} ${selects.join(" UNION ")}`, texts)) as { name: string }[];
  return rows.map(({ name }) => name);
}

/** By table, with commas in between. Usage keeps the user ids of owners who were erased, for the bill, and the directory of cells to know them. Numbers hold no text of ours; SQLite's tables are strict. */
const COLUMNS =
  engine.name === "sqlite"
    ? `SELECT m.name AS "table", group_concat(c.name) AS columns FROM sqlite_master m, pragma_table_info(m.name) c
      WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name <> 'owner_usage' AND c.type = 'TEXT' GROUP BY m.name`
    : `SELECT table_schema || '.' || table_name AS "table", string_agg(column_name, ',') AS columns FROM information_schema.columns
      WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_name NOT IN ('owner_usage', 'directory_owners')
        AND data_type NOT IN ('bigint', 'integer', 'smallint', 'boolean') GROUP BY table_schema, table_name`;

const IN = (key: string, table: string, column: string, condition = "true") =>
  `EXISTS (SELECT 1 FROM ${table} t WHERE t.${column} = ${key} AND ${condition})`;

const LOG_OF = (row: string) =>
  `(SELECT log_key FROM destinations o WHERE o.destination_key = ${row}.destination_key)`;

/** Rows that refer to what is not there, counters that differ from what they count, and logs with gaps. */
const FAULTS: Record<string, string> = {
  "entries without a log": `entries r WHERE NOT ${IN("r.log_key", "lanes", "bot_key")}`,
  "entries without an event": `entries r WHERE NOT ${IN("r.event_key", "events", "event_key")}`,
  "deliveries without a destination": `deliveries r WHERE NOT ${IN("r.destination_key", "destinations", "destination_key")}`,
  "deliveries without an entry": `deliveries r WHERE NOT ${IN(LOG_OF("r"), "entries", "log_key", "t.number BETWEEN r.first_number AND r.last_number")}`,
  "deliveries that overlap": `deliveries r WHERE ${IN("r.destination_key", "deliveries", "destination_key", "t.first_number > r.first_number AND t.first_number <= r.last_number")}`,
  "attempts without an update": `failed_attempts r WHERE NOT ${IN(LOG_OF("r"), "entries", "log_key", "t.number = r.number")}`,
  "given up without an update": `given_up r WHERE NOT ${IN("r.bot_key", "entries", "log_key", "t.number = r.update_id")}`,
  "timelines without a destination": `timeline r WHERE NOT ${IN("r.destination_key", "destinations", "destination_key")}`,
  "consumers without a log": `consumers r WHERE NOT ${IN("r.bot_key", "lanes", "bot_key")}`,
  "lanes without a destination": `lanes r WHERE r.bot_key < ${FIRST_FEED_KEY} AND NOT ${IN("r.bot_key", "destinations", "destination_key")}`,
  "bots without a lane": `bots r WHERE NOT ${IN("r.bot_key", "lanes", "bot_key")}`,
  "destinations without a log": `destinations r WHERE NOT ${IN("r.log_key", "bots", "bot_key", "t.owner_user_id = r.owner_user_id")}
    AND NOT ${IN("r.log_key", "webhook_logs", "log_key", "t.owner_user_id = r.owner_user_id")}`,
  "logs of no bot without a destination": `webhook_logs r WHERE NOT ${IN("r.log_key", "destinations", "destination_key")}`,
  "destinations without a lane": `destinations r WHERE NOT ${IN("r.destination_key", "lanes", "bot_key")}`,
  "attachments without a log": `attachments r WHERE NOT ${IN("r.bot_key", "lanes", "bot_key")}`,
  "attachments without a channel": `attachments r WHERE NOT ${IN("r.channel_key", "channels", "channel_key")}`,
  "events without a channel": `events r WHERE r.channel_key <> 0 AND NOT ${IN("r.channel_key", "channels", "channel_key")}`,
  "events without their subject": `events r WHERE r.subject_key > 0 AND NOT ${IN("r.subject_key", "events", "event_key")}`,
  "events without their bot": `events r WHERE r.subject_key < 0 AND NOT ${IN("-r.subject_key", "lanes", "bot_key")}`,
  "revisions without a post": `edited_posts r WHERE NOT ${IN("r.event_key", "events", "event_key", "t.is_listed")}`,
  "keys without a target": `idempotency_keys r WHERE NOT ${IN("r.target_key", "channels", "channel_key")}
    AND NOT ${IN("-r.target_key", "bots", "bot_key")}`,
  "remains of bots": "removed_bots r",
  "remains of channels": "removed_channels r",
  "remains of posts": "erased_posts r",
  "wrong counts of channels": `lanes r WHERE r.bot_key < ${FIRST_FEED_KEY} AND r.channel_count <> (
    SELECT count(*) FROM attachments a WHERE a.bot_key = r.bot_key)`,
  "logs with gaps": `lanes r WHERE EXISTS (SELECT 1 FROM entries e WHERE e.log_key = r.bot_key) AND (
    SELECT count(*) - 1 + min(e.number) FROM entries e WHERE e.log_key = r.bot_key) <> r.last_update_id`,
};

/** @returns what is wrong with the rows of a database from which everything deleted has been erased */
export async function faultsIn(sql: SqlConnection): Promise<string[]> {
  const selects = Object.entries(FAULTS).map(
    ([what, from]) => `SELECT '${what}' AS what, count(*) AS rows FROM ${from} HAVING count(*) > 0`,
  );
  const faults = (await sql.run(selects.join(" UNION ALL "))) as { what: string; rows: number }[];
  return faults.map(({ what, rows }) => `${rows} ${what}`);
}
