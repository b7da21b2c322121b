import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { UNOBSERVED } from "#botyard/store/observer.js";
import { createBatcher } from "#botyard/store/postgres/connection/batcher.js";
import { StoreUnavailable } from "#botyard/store/store.js";

const LIMITS = {
  maxItems: 1_000,
  maxBatches: 3,
  observer: UNOBSERVED,
  resultsOf: (results: number[]) => results,
};

describe("a batch", () => {
  it("that fails for a reason of its own is halved until the item at fault stands alone", async () => {
    let trips = 0;
    const call = createBatcher<number, number[], number>({
      ...LIMITS,
      async run(items) {
        trips += 1;
        if (items.includes(77)) throw new Error("77 cannot be stored");
        return items.map((item) => item * 2);
      },
    });
    const results = await Promise.allSettled(Array.from({ length: 500 }, (_, n) => call(n)));
    for (const [n, result] of results.entries()) {
      if (n === 77) expect(result).toMatchObject({ reason: { message: "77 cannot be stored" } });
      else expect(result).toMatchObject({ value: n * 2 });
    }
    // Both halves of nine sizes and the whole, not one for each of 500.
    expect(trips).toBeLessThanOrEqual(19);
  });

  it("that fails in an outage of the database is not repeated", async () => {
    let trips = 0;
    const call = createBatcher<number, number[], number>({
      ...LIMITS,
      async run() {
        trips += 1;
        throw new StoreUnavailable("gone");
      },
    });
    const results = await Promise.allSettled(Array.from({ length: 500 }, (_, n) => call(n)));
    expect(results.every(({ status }) => status === "rejected")).toBe(true);
    expect(trips).toBe(1);
  });

  it("is one at a time while they are quick, and at most as many as allowed when all are late", async () => {
    let mostUnderWay = 0;
    let underWay = 0;
    let takesMs = 1;
    const call = createBatcher<number, number[], number>({
      ...LIMITS,
      maxItems: 10,
      async run(items) {
        underWay += 1;
        mostUnderWay = Math.max(mostUnderWay, underWay);
        if (takesMs > 1) await sleep(takesMs);
        else await Promise.resolve();
        underWay -= 1;
        return [...items];
      },
    });
    const all = Array.from({ length: 200 }, (_, n) => n);
    expect(await Promise.all(all.map(call))).toEqual(all);
    expect(mostUnderWay).toBe(1);
    takesMs = 200;
    expect(await Promise.all(all.map(call))).toEqual(all);
    expect(mostUnderWay).toBe(LIMITS.maxBatches);
  });

  it("of items apart is one that others do not wait for, and leaves one of those at once to them", async () => {
    let apart = 0;
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const call = createBatcher<number, number[], number>({
      ...LIMITS,
      maxItems: 1,
      isApart: (item) => item < 0,
      async run(items) {
        if (items.some((item) => item < 0)) {
          apart += 1;
          await held;
        }
        return [...items];
      },
    });
    const slow = [-1, -2, -3, -4].map(call);
    await expect.poll(() => apart).toBe(LIMITS.maxBatches - 1);
    expect(await Promise.all([1, 2, 3].map(call))).toEqual([1, 2, 3]);
    expect(apart).toBe(LIMITS.maxBatches - 1);
    release();
    expect(await Promise.all(slow)).toEqual([-1, -2, -3, -4]);
  });
});
