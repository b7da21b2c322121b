import { describe, expect, it } from "vitest";
import { DEFAULT_RETRY_SCHEDULE, nextRetryAt } from "#botyard/domain/delivery/retry-schedule.js";
import { parseDuration } from "#botyard/domain/duration.js";

const NOW = 1_000_000_000_000;
const SCHEDULE = [1000, 5000];
const MIDDLE = 0.5;

describe("the time of the next attempt", () => {
  it("is the schedule's wait after each failure, until the schedule is used up", () => {
    expect(nextRetryAt(SCHEDULE, 1, NOW, 0, MIDDLE)).toBe(NOW + 1000);
    expect(nextRetryAt(SCHEDULE, 2, NOW, 0, MIDDLE)).toBe(NOW + 5000);
    expect(nextRetryAt(SCHEDULE, 3, NOW, 0, MIDDLE)).toBeUndefined();
    expect(nextRetryAt([], 1, NOW)).toBeUndefined();
  });

  it("varies by a fifth either way", () => {
    expect(nextRetryAt(SCHEDULE, 1, NOW, 0, 0)).toBe(NOW + 800);
    expect(nextRetryAt(SCHEDULE, 1, NOW, 0, 0.999_999)).toBe(NOW + 1200);
    const waits = Array.from({ length: 200 }, () => (nextRetryAt(SCHEDULE, 2, NOW) ?? 0) - NOW);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(4000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(6000);
    expect(new Set(waits).size).toBeGreaterThan(10);
  });

  it("is not before the receiver's Retry-After, up to an hour", () => {
    expect(nextRetryAt(SCHEDULE, 1, NOW, 4000, MIDDLE)).toBe(NOW + 4000);
    expect(nextRetryAt(SCHEDULE, 1, NOW, 10, MIDDLE)).toBe(NOW + 1000);
    expect(nextRetryAt(SCHEDULE, 1, NOW, 86_400_000, MIDDLE)).toBe(NOW + 3_600_000);
    expect(nextRetryAt([7_200_000], 1, NOW, 86_400_000, MIDDLE)).toBe(NOW + 7_200_000);
    expect(nextRetryAt(SCHEDULE, 3, NOW, 4000)).toBeUndefined();
  });

  it("lies, by default, at most a day after the first", () => {
    const waits = DEFAULT_RETRY_SCHEDULE.split(",").map(parseDuration);
    expect(waits).toHaveLength(9);
    expect(waits.reduce((sum, wait) => sum + wait, 0) / 3_600_000).toBeCloseTo(22.2, 1);
  });
});
