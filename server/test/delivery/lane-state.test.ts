import { beforeEach, describe, expect, it } from "vitest";
import { mayQueue } from "#botyard/delivery/ledger/lane-limits.js";
import {
  attemptBegun,
  deliveryChanged,
  type LaneState,
  laneEnded,
  leaseExtended,
  mayBegin,
  readBegun,
  step,
} from "#botyard/delivery/ledger/lane-state.js";
import { FRESH_HEALTH } from "#botyard/domain/delivery/lane-health.js";
import { DEFAULT_SETTINGS } from "#botyard/domain/delivery/webhook-settings.js";
import {
  actionsOn,
  attemptOf,
  type Contents,
  EPOCH_NOW,
  LEASE_MS,
  makeLane,
  NOW,
  named,
  TARGET_AGE_MS,
} from "../support/lane-states.js";

describe("the state of a held lane", () => {
  let contents: Contents;
  let lane: LaneState;
  beforeEach(() => {
    contents = { queued: 0, more: false, unrecorded: 0 };
    lane = makeLane(contents);
  });
  const { begin, end, record, take } = actionsOn(() => ({ lane, contents }));

  it("asks for slots when the claim brought updates, and goes from sending to idle when they are recorded", () => {
    contents.queued = 2;
    expect(named(step(lane, NOW))).toEqual(["wantSlot"]);
    expect(lane.phase).toBe("sending");
    const [first, second] = begin(2);
    expect(named(end(first))).toEqual([]);
    expect(named(end(second))).toEqual([]);
    expect(lane.phase).toBe("sending");
    expect(named(record())).toEqual(["idle"]);
    expect(lane.phase).toBe("idle");
    expect(named(step(lane, NOW))).toEqual([]);
    contents.queued = 1;
    expect(named(step(lane, NOW))).toEqual(["wantSlot"]);
  });

  it("reads once when its queue is empty and the store may have more, and queues the result", () => {
    contents.more = true;
    expect(named(step(lane, NOW))).toEqual(["readNow"]);
    expect(lane.phase).toBe("reading");
    expect(named(step(lane, NOW))).toEqual([]);
    expect(readBegun(lane, NOW)).toBe(16);
    expect(named(take({ queued: 3 }))).toEqual(["wantSlot"]);
    expect(lane.phase).toBe("sending");
  });

  it("is idle after a read that brought nothing", () => {
    contents.more = true;
    step(lane, NOW);
    readBegun(lane, NOW);
    expect(named(take({}))).toEqual(["idle"]);
  });

  it("has as many attempts in flight as the window allows", () => {
    contents.queued = 9;
    step(lane, NOW);
    const [first] = begin(4);
    expect(mayBegin(lane, NOW)).toBe(false);
    expect(named(end(first))).toEqual(["wantSlot"]);
    begin(2);
    expect(mayBegin(lane, NOW)).toBe(false);
  });

  it("waits for the rate of its webhook, and does not become idle before", () => {
    if (lane.target) lane.target = { ...lane.target, settings: { ...DEFAULT_SETTINGS, maxPerSecond: 10 } };
    contents.queued = 1;
    expect(named(step(lane, NOW))).toEqual(["wantSlot"]);
    contents.queued = 0;
    expect(named(attemptBegun(lane, NOW))).toEqual(["wait"]);
    contents.queued = 1;
    expect(mayBegin(lane, NOW + 75)).toBe(false);
    expect(named(step(lane, NOW + 75))).toEqual(["wait"]);
    expect(named(step(lane, NOW + 80))).toEqual(["wantSlot"]);
    // The one after it may begin 100 ms after this one could have.
    contents.queued = 0;
    attemptBegun(lane, NOW + 85);
    expect(lane.sendableAt).toBe(NOW + 180);
  });

  it("reads ahead when half of the queue is left, and queues four windows at most", () => {
    contents = { queued: 9, more: true, unrecorded: 0 };
    lane = makeLane(contents);
    expect(named(step(lane, NOW))).toEqual(["wantSlot"]);
    expect(mayQueue(lane, 7)).toBe(true);
    expect(mayQueue(lane, 8)).toBe(false);
    contents.queued -= 1;
    expect(named(attemptBegun(lane, NOW))).toEqual(["readNow", "wantSlot"]);
  });

  it("begins nothing with 256 outcomes unrecorded, or when its lease has run out", () => {
    contents.queued = 1;
    contents.unrecorded = 255;
    step(lane, NOW);
    expect(mayBegin(lane, NOW)).toBe(true);
    contents.unrecorded = 256;
    expect(mayBegin(lane, NOW)).toBe(false);
    expect(named(record())).toEqual(["wantSlot"]);
    readBegun(lane, NOW + LEASE_MS);
    take({ now: NOW + LEASE_MS });
    expect(mayBegin(lane, NOW + LEASE_MS)).toBe(false);
    expect(named(leaseExtended(lane, NOW + 2 * LEASE_MS, TARGET_AGE_MS, NOW + LEASE_MS))).toEqual([
      "wantSlot",
    ]);
  });

  it("rests while its receiver is probed, and is over when the last outcome is recorded", () => {
    contents.queued = 9;
    step(lane, NOW);
    const [first, second, third, fourth] = begin(4);
    end(first, false);
    end(second, false);
    expect(named(end(third, false))).toEqual(["receiverFailing"]);
    expect(lane.phase).toBe("resting");
    end(fourth, false);
    expect(mayBegin(lane, NOW + 999)).toBe(false);
    expect(named(record())).toEqual(["over"]);
    expect(lane.isOver).toBe(true);
    // The next holder handles later changes.
    contents.more = true;
    expect(named(deliveryChanged(lane, NOW))).toEqual([]);
    expect(named(step(lane, NOW + 5_000))).toEqual([]);
  });

  it("probes with one attempt when the rest is over, and opens when that is accepted", () => {
    contents.queued = 5;
    const resting = {
      ...FRESH_HEALTH,
      window: 1,
      failingUpdates: 3,
      failedProbes: 1,
      restingUntil: EPOCH_NOW - 1,
    };
    lane = makeLane(contents, resting);
    expect(named(step(lane, NOW))).toEqual(["wantSlot"]);
    contents.queued -= 1;
    const probe = attemptOf(lane, 1, true);
    attemptBegun(lane, NOW);
    expect(mayBegin(lane, NOW)).toBe(false);
    expect(named(end(probe))).toEqual(["wantSlot", "receiverRecovered"]);
    expect(lane.phase).toBe("sending");
  });

  it("begins nothing after its end, and is over when the rest is recorded", () => {
    contents.queued = 3;
    step(lane, NOW);
    const [first] = begin(1);
    contents.queued = 0;
    expect(named(laneEnded(lane, NOW))).toEqual([]);
    expect(lane.phase).toBe("ended");
    expect(named(end(first))).toEqual([]);
    expect(named(record())).toEqual(["over"]);
  });

  it("neither asks for slots nor reads for what waits for another one in flight", () => {
    contents.queued = 3;
    step(lane, NOW);
    const [first] = begin(1);
    contents.blocked = 2;
    expect(named(step(lane, NOW))).toEqual([]);
    expect(named(step(lane, NOW + 2 * TARGET_AGE_MS))).toEqual([]);
    expect(lane.phase).toBe("sending");
    expect(mayBegin(lane, NOW)).toBe(false);
    contents.blocked = 0;
    expect(named(end(first))).toEqual(["wantSlot"]);
    expect(mayBegin(lane, NOW)).toBe(true);
  });

  it("reads on while what is queued waits for others in flight, up to a few times what a queue holds", () => {
    contents.queued = 16;
    expect(mayQueue(lane, 1)).toBe(false);
    contents.blocked = 16;
    expect(mayQueue(lane, 1)).toBe(true);
    contents.queued = 80;
    contents.blocked = 80;
    expect(mayQueue(lane, 1)).toBe(false);
  });

  it("cuts off what is in flight when it loses its lease and its updates have an order", () => {
    contents.queued = 3;
    step(lane, NOW);
    begin(1);
    contents.queued = 0;
    expect(named(laneEnded(lane, NOW, true))).toEqual(["cutOff", "over"]);
    expect([lane.phase, lane.inFlight]).toEqual(["ended", 0]);
  });
});
