import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decodeFeedCursor,
  encodeFeedCursor,
  isPositionOf,
  MAX_CURSOR_POSITIONS,
  partitionOf,
} from "#botyard/domain/events/feed.js";

const feedId = fc
  .uint8Array({ minLength: 8, maxLength: 8 })
  .map((bytes) => Buffer.from(bytes).toString("hex"));
const positions = fc.array(fc.nat(Number.MAX_SAFE_INTEGER), { minLength: 1, maxLength: 256, size: "max" });
const cursorOf = (numbers: readonly number[]) => ({ feedId: "0123456789abcdef", positions: numbers });

describe("a cursor of the feed", () => {
  it("is read back as it was written", () => {
    fc.assert(
      fc.property(feedId, positions, (id, numbers) => {
        const cursor = { feedId: id, positions: numbers };
        expect(decodeFeedCursor(encodeFeedCursor(cursor))).toEqual(cursor);
      }),
    );
  });

  it("has one spelling, and no other text is one", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...Array.from("AQBg_-=09zZ ")), maxLength: 40, size: "max" }),
        (text) => {
          const cursor = decodeFeedCursor(text);
          expect(cursor === undefined ? text : encodeFeedCursor(cursor)).toBe(text);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("is short enough for a query, also far into the logs of sixteen partitions", () => {
    const cursor = { feedId: "0123456789abcdef", positions: Array.from({ length: 16 }, () => 10_000_000) };
    expect(encodeFeedCursor(cursor).length).toBeLessThan(128);
  });

  it("has a position for each partition of 64 cells, also far into their logs", () => {
    const most = cursorOf(Array.from({ length: MAX_CURSOR_POSITIONS }, () => Number.MAX_SAFE_INTEGER));
    expect(encodeFeedCursor(most).length).toBeLessThanOrEqual(11_000);
    expect(decodeFeedCursor(encodeFeedCursor(most))).toEqual(most);
    const more = encodeFeedCursor(cursorOf([...most.positions.map(() => 1), 1]));
    expect(decodeFeedCursor(more)).toBeUndefined();
  });

  it("may have fewer positions than the feed has partitions, but not more", () => {
    const feed = { feedId: "0123456789abcdef", heads: [4, 2] };
    expect([[4, 2], [4], [5], [4, 3], [4, 2, 0]].map((list) => isPositionOf(cursorOf(list), feed))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});

it("spreads owners over the partitions evenly", () => {
  const counts = Array.from({ length: 16 }, () => 0);
  for (let owner = 0; owner < 16_000; owner += 1) {
    const partition = partitionOf(`owner-${owner}`, 16);
    counts[partition] = (counts[partition] ?? 0) + 1;
  }
  expect(Math.min(...counts)).toBeGreaterThan(800);
});
