import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createTurnClock } from "#botyard/fairness/turn-clock.js";

describe("the clock of a turn", () => {
  it("stands still within a turn of the event loop, and goes on with the next", async () => {
    const now = createTurnClock();
    const first = now();
    const end = performance.now() + 5;
    while (performance.now() < end);
    expect(now()).toBe(first);
    await nextTurn();
    expect(now()).toBeGreaterThanOrEqual(first + 5);
  });
});
