import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Database, openDatabase } from "#botyard/store/sqlite/binding.js";
import { type Call, createEngine, type Engine } from "#botyard/store/sqlite/engine.js";
import { migrate } from "#botyard/store/sqlite/schema/schema.js";

let folder: string;
let db: Database;
let engine: Engine;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "botyard-batches-"));
  db = await openDatabase(join(folder, "batches.db"), 0);
  migrate(db);
  engine = createEngine(db);
});

afterAll(async () => {
  db.close();
  await rm(folder, { recursive: true, force: true });
});

function creation(id: string): Call {
  const channel = { id, slug: id, title: "", description: "", ownerUserId: "olga", createdAt: 1 };
  return { verb: "createChannel", parameters: [channel] };
}

function append(channelId: string, payloads: unknown[]): Call {
  const columns = {
    channelIds: [channelId],
    botIds: [null],
    tokenHashes: [null],
    ownerUserIds: ["olga"],
    actors: [1],
    publisherOf: payloads.map(() => 0),
    ids: payloads.map((_, index) => `post ${index}`),
    createdAts: payloads.map(() => 1),
    payloads,
  };
  return { verb: "appendPosts", parameters: [columns] };
}

it("a call that fails halfway is rolled back alone, and not its batch", () => {
  const outcomes = engine.run([
    creation("first"),
    append("first", ["{}", null]),
    { verb: "findChannel", parameters: [{ ownerUserId: "olga", channelId: "first" }] },
    creation("second"),
    append("second", ["{}"]),
  ]);
  expect(outcomes).toEqual([
    { value: expect.objectContaining({ id: "first" }) },
    { error: expect.stringContaining("events.payload"), unavailable: false },
    { value: expect.objectContaining({ id: "first" }) },
    { value: expect.objectContaining({ id: "second" }) },
    { value: expect.objectContaining({ channelKeys: [expect.any(Number)] }) },
  ]);
  const posts = "SELECT channels.id FROM events JOIN channels USING (channel_key)";
  expect(db.prepare(posts).all()).toEqual([{ id: "second" }]);
});

it("a batch that cannot be written answers its reads, and leaves nothing", async () => {
  const other = await openDatabase(join(folder, "batches.db"), 0);
  other.exec("BEGIN IMMEDIATE");
  const calls = [creation("third"), { verb: "listChannels", parameters: ["olga", 10] } as const];
  const [refused, list] = engine.run(calls as unknown as Call[]);
  other.exec("ROLLBACK");
  other.close();
  expect(refused).toEqual({ error: "database is locked", unavailable: true });
  expect(list).toEqual({ value: [expect.anything(), expect.anything()] });
  expect(db.prepare("SELECT id FROM channels WHERE id = 'third'").all()).toEqual([]);
});
