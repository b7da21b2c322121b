import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { moveFeedConsumer } from "#botyard/operations/logs/move-consumer.js";
import { type FeedStart, feedReader } from "#botyard/operations/logs/read-feed.js";
import type { Store } from "#botyard/store/store.js";
import {
  aDirectory,
  aPoster,
  bodiesIn,
  feedStoreOf,
  openCells,
  type Poster,
  type TestCells,
  type TestDirectory,
} from "../support/cells-world.js";
import { attachAll } from "../support/feed-world.js";

const OWNERS_PER_CELL = 2;
const CELLS = 3;
const CONSUMER = "main";

type Action =
  | { kind: "post"; owner: number; count: number }
  | { kind: "read"; limit: number }
  | { kind: "consume"; limit: number; isMoved: boolean; recovers: boolean }
  | { kind: "rewind"; reader: "cursor" | "consumer"; to: number }
  | { kind: "fail"; cell: number }
  | { kind: "recover" }
  | { kind: "move"; owner: number; to: number }
  | { kind: "add cell" };

const limit = fc.integer({ min: 1, max: 12 });
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("post" as const),
      owner: fc.nat(OWNERS_PER_CELL * (CELLS + 1) - 1),
      count: fc.integer({ min: 1, max: 5 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("read" as const), limit }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("consume" as const),
      limit,
      isMoved: fc.boolean(),
      recovers: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("rewind" as const),
      reader: fc.constantFrom("cursor" as const, "consumer" as const),
      to: fc.nat(50),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("fail" as const),
      cell: fc.nat(CELLS),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("recover" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("add cell" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("move" as const),
      owner: fc.nat(OWNERS_PER_CELL * (CELLS + 1) - 1),
      to: fc.nat(CELLS),
    }),
  },
);

/** A reader, with everything that it has got. */
interface Reader {
  cursor: string | undefined;
  got: string[];
  /** Where it was, to be rewound to. */
  before: { cursor: string; got: string[] }[];
}

const aReader = (): Reader => ({ cursor: undefined, got: [], before: [] });

let opened: TestCells;
beforeAll(async () => {
  opened = await openCells(CELLS + 1);
});
afterAll(() => opened.close());

/** A feed that begins now, over all cells but the last. */
async function begin(): Promise<{ store: Store; posters: Poster[]; directory: TestDirectory }> {
  for (const cell of opened.all) {
    cell.outage = "none";
    await cell.real.switchFeed(false);
  }
  opened.cells.splice(0, opened.cells.length, ...opened.all.slice(0, CELLS));
  const directory = aDirectory();
  const store = feedStoreOf(opened, directory);
  await store.switchFeed(true);
  await attachAll(store);
  const posters: Poster[] = [];
  for (const cell of opened.cells) {
    for (let n = 0; n < OWNERS_PER_CELL; n += 1) posters.push(await aPoster(cell));
  }
  return { store, posters, directory };
}

const start = (cursor: string | undefined): FeedStart =>
  cursor === undefined ? "oldest" : { after: cursor };

describe("the feed of several cells", () => {
  it("brings everything once to a cursor and to a consumer, in order for each owner", async () => {
    let reads = 0;
    let partial = 0;
    const run = async (actions: readonly Action[]): Promise<void> => {
      const { store, posters, directory } = await begin();
      const cursor = aReader();
      const consumer = aReader();
      const isWhole = () => opened.cells.every(({ outage }) => outage === "none");

      const read = async (size: number): Promise<number> => {
        const page = await feedReader(store, start(cursor.cursor), { limit: size })();
        expect(page.items.length).toBeLessThanOrEqual(size);
        cursor.got.push(...bodiesIn(page.items));
        cursor.cursor = page.cursor;
        if (isWhole()) cursor.before.push({ cursor: page.cursor, got: [...cursor.got] });
        reads += 1;
        if (!isWhole()) partial += 1;
        return page.items.length;
      };
      const recover = (): void => {
        for (const cell of opened.cells) cell.outage = "none";
      };
      const consume = async (size: number, isMoved: boolean, recovers = false): Promise<number> => {
        const page = await feedReader(store, { consumer: CONSUMER }, { limit: size })();
        const wasWhole = isWhole();
        if (recovers) recover();
        if (!isMoved) return page.items.length;
        await moveFeedConsumer(store, CONSUMER, page.cursor, false);
        consumer.got.push(...bodiesIn(page.items));
        if (wasWhole) consumer.before.push({ cursor: page.cursor, got: [...consumer.got] });
        return page.items.length;
      };
      const rewind = async ({ reader, to }: Extract<Action, { kind: "rewind" }>): Promise<void> => {
        const of = reader === "cursor" ? cursor : consumer;
        const place = of.before[to % Math.max(1, of.before.length)];
        if (!place || !isWhole()) return;
        of.got = [...place.got];
        of.cursor = place.cursor;
        if (reader === "consumer") await moveFeedConsumer(store, CONSUMER, place.cursor, true);
      };
      await consume(1, true);

      for (const one of actions) {
        switch (one.kind) {
          case "post":
            await posters[one.owner]?.post(one.count);
            break;
          case "read":
            await read(one.limit);
            break;
          case "consume":
            await consume(one.limit, one.isMoved, one.recovers);
            break;
          case "rewind":
            await rewind(one);
            break;
          case "fail": {
            const others = opened.cells.filter(
              ({ outage }, index) => outage === "none" && index !== one.cell,
            );
            const cell = opened.cells[one.cell];
            if (cell && others.length > 0) cell.outage = "refuses";
            break;
          }
          case "recover":
            recover();
            break;
          case "move": {
            const [poster, cell] = [posters[one.owner], opened.cells[one.to]];
            if (poster && cell) directory.moved = [...directory.moved, await poster.moveTo(cell)];
            break;
          }
          case "add cell": {
            const cell = opened.all[opened.cells.length];
            if (!cell) break;
            await cell.real.switchFeed(true);
            opened.cells.push(cell);
            for (let n = 0; n < OWNERS_PER_CELL; n += 1) posters.push(await aPoster(cell));
          }
        }
      }
      recover();
      while ((await read(7)) > 0);
      while ((await consume(7, true)) > 0);
      for (const { got } of [cursor, consumer]) {
        const byOwner = posters.map(({ ownerUserId }) =>
          got.filter((body) => body.startsWith(`${ownerUserId} `)),
        );
        expect(byOwner).toEqual(posters.map(({ posted }) => posted));
      }
      const [known] = await store.listConsumers("feed");
      expect(known).toMatchObject({ name: CONSUMER, lag: 0 });
    };
    await fc.assert(fc.asyncProperty(fc.array(action, { minLength: 30, maxLength: 60, size: "max" }), run), {
      numRuns: 12,
      endOnFailure: true,
    });
    // The property has met outages and none.
    expect(partial).toBeGreaterThan(0);
    expect(reads).toBeGreaterThan(partial);
  });
});
