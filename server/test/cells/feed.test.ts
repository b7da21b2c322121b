import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { createAskCells } from "#botyard/store/cells/ask-cells.js";
import { FEED, type FeedRead, type Store } from "#botyard/store/store.js";
import {
  aDirectory,
  aPoster,
  bodiesIn,
  feedStoreOf,
  openCells,
  type Poster,
  type TestCell,
  type TestCells,
  type TestDirectory,
} from "../support/cells-world.js";
import { attachAll, readAll } from "../support/feed-world.js";
import { expireUpdates } from "../support/upkeep.js";

const MAX_CONSUMERS = 16;
const FAR = Date.UTC(2100, 0, 1);

const opening = openCells(4);
let opened: TestCells;
let store: Store;
let directory: TestDirectory;
let first: TestCell;
let second: TestCell;
let last: TestCell;

/** A feed that begins now, over all cells but the last. */
beforeEach(async () => {
  opened = await opening;
  for (const cell of opened.all) {
    cell.outage = "none";
    await cell.real.switchFeed(false);
  }
  opened.cells.splice(0, opened.cells.length, ...opened.all.slice(0, 3));
  [first, second] = opened.all as [TestCell, TestCell];
  last = opened.all.at(-1) as TestCell;
  directory = aDirectory();
  store = feedStoreOf(opened, directory);
  await store.switchFeed(true);
  await attachAll(store);
});
afterAll(async () => (await opening).close());

const read = async (
  from: Parameters<Store["readFeed"]>[0],
  limit = 100,
  maxBytes?: number,
): Promise<FeedRead> => {
  const found = await store.readFeed(from, limit, maxBytes);
  if (!found) throw new Error("there is no such feed or consumer");
  return found;
};
const postersIn = (...cells: TestCell[]): Promise<Poster[]> =>
  Promise.all(cells.map((cell) => aPoster(cell)));
const readFrom = async (): Promise<number> => {
  for (const cell of opened.all) cell.itemsRead = 0;
  await read([], 12);
  return opened.all.reduce((sum, { itemsRead }) => sum + itemsRead, 0);
};
const moveTo = (
  positions: readonly number[],
  { rewind = false, name = "main", from = undefined as readonly number[] | undefined } = {},
) =>
  store.moveConsumer(
    FEED,
    name,
    { feedId: directory.stored?.feedId ?? "", positions, rewind, ...(from && { from }) },
    7,
  );

describe("a page of the feed of several cells", () => {
  it("takes from each cell, whatever the backlog of another", async () => {
    const [busy, quiet] = (await postersIn(first, second)) as [Poster, Poster];
    await busy.post(40);
    await quiet.post(2);
    const page = await read([], 8);
    expect(page.events).toHaveLength(8);
    expect(bodiesIn(page.events)).toEqual(expect.arrayContaining(quiet.posted));
  });

  it("has the oldest event first when there are more cells than items", async () => {
    const [one, other] = (await postersIn(second, first)) as [Poster, Poster];
    const { heads } = await read([], 0);
    await one.post();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await other.post();
    expect(bodiesIn((await read(heads, 1)).events)).toEqual(one.posted);
  });

  it("is filled by one cell, and costs about its items", async () => {
    const [busy] = (await postersIn(second)) as [Poster];
    await busy.post(40);
    expect((await read([], 12)).events).toHaveLength(12);
    expect(await readFrom()).toBeLessThanOrEqual(12);
    for (const poster of await postersIn(first, second)) await poster.post(40);
    expect(await readFrom()).toBeLessThanOrEqual(2 * 12);
  });

  it("ends before its payloads exceed the bytes, unless the first does", async () => {
    for (const poster of await postersIn(first, second)) await poster.post(10);
    const { heads } = await read([], 0);
    expect(heads.length).toBe(3);
    const { events } = await read([], 100, 700);
    const bytes = events.reduce((sum, { payload }) => sum + Buffer.byteLength(payload), 0);
    expect(bytes).toBeGreaterThan(300);
    expect(bytes).toBeLessThanOrEqual(700);
    expect((await read([], 100, 1)).events).toHaveLength(1);
    const all = (await readAll(store, 3)).filter(({ eventType }) => eventType === "channel.post_created");
    expect(all).toHaveLength(20);
  });
});

describe("a cell that is unavailable", () => {
  it("is left out and named, and its positions stay", async () => {
    const [one, other] = (await postersIn(first, second)) as [Poster, Poster];
    await one.post(2);
    await other.post(2);
    const before = await read([]);
    second.outage = "refuses";
    await one.post();
    await other.post();
    const during = await read(before.heads);
    expect(during).toMatchObject({ away: ["cell-1"], positions: before.heads });
    expect(bodiesIn(during.events)).toEqual(one.posted.slice(2));
    expect(during.heads[1]).toBe(before.heads[1]);
    expect(during.tails[1]).toBeLessThanOrEqual((before.heads[1] ?? 0) + 1);
    second.outage = "none";
    const after = await read(during.heads);
    expect(bodiesIn(after.events)).toEqual(other.posted.slice(2));
    expect(after.away).toBeUndefined();
  });

  it("delays only the first read when it hangs, and is tried again", async () => {
    store = feedStoreOf(opened, directory, createAskCells(400, 600));
    await read([]);
    second.outage = "hangs";
    expect((await read([])).away).toEqual(["cell-1"]);
    const beganAt = performance.now();
    for (let n = 0; n < 3; n += 1) expect((await read([])).away).toEqual(["cell-1"]);
    expect(performance.now() - beganAt).toBeLessThan(400);
    second.outage = "none";
    await expect.poll(async () => (await read([])).away).toBeUndefined();
  });

  it("stops everything only when all are", async () => {
    await read([]);
    for (const cell of opened.cells) cell.outage = "refuses";
    await expect(store.readFeed([], 1)).rejects.toThrow("unavailable cells: cell-0, cell-1, cell-2");
  });

  it("is switched on later, when channels are attached", async () => {
    await store.switchFeed(false);
    expect(await store.hasFeed()).toBe(false);
    expect(await store.readFeed([], 1)).toBeUndefined();
    second.outage = "refuses";
    await store.switchFeed(true);
    await expect(attachAll(store)).rejects.toThrow("gone");
    expect((await read([])).away).toContain("cell-1");
    second.outage = "none";
    const [poster] = (await postersIn(second)) as [Poster];
    await attachAll(store);
    await poster.post();
    const { events, away, heads } = await read([]);
    expect([bodiesIn(events), away, heads.length]).toEqual([poster.posted, undefined, 3]);
  });

  it("that missed the end of a feed has none of its events in the next", async () => {
    const [poster] = (await postersIn(second)) as [Poster];
    await poster.post();
    second.outage = "refuses";
    await store.switchFeed(false);
    second.outage = "none";
    await store.switchFeed(true);
    expect((await read([])).events).toEqual([]);
  });
});

describe("an owner who was moved", () => {
  it("waits for a cell that has not answered yet, but not for one that is gone", async () => {
    const [poster] = (await postersIn(first)) as [Poster];
    const { ownerUserId } = poster;
    const state = await first.real.readFeed([], 0);
    const to = { cell: first.number, feedId: state?.feedId ?? "", heads: state?.heads ?? [] };
    directory.moved = [{ ownerUserId, from: { cell: last.number, feedId: "x", heads: [1] }, to }];
    await poster.post();
    opened.cells.push(last);
    const waiting = await read([]);
    expect(bodiesIn(waiting.events)).toEqual([]);
    // A reader that waits is not told that there is more.
    expect(waiting.heads).toEqual([...to.heads, 0, 0]);
    opened.cells.pop();
    expect(bodiesIn((await read([])).events)).toEqual(poster.posted);
  });
});

describe("the id of the feed", () => {
  it("is that of the first cell, also once a cell is added", async () => {
    const { feedId, heads } = await read([]);
    expect(feedId).toBe((await first.real.readFeed([], 0))?.feedId);
    opened.cells.push(last);
    expect((await read(heads)).away).toEqual(["cell-3"]);
    await last.real.switchFeed(true);
    const after = await read(heads);
    expect([after.feedId, after.heads.length]).toEqual([feedId, heads.length + 1]);
  });

  it("changes for all instances when the feed of a cell was switched off and on again", async () => {
    const other = feedStoreOf(opened, directory);
    const { feedId } = await read([]);
    await store.openConsumer(FEED, "main", 1);
    await second.real.switchFeed(false);
    await second.real.switchFeed(true);
    const after = await read([]);
    expect(after.feedId).toMatch(/^[0-9a-f]{16}$/);
    expect(after.feedId).not.toBe(feedId);
    expect((await other.readFeed([], 0))?.feedId).toBe(after.feedId);
    expect(await store.findConsumer(FEED, "main")).toMatchObject({ feedId: after.feedId });
    expect(
      await store.moveConsumer(FEED, "main", { feedId, positions: after.heads, rewind: false }, 1),
    ).toEqual({ refused: "another feed" });
  });

  it("and the cursors are those of the first cell from before there were others", async () => {
    const [one, other] = (await postersIn(first, second)) as [Poster, Poster];
    await one.post(2);
    await other.post(2);
    const before = await first.real.readFeed([], 100);
    await one.post();
    const after = await read(before?.heads ?? []);
    expect(after.feedId).toBe(before?.feedId);
    expect(bodiesIn(after.events).toSorted()).toEqual([...one.posted.slice(2), ...other.posted].toSorted());
  });

  it("is known to an instance that has missed a new cell", async () => {
    const late = feedStoreOf({ cells: [...opened.cells] }, directory);
    await late.readFeed([], 0);
    opened.cells.push(last);
    await last.real.switchFeed(true);
    const { heads } = await read([]);
    expect((await late.readFeed(heads, 0))?.heads).toHaveLength(heads.length);
  });
});

describe("consumers of the feed of several cells", () => {
  it("move forward in each cell, or are refused in all", async () => {
    const [one, other] = (await postersIn(first, second)) as [Poster, Poster];
    await one.post(3);
    await other.post(3);
    const { heads, tails } = await read([]);
    const start = tails.map((tail) => tail - 1);
    const [a, b, c] = heads as [number, number, number];
    expect(await store.openConsumer(FEED, "Main", 5)).toMatchObject({ positions: start });
    expect(await store.openConsumer(FEED, "MAIN", 6)).toMatchObject({ positions: start });
    expect(await moveTo([a - 1, b - 1])).toMatchObject({
      name: "Main",
      positions: [a - 1, b - 1, 0],
      lag: 2 + c,
    });
    expect(await moveTo([a, b - 2])).toEqual({ refused: "backwards", position: b - 1 });
    expect(await moveTo([a, b + 1])).toEqual({ refused: "beyond the log", head: b });
    expect(await moveTo([a, b, c, 0])).toEqual({ refused: "another feed" });
    expect(await moveTo([a, b], { from: [a - 1, b - 2] })).toBeUndefined();
    expect(await moveTo([a, b], { from: [a - 1, b - 1], name: "new" })).toBeUndefined();
    expect(await store.findConsumer(FEED, "main")).toMatchObject({ positions: [a - 1, b - 1, 0] });
    expect(await moveTo([a, b - 1], { from: [a - 1, b - 1] })).toMatchObject({ positions: [a, b - 1, 0] });
    expect(bodiesIn((await read({ consumer: "main" })).events)).toEqual(other.posted.slice(-1));
    const unknown = { from: [a, 0, 0] };
    expect(await moveTo([a, b, 0], unknown)).toMatchObject({ positions: [a, b, 0] });
    expect(await moveTo([1, 2], { rewind: true })).toMatchObject({ positions: [1, 2, 0] });
    expect(await moveTo([a, b], { name: "other" })).toMatchObject({ positions: [a, b, 0], createdAt: 7 });
    await store.noteConsumerPolls([
      { botId: FEED, name: "MAIN", at: 9 },
      { botId: "a bot", name: "main", at: 9 },
    ]);
    expect(await store.listConsumers(FEED)).toMatchObject([
      { name: "Main", createdAt: 5, lastPolledAt: 9 },
      { name: "other", createdAt: 7 },
    ]);
    expect(await store.deleteConsumer(FEED, "MAIN")).toBe(true);
    expect(await store.deleteConsumer(FEED, "main")).toBe(false);
    expect(await store.readFeed({ consumer: "main" }, 1)).toBeUndefined();
    for (const { real } of opened.cells) expect(await real.findConsumer(FEED, "main")).toBeUndefined();
  });

  it("are created where a move says, also before the oldest that is kept", async () => {
    const [one, other] = (await postersIn(first, second)) as [Poster, Poster];
    await one.post(3);
    await other.post(3);
    while (await expireUpdates(second.real, FAR, 10));
    const { heads, tails } = await read([]);
    const [a, b] = heads as [number, number];
    expect(tails[1]).toBe(b + 1);
    expect(await moveTo([a, 2])).toMatchObject({ positions: [a, 2, 0] });
    expect(await store.openConsumer(FEED, "other", 1)).toMatchObject({ positions: [0, b, 0] });
  });

  it("are at most as many as in one", async () => {
    for (let n = 0; n < MAX_CONSUMERS; n += 1) await store.openConsumer(FEED, `c${n}`, n + 1);
    expect(await store.openConsumer(FEED, "more", 99)).toBe("too many");
    expect(await moveTo([0], { name: "more" })).toEqual({ refused: "too many consumers" });
    expect(await store.listConsumers(FEED)).toHaveLength(MAX_CONSUMERS);
    for (const { real } of opened.cells) expect(await real.findConsumer(FEED, "more")).toBeUndefined();
  });

  it("begin anew everywhere, where a deleted one was left behind too", async () => {
    const [one, other] = (await postersIn(first, second)) as [Poster, Poster];
    await one.post();
    await other.post();
    const { heads } = await read([]);
    await moveTo(heads, { name: "main" });
    await first.real.deleteConsumer(FEED, "main");
    expect(await store.findConsumer(FEED, "main")).toBeUndefined();
    await store.openConsumer(FEED, "main", Date.now());
    expect(bodiesIn((await read({ consumer: "main" })).events).toSorted()).toEqual(
      [...one.posted, ...other.posted].toSorted(),
    );
  });

  it("are neither deleted while a cell is unavailable, nor created without the first", async () => {
    await store.openConsumer(FEED, "main", 1);
    second.outage = "refuses";
    await expect(store.deleteConsumer(FEED, "main")).rejects.toThrow("unavailable cells: cell-1");
    expect(await store.findConsumer(FEED, "main")).toBeDefined();
    expect(await store.openConsumer(FEED, "made meanwhile", 2)).toBeDefined();
    second.outage = "none";
    first.outage = "refuses";
    expect(await store.findConsumer(FEED, "main")).toBeDefined();
    await expect(store.openConsumer(FEED, "new", 1)).rejects.toThrow("cell-0");
    await expect(moveTo([0, 0], { name: "new" })).rejects.toThrow("cell-0");
    first.outage = "none";
    expect((await read({ consumer: "made meanwhile" })).away).toBeUndefined();
  });
});
