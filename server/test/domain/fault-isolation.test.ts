import { describe, expect, it } from "vitest";
import { partsOf } from "#botyard/domain/fault-isolation.js";

const TRANSIENT = "the store is unavailable";

/** Runs a batch of numbers, of which some are refused, as every loop over parts does. */
function runInParts(batch: readonly number[], faults: readonly number[], error = "refused") {
  const done: number[] = [];
  const refused: number[] = [];
  const runs: number[] = [];
  const parts = partsOf(batch);
  for (const part of parts) {
    runs.push(part.length);
    if (!part.some((item) => faults.includes(item))) done.push(...part);
    else if (error === TRANSIENT || !parts.split()) refused.push(...part);
  }
  return { done, refused, runs };
}

const countTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

describe("a batch in parts", () => {
  it("is run once, as a whole, when nothing fails", () => {
    expect(runInParts(countTo(500), [])).toEqual({ done: countTo(500), refused: [], runs: [500] });
  });

  it("is not run at all when it is empty", () => {
    expect(runInParts([], [])).toEqual({ done: [], refused: [], runs: [] });
  });

  it("is split until the items at fault are alone, in order", () => {
    const { done, refused, runs } = runInParts(countTo(16), [4, 15]);
    expect(refused).toEqual([4, 15]);
    expect(done).toEqual(countTo(16).filter((item) => item !== 4 && item !== 15));
    expect(runs).toEqual([16, 8, 4, 2, 2, 1, 1, 4, 8, 4, 4, 2, 2, 1, 1]);
  });

  it.each([1, 2, 250, 499, 500])("takes few runs to find item %i of 500", (fault) => {
    const { refused, runs } = runInParts(countTo(500), [fault]);
    expect(refused).toEqual([fault]);
    expect(runs.length).toBeLessThanOrEqual(19);
  });

  it("refuses all when all are at fault", () => {
    expect(runInParts(countTo(7), countTo(7)).refused).toEqual(countTo(7));
  });

  it("stays whole after a failure for which its loop does not split it", () => {
    expect(runInParts(countTo(8), [3], TRANSIENT)).toEqual({ done: [], refused: countTo(8), runs: [8] });
  });
});
