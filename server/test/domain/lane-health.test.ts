import { array, assert, boolean, integer, property, tuple } from "fast-check";
import { describe, expect, it } from "vitest";
import {
  afterFailure,
  afterSuccess,
  FRESH_HEALTH,
  isProbing,
  type LaneHealth,
} from "#botyard/domain/delivery/lane-health.js";

const NOW = 1_000_000;
const SCHEDULE = [1000, 5000, 3_600_000];

/** An update that was never refused before. */
const first = (updateId: number) => ({ updateId, failureCount: 0 });
/** The health after these updates have failed, one after the other. */
const failing = (...updateIds: number[]): LaneHealth =>
  updateIds.reduce((health, id) => afterFailure(health, first(id), false, SCHEDULE, NOW), FRESH_HEALTH);
const failedProbe = (health: LaneHealth, updateId: number): LaneHealth =>
  afterFailure(health, first(updateId), true, SCHEDULE, NOW);

const MAX = 16;

describe("the health of a lane", () => {
  it("begins with a window of four, which grows with success up to sixteen", () => {
    let health = FRESH_HEALTH;
    const windows = Array.from({ length: 14 }, () => {
      health = afterSuccess(health, MAX);
      return health.window;
    });
    expect(FRESH_HEALTH.window).toBe(4);
    expect(windows).toEqual([5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 16, 16]);
  });

  it("has a window of one after a failure, without a rest", () => {
    expect(failing(1)).toMatchObject({ window: 1, restingUntil: 0 });
    expect(isProbing(failing(1, 2))).toBe(false);
    expect(afterSuccess(failing(1, 2), MAX)).toEqual({ ...FRESH_HEALTH, window: 2 });
  });

  it("is probing after failures of three different updates", () => {
    const health = failing(1, 2, 3);
    expect(isProbing(health)).toBe(true);
    expect(health).toMatchObject({ window: 1, restingUntil: NOW + 1000, failedProbes: 0 });
  });

  it("is not probing because one update fails again and again", () => {
    expect(isProbing(failing(7, 7, 7, 7, 7))).toBe(false);
  });

  it("does not change when an update that was refused before is refused again, also as a probe", () => {
    const again = (health: LaneHealth, updateId: number, isProbe: boolean): LaneHealth =>
      afterFailure(health, { updateId, failureCount: 1 }, isProbe, SCHEDULE, NOW);
    const open = afterSuccess(FRESH_HEALTH, MAX);
    expect([1, 2, 3, 4].reduce((health, id) => again(health, id, false), open)).toEqual(open);
    const probing = failedProbe(failing(1, 2, 3), 4);
    expect(again(probing, 1, true)).toEqual(probing);
  });

  it("rests longer with each probe that fails, in the steps of the schedule, up to five minutes", () => {
    const once = failedProbe(failing(1, 2, 3), 4);
    const twice = failedProbe(once, 4);
    const often = failedProbe(failedProbe(twice, 4), 5);
    expect(once).toMatchObject({ failedProbes: 1, restingUntil: NOW + 5000 });
    expect(twice).toMatchObject({ failedProbes: 2, restingUntil: NOW + 300_000 });
    expect(often).toMatchObject({ failedProbes: 4, restingUntil: NOW + 300_000 });
  });

  it("does not count as probes the rest of a burst that fails", () => {
    expect(failing(1, 2, 3, 4, 5, 6, 7)).toMatchObject({ failedProbes: 0, restingUntil: NOW + 1000 });
  });

  it("opens with any success", () => {
    const health = afterSuccess(failedProbe(failing(1, 2, 3), 4), MAX);
    expect(isProbing(health)).toBe(false);
    expect(health).toEqual({ ...FRESH_HEALTH, window: 2 });
  });

  it("needs no schedule: without one a probe may follow at once", () => {
    const health = [1, 2, 3].reduce(
      (before, id) => afterFailure(before, first(id), false, [], NOW),
      FRESH_HEALTH,
    );
    expect(health.restingUntil).toBe(NOW);
  });

  it("always allows between one and sixteen attempts, and rests only while probing", () => {
    const outcomes = array(tuple(boolean(), integer({ min: 1, max: 9 })), { maxLength: 60, size: "max" });
    assert(
      property(outcomes, (run) => {
        let health = FRESH_HEALTH;
        for (const [accepted, id] of run) {
          health = accepted
            ? afterSuccess(health, MAX)
            : afterFailure(health, first(id), isProbing(health), SCHEDULE, NOW);
          expect(health.window).toBeGreaterThanOrEqual(1);
          expect(health.window).toBeLessThanOrEqual(16);
          if (!isProbing(health)) expect(health.restingUntil).toBe(0);
          else expect(health).toMatchObject({ window: 1 });
        }
      }),
    );
  });
});
