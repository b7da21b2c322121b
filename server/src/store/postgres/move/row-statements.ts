import pg from "pg";
import { INTERACTION_AUTHOR } from "../../shared/change-keys.js";
import { guestOwner, isGuest, makerOf } from "../../shared/guests.js";
import { isCopied, isKnownThere, newChannelKey } from "./channel-keys.js";
import { guestHears, isAdopted, isGuestThere, isOfNeighbour, newBotKey } from "./guests.js";
import type { OwnerTable } from "./owner-tables.js";

/** SQL of the key that an event has in the cell that a row comes to: see `event-keys.ts`. */
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

/** The columns in which rows of a table name a log, or a destination: those of a bot have its key. */
const NAMED_LOGS: Readonly<Record<string, readonly string[]>> = {
  destinations: ["destination_key", "log_key"],
  entries: ["log_key"],
  deliveries: ["destination_key"],
  failed_attempts: ["destination_key"],
  timeline: ["destination_key"],
  given_up: ["bot_key"],
  consumers: ["bot_key"],
  bots: ["bot_key"],
  lanes: ["bot_key"],
};

/** The column in which rows of a table name a channel. */
const NAMED_CHANNELS: Readonly<Record<string, string>> = {
  channels: "channel_key",
  events: "channel_key",
  deliveries: "channel_key",
  attachments: "channel_key",
};
/** A key that is used for a bot has that of its log, negated. */
const newTargetKey = (key: string) =>
  `CASE WHEN ${key} < 0 THEN -${newBotKey(`-${key}`)} ELSE ${newChannelKey(key)} END`;

/**
 * What is as it is in the cell until the owner is let in. Of a copy that is the channel itself, and its own cell's bots, which that cell alone attaches
 * and takes out; of a bot that was a guest there, what makes it one. SQL, about a row or the key of one.
 */
const IS_HELD: Readonly<Record<string, (row: string) => string>> = {
  channels: (row) => isCopied(`${row}.channel_key`),
  attachments: (row) => isCopied(`${row}.channel_key`),
  destinations: (row) => isAdopted(`${row}.destination_key`),
  consumers: (row) => isAdopted(`${row}.bot_key`),
  bots: (row) => isAdopted(`${row}.bot_key`),
  lanes: (row) => isAdopted(`${row}.bot_key`),
};
/** What is removed from copies is removed by what is carried there, or by the cell itself when it has expired. */
const IS_REMOVED_THERE: typeof IS_HELD = {
  ...IS_HELD,
  attachments: (row) => isKnownThere(`${row}.channel_key`),
  events: isShared,
  edited_posts: isShared,
};

/** SQL of whether the event of a row happened in a channel of which there is a copy. */
function isShared(row: string): string {
  return `EXISTS (SELECT FROM new_event_keys n WHERE n.event_key = ${row}.event_key AND n.is_shared)`;
}

/** Whoever owns something in the cell is no guest there. Most events name nobody. */
export const ownerThere = (owner: string) => `
  CASE WHEN ${isGuest(owner)} AND (
      EXISTS (SELECT FROM bots b WHERE b.owner_user_id = ${makerOf(owner)}) OR EXISTS (SELECT FROM channels c WHERE c.owner_user_id = ${makerOf(owner)}))
    THEN ${makerOf(owner)} ELSE ${owner} END`;

/** Columns of an attachment, which a bot's subscription says. */
const HEARD: ReadonlySet<string> = new Set(["post_filter", "hears_custom", "hears_others"]);

export interface Statements {
  /** Also gives the keys of which there is no row, or one that does not move. */
  read: string;
  write: string;
  /** Selects rows that are not written before the owner has arrived, as they will be there: as JSON, null when there are none. */
  held: string;
  remove: string;
  /** Selects the keys of events that rows name and that have no new key yet, as JSON; empty when rows name none. */
  unknown: string;
  /** Selects the keys of rows that name events; $2: the keys of these. Empty when rows name none. */
  naming: string;
  /** The same of bots. */
  unknownBots: string;
}

/** $1 of each: JSON, of keys or of rows. */
export function statementsOf(
  { name, key, staysIn }: OwnerTable,
  columns: readonly string[],
  ownerUserId: string,
): Statements {
  const keys = Object.keys(key);
  const typed = Object.entries(key).map(([column, type]) => `${column} ${type}`);
  const given = `json_to_recordset($1::json) AS k (${typed.join()})`;
  const event = NAMED_EVENTS[name];
  const bots = NAMED_BOTS[name] ?? [];
  const movedIn = (row: string, column: string): string => {
    if (NAMED_CHANNELS[name] === column) return newChannelKey(`${row}.${column}`);
    if (NAMED_LOGS[name]?.includes(column)) return newBotKey(`${row}.${column}`);
    if (column === "target_key") return newTargetKey(`${row}.${column}`);
    const named = bots.find((one) => one.column === column) ?? event;
    return named?.column === column ? named.moved(row) : `${row}.${pg.escapeIdentifier(column)}`;
  };
  const owner = pg.escapeLiteral(ownerUserId);
  const values = columns.map((column) => {
    if (name === "events" && column === "owner_user_id")
      return `CASE WHEN ${isOfNeighbour("r.owner_user_id", owner)} THEN ${guestOwner("r.owner_user_id")} ELSE ${ownerThere("r.owner_user_id")} END`;
    if (name === "attachments" && HEARD.has(column)) return guestHears("r.bot_key", column);
    return movedIn("r", column);
  });
  const names = columns.map((column) => pg.escapeIdentifier(column));
  const others = names.filter((column) => !keys.includes(column.slice(1, -1)));
  const isSame = keys.map((column) => `r.${column} = ${movedIn("k", column)}`);
  const isThere = [
    ...(event && !event.mayBeNone ? [`${event.moved("r")} IS NOT NULL`] : []),
    ...(name === "attachments" ? [isGuestThere("r.bot_key")] : []),
  ];
  const rows = `json_populate_recordset(NULL::${name}, $1::json) r`;
  const isHeld = IS_HELD[name];
  const isRemovedThere = IS_REMOVED_THERE[name];
  return {
    read: `
      SELECT CASE WHEN r.${keys[0]} IS NOT NULL THEN to_json(r)::text END AS row, to_json(k)::text AS key, r.xmin::text AS version
      FROM ${given} LEFT JOIN ${name} r ON ${keys.map((column) => `r.${column} = k.${column}`).join(" AND ")}${
        staysIn ? ` AND NOT coalesce(${staysIn(owner)}, false)` : ""
      }`,
    write: `
      INSERT INTO ${name} (${names.join()}) OVERRIDING SYSTEM VALUE
      SELECT ${values.join()} FROM ${rows} WHERE ${[...isThere, ...(isHeld ? [`NOT ${isHeld("r")}`] : []), "true"].join(" AND ")}
      ON CONFLICT (${keys.join()}) DO UPDATE SET ${others.map((column) => `${column} = excluded.${column}`).join()}`,
    held: `
      SELECT json_agg(m)::text AS held FROM (
        SELECT ${values.map((value, n) => `${value} AS ${names[n]}`).join()} FROM ${rows}
        WHERE ${[...isThere, isHeld?.("r") ?? "false"].join(" AND ")}) m`,
    remove: `
      DELETE FROM ${name} r USING ${given}
      WHERE ${[...isSame, ...(isRemovedThere ? [`NOT ${isRemovedThere("k")}`] : [])].join(" AND ")}`,
    unknown: event
      ? `
      SELECT json_agg(DISTINCT jsonb_build_object('event_key', ${event.key("r")}))::text AS keys
      FROM json_populate_recordset(NULL::${name}, $1::json) r
      WHERE ${event.key("r")} IS NOT NULL AND NOT EXISTS (SELECT FROM new_event_keys n WHERE n.event_key = ${event.key("r")})`
      : "",
    naming: event
      ? `
      SELECT json_build_object(${keys.map((column) => `'${column}', r.${column}`).join()})::text AS key
      FROM json_populate_recordset(NULL::${name}, $1::json) r WHERE ${event.key("r")} = ANY ($2::bigint[])`
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
