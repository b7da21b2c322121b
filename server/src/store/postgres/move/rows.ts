import pg from "pg";
import { INTERACTION_AUTHOR } from "../../shared/change-keys.js";
import { guestOwner } from "../../shared/guests.js";
import {
  guestHears,
  type IntroduceGuests,
  isOfNeighbour,
  learnBotKeys,
  MAKE_BOT_KEYS,
  newBotKey,
} from "./guests.js";
import { OWNER_TABLES, type OwnerTable } from "./owner-tables.js";
import type { CellSession } from "./session.js";

/** Rows as JSON texts, which only the servers read: so no value changes on its way, and no column is named here. */
export type RowTexts = readonly string[];

const EVENT_KEYS = "pg_get_serial_sequence('events', 'event_key')";

/**
 * Events get new keys in the cell that they come to, above those that it has given out: its sweep, its counts and its walks over events go on in
 * the order of keys and do not return. All other keys stay. Known only to the session: a move that was interrupted begins anew.
 */
const MAKE_EVENT_KEYS = `
  CREATE TEMPORARY TABLE IF NOT EXISTS new_event_keys (event_key bigint PRIMARY KEY, new_key bigint NOT NULL UNIQUE);
  TRUNCATE new_event_keys`;
/** $1: events as JSON. An edit also names its post, which may be gone. */
const GIVE_KEYS = `
  INSERT INTO new_event_keys (event_key, new_key)
  SELECT key, nextval(${EVENT_KEYS}) FROM (
    SELECT DISTINCT key FROM json_populate_recordset(NULL::events, $1::json) r CROSS JOIN unnest(ARRAY[r.event_key, r.subject_key]) AS key
    WHERE key > 0 AND NOT EXISTS (SELECT FROM new_event_keys n WHERE n.event_key = key) ORDER BY key) k`;
/**
 * What is left of the same events, erased, from when the owner lived in the cell before: no log points at it, and a channel has each event once,
 * also where all erased ones are. $1: events as JSON.
 */
const REMOVE_LEFT = `
  DELETE FROM events e USING json_populate_recordset(NULL::events, $1::json) r
  WHERE e.channel_key = 0 AND NOT e.is_listed AND e.id = r.id AND NOT EXISTS (SELECT FROM new_event_keys n WHERE n.new_key = e.event_key)`;
const newKey = (key: string) => `(SELECT n.new_key FROM new_event_keys n WHERE n.event_key = ${key})`;

/** How rows of a table name an event by its key. All are SQL, about a row of this name. */
interface NamedEvent {
  column: string;
  /** The key; null where a row names none. */
  key(row: string): string;
  /** What the column has in the cell that the row comes to; null when the event is not there. */
  moved(row: string): string;
  /** Whether rows come to the cell that name no event, or none that is there. */
  mayBeNone?: boolean;
}

const BY_KEY: NamedEvent = {
  column: "event_key",
  key: (row) => `${row}.event_key`,
  moved: (row) => newKey(`${row}.event_key`),
};
/** Responses to an interaction have keys of their own, in its name. */
const BY_AUTHOR: NamedEvent = {
  column: "author",
  key: (row) =>
    `CASE WHEN starts_with(${row}.author, '${INTERACTION_AUTHOR}') THEN substr(${row}.author, ${INTERACTION_AUTHOR.length + 1})::bigint END`,
  moved: (row) =>
    `CASE WHEN starts_with(${row}.author, '${INTERACTION_AUTHOR}') THEN '${INTERACTION_AUTHOR}' || ${newKey(BY_AUTHOR.key(row))} ELSE ${row}.author END`,
};
const NAMED_EVENTS: Readonly<Record<string, NamedEvent>> = {
  events: BY_KEY,
  edited_posts: BY_KEY,
  entries: BY_KEY,
  idempotency_keys: BY_AUTHOR,
  failed_attempts: { ...BY_KEY, mayBeNone: true },
};

/** The columns in which rows of a table name bots. SQL about a row of this name; a key is null where a row names none. */
interface NamedBot {
  column: string;
  key(row: string): string;
  moved(row: string): string;
}

const namedBy = (column: string): NamedBot => ({
  column,
  key: (row) => `${row}.${column}`,
  moved: (row) => newBotKey(`${row}.${column}`),
});
/** An event to one bot has its key negated. What an edit or a response names is an event. */
const SUBJECT: NamedBot = {
  column: "subject_key",
  key: (row) => `CASE WHEN ${row}.subject_key < 0 THEN -${row}.subject_key END`,
  moved: (row) => `CASE WHEN ${row}.subject_key > 0 THEN ${newKey(`${row}.subject_key`)}
    WHEN ${row}.subject_key < 0 THEN -${newBotKey(`-${row}.subject_key`)} END`,
};
/** In whose name a bot's keys are: see `shared/change-keys.ts`. */
const BOT_AUTHOR = "^((?:emitter |(?:edit|deletion) [0-9a-f-]{36} )?bot )(\\d+)$";
const KEYED: NamedBot = {
  column: "author",
  key: (row) => `(regexp_match(${row}.author, '${BOT_AUTHOR}'))[2]::bigint`,
  moved: (row) => `CASE WHEN ${row}.author ~ '${BOT_AUTHOR}'
    THEN (regexp_match(${row}.author, '${BOT_AUTHOR}'))[1] || ${newBotKey(KEYED.key(row))} ELSE ${BY_AUTHOR.moved(row)} END`,
};
const NAMED_BOTS: Readonly<Record<string, readonly NamedBot[]>> = {
  events: [namedBy("author_key"), SUBJECT],
  attachments: [namedBy("bot_key")],
  idempotency_keys: [KEYED],
};

const SELECT_COLUMNS = `
  SELECT attrelid::regclass::name AS "table", array_agg(attname::text ORDER BY attnum) AS columns
  FROM pg_attribute WHERE attrelid = ANY ($1::regclass[]) AND attnum > 0 AND NOT attisdropped GROUP BY attrelid`;

export interface TableRows {
  /** The rows of these keys as they are now, and the keys that have none. */
  read(table: OwnerTable, keys: string): Promise<{ rows: RowTexts; gone: RowTexts }>;
  write(table: OwnerTable, rows: RowTexts): Promise<void>;
  remove(table: OwnerTable, keys: RowTexts): Promise<void>;
}

export const EVENTS = tableOf("events");

export function tableOf(name: string): OwnerTable {
  const table = OWNER_TABLES.find((one) => one.name === name);
  if (!table) throw new Error(`no such table: ${name}`);
  return table;
}

export async function tableRows(
  from: CellSession,
  to: CellSession,
  ownerUserId: string,
  introduce: IntroduceGuests,
): Promise<TableRows> {
  const learn = learnBotKeys(from, to, ownerUserId, introduce);
  await to.client.query(MAKE_EVENT_KEYS);
  await to.client.query(MAKE_BOT_KEYS);
  const { rows } = await to.client.query<{ table: string; columns: string[] }>(SELECT_COLUMNS, [
    `{${OWNER_TABLES.map(({ name }) => name).join()}}`,
  ]);
  const columns = new Map(rows.map(({ table, columns }) => [table, columns]));
  const statements = new Map(
    OWNER_TABLES.map((table) => [
      table.name,
      statementsOf(table, columns.get(table.name) ?? [], ownerUserId),
    ]),
  );
  const of = ({ name }: OwnerTable) => statements.get(name) as Statements;

  const read: TableRows["read"] = async (table, keys) => {
    const found = await from.client.query<{ row: string | null; key: string }>(of(table).read, [keys]);
    return {
      rows: found.rows.flatMap(({ row }) => row ?? []),
      gone: found.rows.flatMap(({ row, key }) => (row === null ? key : [])),
    };
  };
  const write: TableRows["write"] = async (table, texts) => {
    if (texts.length === 0) return;
    const json = `[${texts.join()}]`;
    if (of(table).unknownBots) {
      const { rows: bots } = await to.client.query<{ keys: string[] | null }>(of(table).unknownBots, [json]);
      if (bots[0]?.keys) await learn(bots[0].keys);
    }
    if (table === EVENTS) {
      await to.client.query(REMOVE_LEFT, [json]);
      await to.client.query(GIVE_KEYS, [json]);
    } else if (of(table).unknown) {
      // An event that was stored a moment ago, whose change is not taken yet.
      const { rows: unknown } = await to.client.query<{ keys: string | null }>(of(table).unknown, [json]);
      if (unknown[0]?.keys) await write(EVENTS, (await read(EVENTS, unknown[0].keys)).rows);
    }
    await to.client.query(of(table).write, [json]);
  };
  return {
    read,
    write,
    async remove(table, keys) {
      if (keys.length > 0) await to.client.query(of(table).remove, [`[${keys.join()}]`]);
    },
  };
}

/** Columns of an attachment, which a bot's subscription says. */
const HEARD: ReadonlySet<string> = new Set(["post_filter", "hears_custom", "hears_others"]);

interface Statements {
  read: string;
  write: string;
  remove: string;
  /** Selects the keys of events that rows name and that have no new key yet; empty when rows name none. */
  unknown: string;
  /** The same of bots. */
  unknownBots: string;
}

/** $1 of each: JSON, of keys or of rows. */
function statementsOf(
  { name, key }: OwnerTable,
  columns: readonly string[],
  ownerUserId: string,
): Statements {
  const keys = Object.keys(key);
  const typed = Object.entries(key).map(([column, type]) => `${column} ${type}`);
  const given = `json_to_recordset($1::json) AS k (${typed.join()})`;
  const event = NAMED_EVENTS[name];
  const bots = NAMED_BOTS[name] ?? [];
  const movedIn = (row: string, column: string): string => {
    const named = bots.find((one) => one.column === column) ?? event;
    return named?.column === column ? named.moved(row) : `${row}.${pg.escapeIdentifier(column)}`;
  };
  const owner = pg.escapeLiteral(ownerUserId);
  const values = columns.map((column) => {
    if (name === "events" && column === "owner_user_id")
      return `CASE WHEN ${isOfNeighbour("r.owner_user_id", owner)} THEN ${guestOwner("r.owner_user_id")} ELSE r.owner_user_id END`;
    if (name === "attachments" && HEARD.has(column)) return guestHears("r.bot_key", column);
    return movedIn("r", column);
  });
  const names = columns.map((column) => pg.escapeIdentifier(column));
  const others = names.filter((column) => !keys.includes(column.slice(1, -1)));
  const isSame = keys.map((column) => `r.${column} = ${movedIn("k", column)}`);
  return {
    read: `
      SELECT CASE WHEN r.${keys[0]} IS NOT NULL THEN to_json(r)::text END AS row, to_json(k)::text AS key
      FROM ${given} LEFT JOIN ${name} r USING (${keys.join()})`,
    write: `
      INSERT INTO ${name} (${names.join()}) OVERRIDING SYSTEM VALUE
      SELECT ${values.join()} FROM json_populate_recordset(NULL::${name}, $1::json) r
      ${event && !event.mayBeNone ? `WHERE ${event.moved("r")} IS NOT NULL` : ""}
      ON CONFLICT (${keys.join()}) DO UPDATE SET ${others.map((column) => `${column} = excluded.${column}`).join()}`,
    remove: `DELETE FROM ${name} r USING ${given} WHERE ${isSame.join(" AND ")}`,
    unknown: event
      ? `
      SELECT json_agg(DISTINCT jsonb_build_object('event_key', ${event.key("r")}))::text AS keys
      FROM json_populate_recordset(NULL::${name}, $1::json) r
      WHERE ${event.key("r")} IS NOT NULL AND NOT EXISTS (SELECT FROM new_event_keys n WHERE n.event_key = ${event.key("r")})`
      : "",
    unknownBots:
      bots.length > 0
        ? `
      SELECT array_agg(DISTINCT b.key::text) AS keys
      FROM json_populate_recordset(NULL::${name}, $1::json) r CROSS JOIN unnest(ARRAY[${bots.map(({ key }) => key("r")).join()}]) AS b (key)
      WHERE b.key IS NOT NULL AND NOT EXISTS (SELECT FROM new_bot_keys n WHERE n.bot_key = b.key)`
        : "",
  };
}
