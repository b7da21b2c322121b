import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createSlots, type Slot, type Slots, type SlotUser } from "#botyard/delivery/lanes/slots.js";
import { eventually } from "../support/eventually.js";

interface TestLane extends SlotUser {
  started: number;
  fail(): void;
  finishOne(receivedBytes?: number): void;
}

/** A lane that always wants more, up to `window` attempts at once. */
function aLane(slots: Slots, window: number, log: string[] = [], name = "", ownerUserId = "alice"): TestLane {
  const taken: Slot[] = [];
  let failing = false;
  const lane: TestLane = {
    ownerUserId,
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
    finishOne(receivedBytes = 0) {
      const slot = taken.shift();
      if (!slot) throw new Error("the lane has nothing under way");
      slots.giveBack(slot, receivedBytes);
      slots.want(lane);
    },
  };
  return lane;
}

/** Hundreds of slots are handed out over some turns of the event loop. */
async function handedOut(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
}

describe("the slots", () => {
  it("are granted one by one, in the order in which lanes asked", async () => {
    const slots = createSlots(100);
    const log: string[] = [];
    for (const name of ["a", "b", "c"]) slots.want(aLane(slots, 3, log, name));
    await nextTurn();
    expect(log.join("")).toBe("abcabcabc");
  });

  it("are few at a time for an owner whose receivers send much, and all for the others", async () => {
    const slots = createSlots(100);
    const costly = Array.from({ length: 50 }, () => aLane(slots, 4, [], "", "mallory"));
    const others = Array.from({ length: 10 }, () => aLane(slots, 4, [], "", "alice"));
    const busy = () => costly.filter((lane) => lane.inFlight() > 0);
    const inFlight = () => costly.reduce((sum, lane) => sum + lane.inFlight(), 0);
    for (const lane of costly) slots.want(lane);
    await handedOut();
    expect(inFlight()).toBeGreaterThan(50);
    while (inFlight() > 0) for (const lane of busy()) lane.finishOne(128 * 1024);
    await handedOut();
    // What they have sent takes seconds to work off.
    expect(inFlight()).toBe(0);
    for (const lane of others) slots.want(lane);
    await handedOut();
    expect(others.reduce((sum, lane) => sum + lane.inFlight(), 0)).toBe(40);
    await eventually("some to begin again", () => inFlight() > 0);
    expect(inFlight()).toBeLessThanOrEqual(9);
    slots.close();
  });

  it("are never granted beyond the total", async () => {
    const slots = createSlots(7);
    const lanes = Array.from({ length: 20 }, () => aLane(slots, 5));
    for (const lane of lanes) slots.want(lane);
    await nextTurn();
    expect(lanes.reduce((sum, lane) => sum + lane.inFlight(), 0)).toBe(7);
  });

  it("keep the last quarter for lanes without an attempt in flight", async () => {
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

  it("go to failing lanes up to a half, and to the others meanwhile", async () => {
    const slots = createSlots(16);
    const failing = Array.from({ length: 50 }, (_, i) => aLane(slots, 1, [], "", `owner ${i}`));
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

  it("go to failing lanes even while all others always want more", async () => {
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

  it("leave an eighth to other owners, however many lanes one has", async () => {
    const slots = createSlots(64);
    const lanesOf = (owner: string, count: number): TestLane[] =>
      Array.from({ length: count }, () => aLane(slots, 1, [], "", owner));
    const inFlight = (lanes: TestLane[]): number => lanes.reduce((sum, lane) => sum + lane.inFlight(), 0);
    const many = lanesOf("mallory", 100);
    for (const lane of many) slots.want(lane);
    await handedOut();
    expect(inFlight(many)).toBe(56);
    const other = lanesOf("bob", 100);
    for (const lane of other) slots.want(lane);
    await handedOut();
    expect(inFlight(other)).toBe(7);
    const third = lanesOf("carol", 100);
    for (const lane of third) slots.want(lane);
    await handedOut();
    expect(inFlight(third)).toBe(1);
    // Freed slots go to those who have less, until all have the same number.
    for (let turn = 0; turn < 60; turn += 1) {
      many.find((lane) => lane.inFlight() > 0)?.finishOne();
      await handedOut();
    }
    expect(inFlight(many)).toBeLessThanOrEqual(24);
    expect(inFlight(other)).toBeGreaterThanOrEqual(18);
    expect(inFlight(third)).toBeGreaterThanOrEqual(18);
  });

  it("go to the owners in turn, however many lanes wait", async () => {
    const slots = createSlots(100);
    const log: string[] = [];
    for (const name of ["a", "b", "c"]) slots.want(aLane(slots, 1, log, name, "alice"));
    slots.want(aLane(slots, 2, log, "x", "bob"));
    await nextTurn();
    expect(log.join("")).toBe("axbxc");
  });

  it("leave a part of the failing lanes' share to those of other owners", async () => {
    const slots = createSlots(32);
    const failingOf = (owner: string): TestLane[] =>
      Array.from({ length: 50 }, () => {
        const lane = aLane(slots, 1, [], "", owner);
        lane.fail();
        slots.want(lane);
        return lane;
      });
    const many = failingOf("mallory");
    await nextTurn();
    expect(many.filter((lane) => lane.inFlight() === 1)).toHaveLength(14);
    const others = failingOf("bob");
    await nextTurn();
    expect(others.filter((lane) => lane.inFlight() === 1)).toHaveLength(2);
  });

  it("serve one lane even if there is only one slot", async () => {
    const slots = createSlots(1);
    const lane = aLane(slots, 5);
    slots.want(lane);
    await nextTurn();
    expect(lane.inFlight()).toBe(1);
    lane.finishOne();
    await nextTurn();
    expect(lane.started).toBe(2);
  });

  it("are not lost when a lane does not use one", async () => {
    const slots = createSlots(1);
    slots.want({ ownerUserId: "alice", inFlight: () => 0, isFailing: () => false, start: () => false });
    const lane = aLane(slots, 1);
    slots.want(lane);
    await nextTurn();
    expect(lane.inFlight()).toBe(1);
  });

  it("resolve idle when all are given back, and are not granted after closing", async () => {
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
