import { afterEach, beforeEach, expect, it } from "vitest";
import { createHomeOn, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { botyard, run } from "../support/program.js";
import { aPost, attach, makeBot, makeChannel, OWNER } from "../support/store-fixtures.js";

let source: StoreHome;
let target: StoreHome;
beforeEach(async () => {
  source = await createHomeOn("sqlite");
  target = await createHomeOn("postgres");
});
afterEach(async () => {
  await source.remove();
  await target.remove();
});

/** The bound in time is the test's own; that in memory is a heap that the payloads alone would overfill. */
it("a copy of any size has a few batches in memory, and Ctrl-C interrupts it", async () => {
  const heapMegabytes = 80;
  const [bots, posts, bodyBytes] = [20, 3_000, 40_000] as const;
  expect(posts * bodyBytes).toBeGreaterThan(1.4 * heapMegabytes * 1e6);

  const store = await source.open();
  const channelId = await makeChannel(store);
  for (let i = 0; i < bots; i++) await attach(store, await makeBot(store), channelId);
  for (let i = 0; i < posts; i += 50) {
    const batch = Array.from({ length: 50 }, (_, n) =>
      aPost(channelId, `${i + n}`.padEnd(bodyBytes, "."), { ownerUserId: OWNER }),
    );
    expect((await store.appendPosts(batch)).every(Boolean)).toBe(true);
  }
  await store.close();

  const startCopy = () =>
    run(process.execPath, [
      `--max-old-space-size=${heapMegabytes}`,
      botyard,
      "copy",
      "--json",
      "--from",
      `sqlite:${source.dataDir}`,
      "--to",
      target.environment.DATABASE_URL ?? "",
    ]);
  const stopped = startCopy();
  await eventually("the copy is under way", () => stopped.stderr().includes("copying  0 of"));
  expect(await stopped.stop("SIGINT")).toBe(1);
  expect(stopped.stderr()).toContain(
    "interrupted; what was copied is kept, and the same command goes on from there",
  );

  const finished = startCopy();
  expect(await finished.exit, finished.stderr()).toBe(0);
  const { continued, tables } = JSON.parse(finished.stdout());
  expect(continued).toBe(true);
  expect(tables).toContainEqual(expect.objectContaining({ table: "entries", rows: bots * posts }));
  expect(tables).toContainEqual(expect.objectContaining({ table: "events", rows: posts }));
});
