import { readdir, readFile } from "node:fs/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newId } from "#botyard/domain/ids.js";
import { PLANNING } from "#botyard/store/postgres/connection/connection.js";
import { openDirectory } from "#botyard/store/postgres/directory/directory.js";
import { openPostgresStore } from "#botyard/store/postgres/open.js";
import { FIRST_FEED_KEY, type Store } from "#botyard/store/store.js";
import { createPostgresDatabase, onDatabase, type TestDatabase } from "../support/engines.js";
import { runEveryVerb } from "../support/every-verb.js";

const ROWS = 20_000;
/** Enough rows for autovacuum to analyse a table the first time. */
const FEW_ROWS = 50;
const GROWING = new Set([
  "bots",
  "channels",
  "attachments",
  "events",
  "entries",
  "deliveries",
  "failed_attempts",
  "timeline",
  "lanes",
  "destinations",
  "edited_posts",
  "idempotency_keys",
  "consumers",
  "audit",
  "directory_owners",
  "directory_bots",
  "directory_tokens",
]);
/**
 * The first entries of an index that holds only lanes that are due, or held, or updates that an older release has left without
 * the time of their failure: read through a LIMIT.
 */
const FIRST_OF_INDEX = new Set(["lanes_due", "lanes_leased"]);
/** By which an index finds fewer rows than all of a bot's. */
const SECOND_COLUMNS = new Map([
  ["entries_pkey", "number"],
  ["deliveries_pkey", "first_number"],
  ["deliveries_waiting", "round"],
  ["deliveries_due", "round"],
  ["deliveries_failed", "first_number"],
  ["deliveries_held", "first_number"],
  ["deliveries_unresolved", "channel_key"],
  ["deliveries_skipped", "first_number"],
  ["deliveries_by_failure", "last_failed_at"],
]);
/** Below one of these only the first entries of an index are read. */
const READS_FIRST = new Set(["Limit", "LockRows"]);

let database: TestDatabase;
let client: pg.Client;
const statements = new Map<string, string>();
let scansWhileSmall: string[];
/** While the planner believes in a third of the rows that there are, as between two runs of autovacuum. */
let scansWhileUnknown: string[];
/** How statements find entries and deliveries while there are no deliveries, and while there is one of each log. */
const logScans: { name: string; node: PlanNode }[] = [];

beforeAll(async () => {
  database = await createPostgresDatabase();
  await recordStatements();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(PLANNING);
  await client.query("TRUNCATE deliveries");
  await client.query("VACUUM ANALYZE deliveries");
  await findLogScans();
  await fill(1, FEW_ROWS);
  scansWhileSmall = await scans();
  await client.query(
    `UPDATE pg_class SET reltuples = reltuples / 3 WHERE relname IN ('bots', 'channels', 'destinations')`,
  );
  scansWhileUnknown = await scans();
  await findLogScans();
  await fill(FEW_ROWS + 1, ROWS);
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

/** Calls every verb once, and records the statements that reach the driver. */
async function recordStatements(): Promise<void> {
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function record(this: pg.Client, ...parameters: unknown[]) {
    const [config] = parameters as [{ name?: string; text?: string }];
    const hasPlan = config?.name !== "begin" && config?.name !== "commit";
    if (config?.name && config.text && hasPlan) statements.set(config.name, config.text);
    return Reflect.apply(query, this, parameters);
  } as typeof query;
  const store = await openPostgresStore({ url: database.url, poolSize: 3, onConnectionError() {} });
  try {
    await eraseMoved(store);
    await runEveryVerb(store);
    await askDirectory();
  } finally {
    await store.close();
    pg.Client.prototype.query = query;
  }
}

/** Erases what the feed still has of an owner who has left for another cell: a post, the channel, and then all. */
async function eraseMoved(store: Store): Promise<void> {
  const [channelId, postId] = [newId(), newId()];
  await onDatabase(
    database.url,
    `INSERT INTO owner_moves (owner_user_id, move_id, state, other_cell, changed_at, feed_log, feed_through)
    VALUES ('moved', gen_random_uuid(), 3, 'b', 0, ${FIRST_FEED_KEY}, 1);
    INSERT INTO removed_channels (channel_key, owner_user_id, id) VALUES (999999, 'moved', '${channelId}');
    INSERT INTO events (id, channel_key, created_at, payload) VALUES ('${postId}', 999999, 0, '{}')`,
  );
  await store.eraseMoved("moved", channelId, postId);
  await store.eraseMoved("moved", channelId);
}

/** Calls the directory of cells once for everything. */
async function askDirectory(): Promise<void> {
  const directory = openDirectory({ url: database.url, poolSize: 1, onIdleError() {} });
  const [botId, layout] = [newId(), { feedId: "feed", parts: [] }];
  await onDatabase(
    database.url,
    `INSERT INTO directory (id, directory_id, version, next_number) VALUES (1, '${newId()}', 1, 1);
    INSERT INTO directory_cells (name, number, work_at) VALUES ('first', 0, 0);
    INSERT INTO directory_feed_moves (move_id, move, moved_at) VALUES ('${newId()}', '{}', 0)`,
  );
  await directory.listCells();
  await directory.assignOwner("alice", ["first"], 1);
  await directory.noteOwner("alice", "first");
  const bot = { botId, username: "weather", ownerUserId: "alice", tokenHash: "hash" };
  await directory.reserveBot(bot, 1);
  await directory.reserveBot({ ...bot, botId: newId() }, 1);
  await directory.findToken("hash");
  await directory.addToken(botId, "another");
  await directory.keepToken(botId, "another");
  await directory.moveOwner("alice", "first", "b");
  await directory.addWork(new Map([["first", 1]]), 1);
  await directory.forgetBot(botId);
  await directory.replaceLayout(undefined, layout);
  await directory.moves();
  const moment = { cell: 0, feedId: "feed", heads: [] };
  await directory.noteMove(newId(), { ownerUserId: "alice", from: moment, to: moment });
  await directory.forgetMoves([newId()]);
  await directory.close();
}

async function fill(first: number, last: number): Promise<void> {
  await client.query(`
    INSERT INTO bots (id, bot_user_id, owner_user_id, username, display_name, description, token_hash, created_at, updated_at)
    SELECT gen_random_uuid(), gen_random_uuid(), 'owner' || i % 100, 'bot' || i, '', '', 'hash' || i, 0, 0
    FROM generate_series(${first}, ${last}) i;
    INSERT INTO lanes (bot_key, last_update_id) SELECT bot_key, 1000 FROM bots ON CONFLICT DO NOTHING;
    INSERT INTO destinations (destination_key, log_key, id, owner_user_id)
    SELECT bot_key, bot_key, id, owner_user_id FROM bots ON CONFLICT DO NOTHING;
    INSERT INTO channels (id, slug, title, description, owner_user_id, created_at)
    SELECT gen_random_uuid(), 'slug' || i, '', '', 'owner' || i % 100, 0 FROM generate_series(${first}, ${last}) i;
    INSERT INTO attachments SELECT i, i % 50 + 1, 'moderator', '' FROM generate_series(${first}, ${last}) i ON CONFLICT DO NOTHING;
    INSERT INTO events (id, channel_key, created_at, payload)
    SELECT gen_random_uuid(), i % 50 + 1, i, '{}' FROM generate_series(${first}, ${last}) i;
    INSERT INTO entries (log_key, number, event_key)
    SELECT i % 50 + 100, i / 50 + 1, i FROM generate_series(${first}, ${last}) i;
    INSERT INTO deliveries (
      destination_key, first_number, last_number, state, attempt_count, failure_count, round, due_at, last_failed_at, last_error, times,
      channel_key)
    SELECT log_key, number, number, state, 1, 0, CASE WHEN state IN (1, 5) THEN 2 END, CASE state WHEN 1 THEN 0 END,
      CASE WHEN state IN (1, 3) THEN number END, CASE WHEN state IN (1, 3) THEN '' END, CASE state WHEN 2 THEN '1+1' END,
      CASE WHEN state IN (1, 5) THEN number % 7 + 1 END
    FROM (SELECT *, CASE number % 20 WHEN 1 THEN 1 WHEN 2 THEN 3 WHEN 3 THEN 4 WHEN 4 THEN 5 ELSE 2 END AS state FROM entries) e
    ON CONFLICT DO NOTHING;
    INSERT INTO failed_attempts SELECT log_key, number, 1, 0, 0, NULL, '', '', NULL FROM entries ON CONFLICT DO NOTHING;
    INSERT INTO edited_posts SELECT event_key, 2, 0, '{}' FROM events ON CONFLICT DO NOTHING;
    INSERT INTO idempotency_keys SELECT i % 50 + 1, 'owner x', 'key' || i, gen_random_uuid(), i
    FROM generate_series(${first}, ${last}) i;
    INSERT INTO audit (id, owner_user_id, actor_type, actor_id, token_id, operation, request_id, target_type, target_id, channel_id, changes)
    SELECT gen_random_uuid(), 'owner' || i % 100, 'owner', '', '', 'operation' || i % 20, '', 'bot', 'bot' || i, gen_random_uuid(), '{}'
    FROM generate_series(${first}, ${last}) i;
    INSERT INTO directory_owners SELECT 'owner' || i, 'first' FROM generate_series(${first}, ${last}) i;
    INSERT INTO directory_bots SELECT gen_random_uuid(), 'bot' || i, 'owner' || i, 0 FROM generate_series(${first}, ${last}) i;
    INSERT INTO directory_tokens SELECT 'hash' || username, bot_id FROM directory_bots ON CONFLICT DO NOTHING;
    INSERT INTO consumers (bot_key, slot, name, position, created_at)
    SELECT bot_key, 1, 'main', 0, 0 FROM bots ON CONFLICT DO NOTHING;
    INSERT INTO timeline SELECT log_key, number * 60000, 1, 0, 0, '{1}', 0, 0 FROM entries ON CONFLICT DO NOTHING;
    ANALYZE`);
}

interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  /** The type of the node that reads this one. */
  above?: string;
  Plans?: PlanNode[];
}

async function nodesOf(text: string): Promise<PlanNode[]> {
  const { rows } = await client.query(`EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${text}`);
  const walk = (node: PlanNode): PlanNode[] => [
    node,
    ...(node.Plans ?? []).flatMap((below) => walk({ ...below, above: node["Node Type"] })),
  ];
  return walk(rows[0]["QUERY PLAN"][0].Plan);
}

function isScan(node: PlanNode): boolean {
  if (!GROWING.has(node["Relation Name"] ?? "")) return false;
  if (node["Node Type"] === "Seq Scan") return true;
  // A bitmap scan names its table above the index, and cannot do without a condition.
  const isIndexScan = /^(Index|Index Only) Scan$/.test(node["Node Type"]);
  return isIndexScan && !node["Index Cond"] && !FIRST_OF_INDEX.has(node["Index Name"] ?? "");
}

async function findLogScans(): Promise<void> {
  for (const [name, text] of statements)
    for (const node of await nodesOf(text))
      if (SECOND_COLUMNS.has(node["Index Name"] ?? "")) logScans.push({ name, node });
}

async function scans(): Promise<string[]> {
  const found: string[] = [];
  for (const [name, text] of statements) {
    for (const node of (await nodesOf(text)).filter(isScan)) {
      found.push(`${name}: ${node["Node Type"]} on ${node["Relation Name"]} ${node["Index Name"] ?? ""}`);
    }
  }
  return found;
}

it("has seen every statement of the engine", async () => {
  const folder = new URL("../../src/store/postgres/", import.meta.url);
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith(".ts"));
  const sources = await Promise.all(files.map((file) => readFile(new URL(file, folder), "utf8")));
  const names = [...sources.join("\n").matchAll(/^ {2}name: "([\w-]+)",$/gm)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(30);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => name && !statements.has(name))).toEqual([]);
});

/** A connection may keep the plan that it made then. */
it("reads no table from end to end while it is small", () => {
  expect(scansWhileSmall).toEqual([]);
  expect(scansWhileUnknown).toEqual([]);
});

it("reads no table that grows from end to end", async () => {
  expect(await scans()).toEqual([]);
});

it.each(["record-attempts", "keep-failed-attempts"])(
  "finds the deliveries of %s by their whole keys",
  (name) => {
    const conditions = logScans.flatMap((scan) =>
      scan.name === name && scan.node["Relation Name"] === "deliveries" ? [scan.node["Index Cond"]] : [],
    );
    expect(conditions).not.toEqual([]);
    for (const condition of conditions) expect(condition).toMatch(/first_number/);
  },
);

/** The statistics of a table without rows make all of its indexes look the same. */
it("never reads all entries or deliveries of a bot, not even while there are none", () => {
  const all = logScans.filter(
    ({ name, node }) =>
      !node["Index Cond"]?.includes(SECOND_COLUMNS.get(node["Index Name"] ?? "") ?? "") &&
      !READS_FIRST.has(node.above ?? "") &&
      // It only asks whether there is any.
      name !== "forget-removed-bot",
  );
  expect(all.map(({ name, node }) => `${name}: ${node["Index Name"]} ${node["Index Cond"]}`)).toEqual([]);
});

/** A sort would have to read all of a bot's log to find its newest updates. */
it.each([
  ["select-recent", "entries"],
  ["select-recent", "deliveries"],
  ["select-errors", "deliveries"],
  ["select-scheduled", "deliveries"],
  ["select-failed", "deliveries"],
  ["select-skipped", "entries"],
  ["select-skipped", "deliveries"],
])("finds the newest updates for %s without sorting %s", async (name, table) => {
  const nodes = await nodesOf(statements.get(name) ?? "");
  const scans = nodes.filter((node) => node["Relation Name"] === table && node["Index Cond"]?.includes("<"));
  expect(scans.length).toBeGreaterThan(0);
  expect(new Set(scans.map(({ above }) => above))).toEqual(new Set(["Limit"]));
});

/** Each page would take as long as the whole list. */
it.each([
  "select-attached",
  "select-channel-bots",
  "select-own-channel-bots",
  "select-owned-bots",
  "select-owned-channels",
])("reads the pages of %s in the order of an index", async (name) => {
  const nodes = await nodesOf(statements.get(name) ?? "");
  expect(nodes.length).toBeGreaterThan(1);
  expect(nodes.filter((node) => node["Node Type"].includes("Sort"))).toEqual([]);
});

it("would notice a scan", async () => {
  const text = "SELECT * FROM deliveries WHERE attempt_count = $1";
  expect((await nodesOf(text)).some(isScan)).toBe(true);
  expect((await nodesOf("SELECT count(*) FROM lanes WHERE last_update_id > $1")).some(isScan)).toBe(true);
});

it.each([
  ["select-errors", "deliveries_by_failure"],
  ["select-scheduled", "deliveries_waiting"],
  ["select-failed", "deliveries_failed"],
  ["select-pending", "deliveries_waiting"],
  ["replay", "deliveries_waiting"],
  ["replay", "deliveries_failed"],
  ["change-webhook", "deliveries_waiting"],
  ["select-due", "deliveries_waiting"],
  ["select-due", "deliveries_due"],
  ["release-lanes", "deliveries_due"],
  ["select-webhook", "deliveries_due"],
  ["select-stats", "deliveries_waiting"],
  ["fold-timelines", "timeline_minutes"],
  ["drop-hours", "timeline_hours"],
  ["begin-skipping", "deliveries_waiting"],
  ["skip-step", "deliveries_waiting"],
  ["select-skipped", "deliveries_skipped"],
  ["move-consumers", "consumers_by_name"],
  ["select-consumer-positions", "consumers_by_name"],
  ["select-audit", "audit_pkey"],
  ["select-audit-of-owner", "audit_by_owner"],
  ["select-audit-of-operation", "audit_by_operation"],
  ["select-audit-of-owner-and-operation", "audit_by_owner_and_operation"],
  ["select-audit-of-target", "audit_by_target"],
  ["select-audit-of-target", "audit_by_channel"],
  ["claim-lanes", "lanes_due"],
  ["claim-lanes", "lanes_leased"],
])("reads %s by the index %s", async (name, index) => {
  const nodes = await nodesOf(statements.get(name) ?? "");
  expect(nodes.map((node) => node["Index Name"])).toContain(index);
});
