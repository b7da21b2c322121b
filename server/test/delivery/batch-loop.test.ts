import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { createBatchLoop } from "#botyard/delivery/batch-loop.js";
import { watchStoreOutage } from "#botyard/delivery/store-outage.js";
import { StoreUnavailable } from "#botyard/store/store.js";

const outage = () => watchStoreOutage(pino({ level: "silent" }));

describe("a batch", () => {
  it("that fails for a lasting reason is halved until the items at fault are alone", async () => {
    const done: number[] = [];
    const refused: number[] = [];
    const sizes: number[] = [];
    const loop = createBatchLoop<number>(outage(), {
      maxItems: 100,
      async run(batch) {
        sizes.push(batch.length);
        if (batch.includes(3) || batch.includes(14)) throw new Error("refused");
        done.push(...batch);
      },
      onRefused: (item) => void refused.push(item),
    });
    for (let item = 0; item < 16; item += 1) loop.add(item);
    await loop.drained();
    expect(refused).toEqual([3, 14]);
    expect(done).toEqual([0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15]);
    expect(sizes[0]).toBe(16);
    expect(sizes.length).toBeLessThan(18);
  });

  it("that fails in an outage is run again as a whole", async () => {
    const batches: number[][] = [];
    const refused: number[] = [];
    const loop = createBatchLoop<number>(outage(), {
      maxItems: 100,
      async run(batch) {
        batches.push(batch);
        if (batches.length === 1) throw new StoreUnavailable("gone");
      },
      onRefused: (item) => void refused.push(item),
    });
    for (const item of [1, 2, 3]) loop.add(item);
    await loop.drained();
    expect(batches).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
    expect(refused).toEqual([]);
  });

  it("loses no item when an outage begins while a faulty one is dropped", async () => {
    let isOut = true;
    const letGo: number[] = [];
    const loop = createBatchLoop<number>(outage(), {
      maxItems: 100,
      run: () => Promise.reject(new Error("refused")),
      async onRefused(item) {
        if (isOut) {
          isOut = false;
          throw new StoreUnavailable("gone");
        }
        letGo.push(item);
      },
    });
    loop.add(1);
    loop.add(2);
    await loop.drained();
    expect(new Set(letGo)).toEqual(new Set([1, 2]));
  });
});
