import { readdir, readFile } from "node:fs/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PLANNING } from "#botyard/store/postgres/connection/connection.js";
import { openPostgresStore } from "#botyard/store/postgres/open.js";
import { createPostgresDatabase, type TestDatabase } from "../support/engines.js";
import { runEveryVerb } from "../support/every-verb.js";

const ROWS = 20_000;
/** Enough rows for autovacuum to analyse a table the first time. */
const FEW_ROWS = 50;
const GROWING = new Set([
  "bots",
  "channels",
  "attachments",
  "posts",
  "updates",
  "failed_attempts",
  "timeline",
  "lanes",
  "edited_posts",
  "idempotency_keys",
  "consumers",
]);
/**
 * The first entries of an index that holds only lanes that are due, or held, or updates that an older release has left without
 * the time of their failure: read through a LIMIT.
 */
const FIRST_OF_INDEX = new Set(["lanes_due", "lanes_leased"]);

let database: TestDatabase;
let client: pg.Client;
const statements = new Map<string, string>();
let scansWhileSmall: string[];
/** How statements find updates while each log is one update long. */
const keysWhileShort = new Map<string, string[]>();

beforeAll(async () => {
  database = await createPostgresDatabase();
  await recordStatements();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(PLANNING);
  await fill(1, FEW_ROWS);
  scansWhileSmall = await scans();
  for (const [name, text] of statements) keysWhileShort.set(name, await keysOfUpdates(text));
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
    await runEveryVerb(store);
  } finally {
    await store.close();
    pg.Client.prototype.query = query;
  }
}

async function fill(first: number, last: number): Promise<void> {
  await client.query(`
    INSERT INTO bots (id, bot_user_id, owner_user_id, username, display_name, description, token_hash, created_at, updated_at)
    SELECT gen_random_uuid(), gen_random_uuid(), 'owner' || i % 100, 'bot' || i, '', '', 'hash' || i, 0, 0
    FROM generate_series(${first}, ${last}) i;
    INSERT INTO lanes (bot_key, last_update_id) SELECT bot_key, 1000 FROM bots ON CONFLICT DO NOTHING;
    INSERT INTO channels (id, slug, title, description, owner_user_id, created_at)
    SELECT gen_random_uuid(), 'slug' || i, '', '', 'owner' || i % 100, 0 FROM generate_series(${first}, ${last}) i;
    INSERT INTO attachments SELECT i, i % 50 + 1, 'moderator', '' FROM generate_series(${first}, ${last}) i ON CONFLICT DO NOTHING;
    INSERT INTO posts (id, channel_key, created_at, payload)
    SELECT gen_random_uuid(), i % 50 + 1, i, '{}' FROM generate_series(${first}, ${last}) i;
    INSERT INTO updates (bot_key, update_id, post_key)
    SELECT i % 50 + 100, i / 50 + 1, i FROM generate_series(${first}, ${last}) i;
    INSERT INTO failed_attempts SELECT bot_key, update_id, 1, 0, 0, NULL, '', '' FROM updates ON CONFLICT DO NOTHING;
    INSERT INTO edited_posts SELECT post_key, 2, 0, '{}' FROM posts ON CONFLICT DO NOTHING;
    INSERT INTO idempotency_keys SELECT i % 50 + 1, 'owner x', 'key' || i, gen_random_uuid(), i
    FROM generate_series(${first}, ${last}) i;
    INSERT INTO consumers (bot_key, slot, name, position, created_at)
    SELECT bot_key, 1, 'main', 0, 0 FROM bots ON CONFLICT DO NOTHING;
    INSERT INTO timeline SELECT bot_key, update_id * 60000, 1, 0, 0, '{1}', 0, 0 FROM updates ON CONFLICT DO NOTHING;
    ANALYZE`);
}

interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  Plans?: PlanNode[];
}

async function nodesOf(text: string): Promise<PlanNode[]> {
  const { rows } = await client.query(`EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${text}`);
  const walk = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(walk)];
  return walk(rows[0]["QUERY PLAN"][0].Plan);
}

function isScan(node: PlanNode): boolean {
  if (!GROWING.has(node["Relation Name"] ?? "")) return false;
  if (node["Node Type"] === "Seq Scan") return true;
  // A bitmap scan names its table above the index, and cannot do without a condition.
  const isIndexScan = /^(Index|Index Only) Scan$/.test(node["Node Type"]);
  return isIndexScan && !node["Index Cond"] && !FIRST_OF_INDEX.has(node["Index Name"] ?? "");
}

async function keysOfUpdates(text: string): Promise<string[]> {
  const nodes = await nodesOf(text);
  return nodes.flatMap((node) => (node["Relation Name"] === "updates" ? (node["Index Cond"] ?? []) : []));
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
});

it("reads no table that grows from end to end", async () => {
  expect(await scans()).toEqual([]);
});

it.each(["record-attempts", "keep-failed-attempts"])(
  "finds the updates of %s by their whole keys",
  (name) => {
    const conditions = keysWhileShort.get(name) ?? [];
    expect(conditions).not.toEqual([]);
    for (const condition of conditions) expect(condition).toContain("update_id");
  },
);

/** A sort would have to read all of a bot's log to find its newest updates. */
it.each(["select-recent", "select-errors", "select-scheduled", "select-failed"])(
  "finds the newest updates for %s without sorting a log",
  async (name) => {
    const nodes = await nodesOf(statements.get(name) ?? "");
    const scans = nodes.filter((node) => node["Relation Name"] === "updates");
    expect(scans.length).toBeGreaterThan(0);
    const above = scans.map((scan) => nodes[nodes.indexOf(scan) - 1]?.["Node Type"]);
    expect(new Set(above)).toEqual(new Set(["Limit"]));
  },
);

it("would notice a scan", async () => {
  const text = "SELECT * FROM updates WHERE attempt_count = $1";
  expect((await nodesOf(text)).some(isScan)).toBe(true);
  expect((await nodesOf("SELECT count(*) FROM lanes WHERE last_update_id > $1")).some(isScan)).toBe(true);
});

it.each([
  ["select-errors", "updates_by_failure"],
  ["select-scheduled", "updates_scheduled"],
  ["select-failed", "updates_failed"],
  ["select-pending", "updates_due_again"],
  ["replay", "updates_scheduled"],
  ["replay", "updates_failed"],
  ["change-webhook", "updates_scheduled"],
  ["requeue-step", "updates_scheduled"],
  ["select-pending", "updates_scheduled"],
  ["select-due", "updates_due_again"],
  ["select-stats", "updates_scheduled"],
  ["select-stats", "updates_due_again"],
  ["fold-timelines", "timeline_minutes"],
  ["drop-hours", "timeline_hours"],
  ["skip-step", "updates_scheduled"],
  ["skip-step", "updates_due_again"],
  ["select-skipped", "updates_skipped"],
  ["move-consumers", "consumers_by_name"],
  ["select-consumer-positions", "consumers_by_name"],
  ["claim-lanes", "lanes_due"],
  ["claim-lanes", "lanes_leased"],
])("reads %s by the index %s", async (name, index) => {
  const nodes = await nodesOf(statements.get(name) ?? "");
  expect(nodes.map((node) => node["Index Name"])).toContain(index);
});

it("does not touch an index when an update is accepted the first time", async () => {
  const indexed = await client.query<{ definition: string }>(
    `SELECT pg_get_indexdef(indexrelid) AS definition FROM pg_index WHERE indrelid = 'updates'::regclass`,
  );
  const definitions = indexed.rows.map(({ definition }) => definition).join("\n");
  for (const column of ["attempt_count", "last_attempted_at", "delivered_at"])
    expect(definitions).not.toContain(column);
});
