import { expect, it } from "vitest";
import { createWorkCounts } from "#botyard/store/cells/work-counts.js";
import { StoreUnavailable } from "#botyard/store/store.js";

it("tells each write once, also those that are done while it tells, or when it could not", async () => {
  const told: [string, number][][] = [];
  let isAway = false;
  const counts = createWorkCounts({
    async addWork(work) {
      const sent = [...work];
      counts.add("a");
      if (isAway) throw new StoreUnavailable("away");
      told.push(sent);
    },
  });
  counts.add("a");
  counts.add("b");
  await counts.tell();
  isAway = true;
  await expect(counts.tell()).rejects.toThrow(StoreUnavailable);
  isAway = false;
  await counts.tell();
  counts.forget("a");
  await counts.tell();
  expect(told).toEqual([
    [
      ["a", 1],
      ["b", 1],
    ],
    [["a", 2]],
  ]);
});
