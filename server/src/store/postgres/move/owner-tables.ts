import { BOT_DETACHED } from "../../../domain/events/event.js";
import { FIRST_FEED_KEY } from "../../parts/feed-store.js";
import { guestOwner } from "../../shared/guests.js";

/**
 * How the rows of one owner are found in each table of a cell. A test holds this list and {@link STAYING} to the schema, so that a new table
 * cannot be forgotten.
 */
export interface OwnerTable {
  name: string;
  /** The columns of the primary key, with their types. */
  key: Readonly<Record<string, string>>;
  /**
   * SQL of a condition: whether a row `r`, which may be gone by now, is the owner's. What is done to their bots in channels of others counts, and
   * whom something is for, also when the bots have become guests.
   */
  isOf(owner: string): string;
  /** SQL of a condition: whether such a row belongs to a channel of another owner, and does not move. */
  staysIn?(owner: string): string;
  /** SQL of a condition: whether others must not change such a row while the owner's writes are refused. */
  isRefused?(owner: string): string;
  /** SQL that selects the owner's rows. */
  rowsOf(owner: string): string;
  /**
   * `changes`: copied beside the traffic, then again what has changed. `last`: copied as a whole in the last step. These are few rows, and until
   * they are there, nobody finds the owner in the cell: no token is known, no lane is claimed, and no log expires.
   */
  copied: "changes" | "last";
}

/** Of what was deleted, the owner is known until its remains are erased. Both are SQL. */
const ownerOfChannel = (
  key: string,
) => `coalesce((SELECT c.owner_user_id FROM channels c WHERE c.channel_key = ${key}),
    (SELECT c.owner_user_id FROM removed_channels c WHERE c.channel_key = ${key}))`;
export const ownerOfLog = (
  key: string,
) => `coalesce((SELECT d.owner_user_id FROM destinations d WHERE d.destination_key = ${key}),
    (SELECT b.owner_user_id FROM removed_bots b WHERE b.bot_key = ${key}))`;

const isEither = (owner: string, of: string) => `${of} IN (${owner}, ${guestOwner(owner)})`;
/** SQL: whether a channel is of another owner than the one who moves. */
const isOfOther = (channelKey: string, owner: string) =>
  `(${channelKey} <> 0 AND ${ownerOfChannel(channelKey)} <> ${owner})`;

/** SQL: whether an event happened in one, or to it. */
export const isStaying = (row: string, owner: string) =>
  `coalesce(${isOfOther(`${row}.channel_key`, owner)} OR ${row}.channel_key = 0 AND ${row}.event_type = '${BOT_DETACHED}' AND ${row}.owner_user_id <> ${owner}, false)`;

const channelsOf = (owner: string) => `(SELECT channel_key FROM channels WHERE owner_user_id = ${owner})`;
/** The keys of the owner's logs, those of bots and of alerts. */
export const logsOf = (owner: string) => `(
    SELECT bot_key AS log_key FROM bots WHERE owner_user_id = ${owner}
    UNION ALL SELECT log_key FROM webhook_logs WHERE owner_user_id = ${owner})`;
/** The keys of the owner's destinations, without a scan: no index of destinations has their owner. */
export const destinationsOfOwner = (owner: string) => `(
    SELECT d.destination_key FROM ${logsOf(owner)} l JOIN destinations d USING (log_key))`;

const byOwner = (name: string, key: OwnerTable["key"], column = "owner_user_id") => ({
  name,
  key,
  isOf: (owner: string) => `r.${column} = ${owner}`,
  rowsOf: (owner: string) => `SELECT * FROM ${name} WHERE ${column} = ${owner}`,
});
const byLog = (name: string, column: string, more: OwnerTable["key"]) => ({
  name,
  key: { [column]: "bigint", ...more },
  isOf: (owner: string) => `${ownerOfLog(`r.${column}`)} = ${owner}`,
  rowsOf: (owner: string) =>
    `SELECT r.* FROM ${destinationsOfOwner(owner)} d JOIN ${name} r ON r.${column} = d.destination_key`,
});

/** In the order in which they are copied. */
export const OWNER_TABLES: readonly OwnerTable[] = [
  // First: the bytes that an owner keeps are counted for the owner of the event's channel.
  { ...byOwner("channels", { channel_key: "bigint" }), copied: "changes" },
  {
    name: "destinations",
    key: { destination_key: "bigint" },
    isOf: (owner) => `r.owner_user_id = ${owner}`,
    rowsOf: (owner) =>
      `SELECT r.* FROM ${destinationsOfOwner(owner)} d JOIN destinations r USING (destination_key)`,
    copied: "changes",
  },
  {
    name: "events",
    key: { event_key: "bigint" },
    isOf: (owner) => `(r.owner_user_id = ${owner} OR ${ownerOfChannel("r.channel_key")} = ${owner}
      OR r.subject_key < 0 AND ${isEither(owner, ownerOfLog("-r.subject_key"))})`,
    staysIn: (owner) => isStaying("r", owner),
    // In the order of their keys: the sweep of events relies on it that logs point at rising keys.
    rowsOf: (owner) => `
    SELECT r.* FROM (
      SELECT e.event_key FROM ${channelsOf(owner)} c JOIN events e USING (channel_key)
      UNION SELECT event_key FROM events WHERE owner_user_id = ${owner}
      UNION SELECT e.event_key FROM ${logsOf(owner)} l JOIN events e ON e.subject_key = -l.log_key
      UNION SELECT e.event_key FROM ${logsOf(owner)} l JOIN entries e USING (log_key)) k
    JOIN events r USING (event_key) WHERE NOT ${isStaying("r", owner)} ORDER BY event_key`,
    copied: "changes",
  },
  {
    name: "edited_posts",
    key: { event_key: "bigint" },
    isOf: (owner) =>
      `(SELECT ${ownerOfChannel("p.channel_key")} FROM events p WHERE p.event_key = r.event_key) = ${owner}`,
    rowsOf: (owner) =>
      `SELECT r.* FROM ${channelsOf(owner)} c JOIN events p USING (channel_key) JOIN edited_posts r USING (event_key)`,
    copied: "changes",
  },
  { ...byLog("entries", "log_key", { number: "bigint" }), copied: "changes" },
  { ...byLog("deliveries", "destination_key", { first_number: "bigint" }), copied: "changes" },
  {
    ...byLog("failed_attempts", "destination_key", { number: "bigint", attempt: "integer" }),
    copied: "changes",
  },
  { ...byLog("timeline", "destination_key", { starts_at: "bigint" }), copied: "changes" },
  { ...byLog("given_up", "bot_key", { update_id: "bigint", consumer: "text" }), copied: "changes" },
  {
    name: "attachments",
    key: { channel_key: "bigint", bot_key: "bigint" },
    isOf: (owner) => `r.bot_key < ${FIRST_FEED_KEY} AND (${ownerOfChannel("r.channel_key")} = ${owner}
      OR ${isEither(owner, "(SELECT b.owner_user_id FROM bots b WHERE b.bot_key = r.bot_key)")})`,
    staysIn: (owner) => isOfOther("r.channel_key", owner),
    // What a bot hears is settled then.
    isRefused: (owner) => `coalesce(${isOfOther("r.channel_key", owner)}, true)`,
    rowsOf: (owner) =>
      `SELECT r.* FROM ${channelsOf(owner)} c JOIN attachments r USING (channel_key) WHERE r.bot_key < ${FIRST_FEED_KEY}`,
    copied: "changes",
  },
  {
    name: "idempotency_keys",
    key: { target_key: "bigint", author: "text", key: "text" },
    isOf: (owner) =>
      `CASE WHEN r.target_key > 0 THEN ${ownerOfChannel("r.target_key")} ELSE ${ownerOfLog("-r.target_key")} END = ${owner}`,
    rowsOf: (owner) => `
    SELECT r.* FROM (
      SELECT channel_key AS target_key FROM ${channelsOf(owner)} c UNION ALL SELECT -log_key FROM ${logsOf(owner)} l) t
    JOIN idempotency_keys r USING (target_key)`,
    copied: "changes",
  },
  { ...byOwner("audit", { id: "uuid" }), copied: "changes" },
  { ...byLog("consumers", "bot_key", { slot: "integer" }), copied: "last" },
  { ...byOwner("bots", { bot_key: "bigint" }), copied: "last" },
  { ...byLog("lanes", "bot_key", {}), copied: "last" },
  { ...byOwner("webhook_logs", { owner_user_id: "text", kind: "text" }), copied: "last" },
  { ...byOwner("alerts", { alert_key: "bigint" }), copied: "last" },
  { ...byOwner("owners", { user_id: "text" }, "user_id"), copied: "last" },
  { ...byOwner("owner_usage", { owner_user_id: "text", day: "integer" }), copied: "last" },
];

export const EVENTS = tableOf("events");

export function tableOf(name: string): OwnerTable {
  const table = OWNER_TABLES.find((one) => one.name === name);
  if (!table) throw new Error(`no such table: ${name}`);
  return table;
}

/** The tables that do not move, and why. */
export const STAYING: Readonly<Record<string, string>> = {
  owner_kept:
    "the cell that the owner comes to counts their events as they arrive; the one they leave counts them off as they are erased",
  kept_changes: "as owner_kept",
  kept_count: "how far the cell itself has counted",
  removed_bots: "what an owner has deleted is erased before they move",
  removed_channels: "as removed_bots",
  erased_posts: "as removed_bots",
  moved_bots: "what the feed of the cell says of owners who have left it",
  erased_users: "the users whose erasure has not ended begin again in the cell that the owner comes to",
  feed: "the cell's own",
  sweeps: "how far the cell itself has come",
  sweep_marks: "as sweeps",
  upkeep: "the cell's own lease",
  key_files: "all cells have the same keys",
  pings: "the cell's own",
  deliveries_off: "the cell's own switch",
  incarnation: "the cell's own",
  botyard_schema: "the cell's own",
  cell: "the cell's own",
  owner_moves: "what it says differs in the two cells of a move",
  directory: "knows all cells",
  directory_cells: "as directory",
  directory_owners: "as directory",
  directory_bots: "as directory",
  directory_feed: "as directory",
  directory_feed_moves: "as directory",
  directory_tokens: "as directory",
};
