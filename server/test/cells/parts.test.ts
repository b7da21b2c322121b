import { describe, expect, it } from "vitest";
import { partitionOf } from "#botyard/domain/events/feed.js";
import { type Cell, KEYS_PER_CELL } from "#botyard/store/cells/cell.js";
import { type FeedLayout, layoutAfter, partOfList } from "#botyard/store/cells/feed/feed-layout.js";
import { createBarrier, type FeedBoundary } from "#botyard/store/cells/moves/owner-moves.js";
import { stepThroughCells } from "#botyard/store/cells/spanning/cell-steps.js";
import { FIRST_FEED_KEY } from "#botyard/store/store.js";

const aState = (feedId: string, partitions = 2) => ({
  feedId,
  heads: Array.from({ length: partitions }, () => 0),
});

describe("the layout of a feed of cells", () => {
  const cells = [0, 2, 5];
  const ofTwo = layoutAfter(
    undefined,
    [0, 2],
    new Map([
      [0, aState("a")],
      [2, aState("b", 3)],
    ]),
  ) as FeedLayout;

  it("appends cells, and only behind one that has answered", () => {
    expect(ofTwo).toEqual({
      feedId: "a",
      parts: [
        { cell: 0, feedId: "a", partitions: 2 },
        { cell: 2, feedId: "b", partitions: 3 },
      ],
    });
    const first = layoutAfter(
      undefined,
      cells,
      new Map([
        [0, aState("a")],
        [5, aState("c")],
      ]),
    );
    expect(first?.parts.map(({ cell }) => cell)).toEqual([0]);
    const all = layoutAfter(
      first,
      cells,
      new Map([
        [2, aState("b")],
        [5, aState("c")],
      ]),
    );
    expect(all?.parts.map(({ cell }) => cell)).toEqual(cells);
    expect(all?.feedId).toBe("a");
    expect(layoutAfter(undefined, cells, new Map([[2, aState("b")]]))).toBeUndefined();
  });

  it("stays the same object while nothing changes, and keeps the part of a cell that was removed", () => {
    expect(layoutAfter(ofTwo, [0, 2], new Map([[2, aState("b", 3)]]))).toBe(ofTwo);
    const later = layoutAfter(ofTwo, [0, 5], new Map([[5, aState("c")]]));
    expect(later?.parts.map(({ cell }) => cell)).toEqual(cells);
  });

  it("gets another id with each feed that was replaced", () => {
    const once = layoutAfter(ofTwo, [0, 2], new Map([[2, aState("b2", 3)]])) as FeedLayout;
    const twice = layoutAfter(once, [0, 2], new Map([[2, aState("b", 3)]])) as FeedLayout;
    expect(new Set([ofTwo, once, twice].map(({ feedId }) => feedId)).size).toBe(3);
    expect(layoutAfter(ofTwo, [0, 2], new Map([[2, aState("b2", 3)]]))).toEqual(once);
  });

  it("divides positions among its parts", () => {
    expect(partOfList(ofTwo, 0, [1, 2, 3])).toEqual([1, 2]);
    expect(partOfList(ofTwo, 2, [1, 2, 3])).toEqual([3]);
    expect(partOfList(ofTwo, 5, [1, 2, 3])).toEqual([]);
  });
});

describe("the barrier of owners who were moved", () => {
  const PARTITIONS = 4;
  const owner = "alice";
  const own = partitionOf(owner, PARTITIONS);
  const heads = (head: number) => Array.from({ length: PARTITIONS }, () => head);
  const move: FeedBoundary = {
    ownerUserId: owner,
    from: { cell: 0, feedId: "a", heads: heads(10) },
    to: { cell: 1, feedId: "b", heads: heads(20) },
  };
  const hasToWait = (
    reached: number,
    { number = 21, ownerUserId = owner as string | null, partition = own, cell = 1, feedId = "b" },
  ) =>
    createBarrier([move], ({ cell: from, feedId: ofFeed }, at) =>
      from === 0 && ofFeed === "a" && at === own ? reached : Number.POSITIVE_INFINITY,
    )(cell, feedId, { number, partition, ...(ownerUserId !== null && { ownerUserId }) });

  it("keeps an event back until those in the cell before are read", () => {
    expect(hasToWait(9, {})).toBe(true);
    expect(hasToWait(10, {})).toBe(false);
    expect(hasToWait(9, { number: 20 })).toBe(false);
    expect(hasToWait(9, { ownerUserId: "bob" })).toBe(false);
    expect(hasToWait(9, { cell: 0 })).toBe(false);
  });

  it("takes an event without an owner for one of theirs in the same partition only", () => {
    expect(hasToWait(9, { ownerUserId: null })).toBe(true);
    expect(hasToWait(10, { ownerUserId: null })).toBe(false);
    expect(hasToWait(9, { ownerUserId: null, partition: (own + 1) % PARTITIONS })).toBe(false);
  });

  it("counts every event of a feed that was begun since as after the move", () => {
    expect(hasToWait(9, { number: 1, feedId: "b2" })).toBe(true);
  });

  it("costs the same for ten thousand moves", () => {
    const moves = Array.from({ length: 10_000 }, (_, n) => ({ ...move, ownerUserId: `owner-${n}` }));
    createBarrier(moves, () => 0);
    const beganAt = performance.now();
    for (let page = 0; page < 1_000; page += 1)
      createBarrier(moves, () => 0)(1, "b", { number: 21, partition: 0, ownerUserId: `owner-${page}` });
    expect(performance.now() - beganAt).toBeLessThan(3_000);
  });
});

describe("a walk over cells by steps", () => {
  const cells = [0, 1, 4, 126].map((number) => ({ name: `${number}`, number }) as Cell);
  /** The keys of a cell: of bots, and of the feed. */
  const keysIn = ({ number }: Cell): number[] =>
    number === 1
      ? []
      : [
          number * KEYS_PER_CELL,
          number * KEYS_PER_CELL + 7,
          FIRST_FEED_KEY,
          FIRST_FEED_KEY + 256 * 1_000_000,
        ];

  for (const limit of [1, 2, 3, 10]) {
    it(`comes to every key once, ${limit} at a time`, async () => {
      const seen: string[] = [];
      let from: number | undefined = 0;
      while (from !== undefined) {
        expect(Number.isSafeInteger(from)).toBe(true);
        const step: { next?: number } | undefined = await stepThroughCells(cells, from, async (cell, key) => {
          // The lowest key of the first cell is 1, so that after 0 is the beginning.
          const keys = keysIn(cell).map((own) => Math.max(own, 1));
          const found = keys.filter((own) => own > key).slice(0, limit);
          seen.push(...found.map((own) => `${cell.name} ${own}`));
          const last = found.at(-1);
          return found.length === limit && last !== undefined ? { next: last } : {};
        });
        from = step?.next;
      }
      expect(seen).toEqual(
        cells.flatMap((cell) => keysIn(cell).map((key) => `${cell.name} ${Math.max(key, 1)}`)),
      );
    });
  }

  it("goes on with the next cell when one was removed meanwhile", async () => {
    const place = (await stepThroughCells(cells, 0, async () => ({ next: undefined })))?.next ?? 0;
    const left = cells.filter(({ number }) => number !== 1);
    const step = async ({ number }: Cell, key: number) => ({ at: [number, key], next: undefined });
    expect(await stepThroughCells(left, place, step)).toMatchObject({ at: [4, 0] });
    expect(await stepThroughCells([], 0, step)).toBeUndefined();
  });
});
