import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createSlots, type Slot, type Slots, type SlotUser } from "#botyard/delivery/slots.js";

interface TestLane extends SlotUser {
  started: number;
  fail(): void;
  finishOne(): void;
}

/** A lane that always wants more, up to `window` attempts at once. */
function aLane(slots: Slots, window: number, log: string[] = [], name = ""): TestLane {
  const taken: Slot[] = [];
  let failing = false;
  const lane: TestLane = {
    started: 0,
    inFlight: () => taken.length,
    isFailing: () => failing,
    start(slot) {
      if (taken.length >= window) return false;
      taken.push(slot);
      lane.started += 1;
      log.push(name);
      if (taken.length < window) slots.want(lane);
      return true;
    },
    fail() {
      failing = true;
    },
    finishOne() {
      const slot = taken.shift();
      if (!slot) throw new Error("the lane has nothing under way");
      slots.giveBack(slot);
      slots.want(lane);
    },
  };
  return lane;
}

describe("the slots", () => {
  it("are given one a turn, in the order in which lanes asked", async () => {
    const slots = createSlots(100);
    const log: string[] = [];
    for (const name of ["a", "b", "c"]) slots.want(aLane(slots, 3, log, name));
    await nextTurn();
    expect(log.join("")).toBe("abcabcabc");
  });

  it("are never more than there are", async () => {
    const slots = createSlots(7);
    const lanes = Array.from({ length: 20 }, () => aLane(slots, 5));
    for (const lane of lanes) slots.want(lane);
    await nextTurn();
    expect(lanes.reduce((sum, lane) => sum + lane.inFlight(), 0)).toBe(7);
  });

  it("keep the last quarter for lanes that have nothing under way", async () => {
    const slots = createSlots(16);
    const hog = aLane(slots, 100);
    slots.want(hog);
    await nextTurn();
    expect(hog.inFlight()).toBe(12);
    const quiet = aLane(slots, 100);
    slots.want(quiet);
    await nextTurn();
    expect(quiet.inFlight()).toBe(1);
    expect(hog.inFlight()).toBe(12);
  });

  it("go to failing lanes up to a half, and to the others all the same", async () => {
    const slots = createSlots(16);
    const failing = Array.from({ length: 50 }, () => aLane(slots, 1));
    for (const lane of failing) {
      lane.fail();
      slots.want(lane);
    }
    const well = aLane(slots, 4);
    slots.want(well);
    await nextTurn();
    expect(failing.filter((lane) => lane.inFlight() === 1)).toHaveLength(8);
    expect(well.inFlight()).toBe(4);
  });

  it("reach failing lanes also when all others always want more", async () => {
    const slots = createSlots(2);
    const busy = [aLane(slots, 1), aLane(slots, 1), aLane(slots, 1)];
    for (const lane of busy) slots.want(lane);
    await nextTurn();
    const failing = aLane(slots, 1);
    failing.fail();
    slots.want(failing);
    for (let turn = 0; turn < 4 && failing.started === 0; turn += 1) {
      busy.find((lane) => lane.inFlight() > 0)?.finishOne();
      await nextTurn();
    }
    expect(failing.started).toBe(1);
  });

  it("serve one lane with all but the reserve when there is a single slot", async () => {
    const slots = createSlots(1);
    const lane = aLane(slots, 5);
    slots.want(lane);
    await nextTurn();
    expect(lane.inFlight()).toBe(1);
    lane.finishOne();
    await nextTurn();
    expect(lane.started).toBe(2);
  });

  it("are not lost when a lane has no more use for one", async () => {
    const slots = createSlots(1);
    slots.want({ inFlight: () => 0, isFailing: () => false, start: () => false });
    const lane = aLane(slots, 1);
    slots.want(lane);
    await nextTurn();
    expect(lane.inFlight()).toBe(1);
  });

  it("tell when all have come back, and are no longer given after closing", async () => {
    const slots = createSlots(4);
    const lane = aLane(slots, 2);
    slots.want(lane);
    await nextTurn();
    slots.close();
    let isIdle = false;
    const waitForIdle = async (): Promise<void> => {
      await slots.idle();
      isIdle = true;
    };
    const idle = waitForIdle();
    lane.finishOne();
    await nextTurn();
    expect(isIdle).toBe(false);
    lane.finishOne();
    await idle;
    expect(lane.started).toBe(2);
    await slots.idle();
  });
});
