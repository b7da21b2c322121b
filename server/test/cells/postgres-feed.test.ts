import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { feedReader } from "#botyard/operations/logs/read-feed.js";
import { createAskCells } from "#botyard/store/cells/ask-cells.js";
import { spanningLists } from "#botyard/store/cells/spanning/spanning-lists.js";
import { FEED, type Store } from "#botyard/store/store.js";
import {
  aDirectory,
  aPoster,
  bodiesIn,
  feedStoreOf,
  openCells,
  type Poster,
  type TestCell,
  type TestCells,
} from "../support/cells-world.js";
import { attachAll } from "../support/feed-world.js";
import { NOW } from "../support/store-fixtures.js";

const OWNERS = 12;
const PARTITIONS = 16;

describe("cells on PostgreSQL", () => {
  let opened: TestCells;
  let store: Store;
  let posters: Poster[];
  const directory = aDirectory();

  beforeAll(async () => {
    opened = await openCells(2, "postgres");
    const last = opened.cells.pop() as TestCell;
    store = feedStoreOf(opened, directory);
    await store.switchFeed(true);
    posters = await Promise.all(Array.from({ length: OWNERS }, () => aPoster(opened.cells[0] as TestCell)));
    await attachAll(store);
    for (const poster of posters) await poster.post(2);
    await store.openConsumer(FEED, "main", 1);
    const before = await store.readFeed({ consumer: "main" }, 0);
    expect(before?.heads).toHaveLength(PARTITIONS);
    await last.real.switchFeed(true);
    opened.cells.push(last);
  });
  afterAll(() => opened.close());

  it("are one feed, also for owners who are moved", async () => {
    const [first, second] = opened.all as [TestCell, TestCell];
    for (const [index, poster] of posters.entries()) {
      if (index % 2 === 0) directory.moved = [...directory.moved, await poster.moveTo(second)];
      await poster.post(3);
      if (index % 4 === 0) directory.moved = [...directory.moved, await poster.moveTo(first)];
      await poster.post(1);
    }
    const got: string[] = [];
    let cursor: string | undefined;
    for (;;) {
      const page = await feedReader(store, cursor === undefined ? "oldest" : { after: cursor }, {
        limit: 7,
      })();
      if (page.items.length === 0) break;
      got.push(...bodiesIn(page.items));
      ({ cursor } = page);
    }
    for (const { ownerUserId, posted } of posters)
      expect(got.filter((body) => body.startsWith(`${ownerUserId} `))).toEqual(posted);
    expect(posters.every(({ posted }) => posted.length === 6)).toBe(true);
    const heads = (await store.readFeed([], 0))?.heads ?? [];
    expect(heads).toHaveLength(2 * PARTITIONS);
    const { feedId = "" } = directory.stored ?? {};
    const moved = await store.moveConsumer(FEED, "main", { feedId, positions: heads, rewind: false }, 2);
    expect(moved).toMatchObject({ positions: heads, lag: 0 });
    expect((await store.readFeed({ consumer: "main" }, 10))?.events).toEqual([]);
  });

  it("list owners in one order", async () => {
    const ids = ["b", "A", "a", "ä", "B", "\u{1f600}", "\uffee"];
    for (const [index, id] of ids.entries())
      await (opened.all[index % 2] as TestCell).real.putOwner(id, { metadata: "{}" }, NOW);
    const { listOwners } = spanningLists(() => opened.cells, createAskCells());
    const found: string[] = [];
    for (;;) {
      const page = await listOwners(2, found.at(-1));
      if (page.length === 0) break;
      found.push(...page.map(({ ownerUserId }) => ownerUserId));
    }
    expect(found).toEqual(["A", "B", "a", "b", "ä", "\uffee", "\u{1f600}"]);
  });
});
