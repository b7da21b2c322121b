import { beforeEach, describe, expect, it } from "vitest";
import {
  deliveryChanged,
  isReadCurrent,
  type LaneState,
  laneEnded,
  leaseExtended,
  mayBegin,
  readBegun,
  readDiscarded,
  readTaken,
  step,
} from "#botyard/delivery/ledger/lane-state.js";
import { ageLimitOffered } from "#botyard/delivery/ledger/target-dates.js";
import { FRESH_HEALTH } from "#botyard/domain/delivery/lane-health.js";
import {
  actionsOn,
  type Contents,
  LEASE_MS,
  makeLane,
  NOW,
  named,
  TARGET_AGE_MS,
  targetAt,
} from "../support/lane-states.js";

describe("a held lane and its target", () => {
  let contents: Contents;
  let lane: LaneState;
  beforeEach(() => {
    contents = { queued: 0, more: false, unrecorded: 0 };
    lane = makeLane(contents);
  });
  const { begin, end, record, take } = actionsOn(() => ({ lane, contents }));

  it("reads its target again in time, and sends nothing to one that was read 250 ms ago", () => {
    contents.queued = 2;
    step(lane, NOW);
    expect(named(step(lane, NOW + 125))).toEqual(["wantSlot"]);
    expect(named(step(lane, NOW + 126))).toEqual(["readSoon", "wantSlot"]);
    expect(mayBegin(lane, NOW + 250)).toBe(true);
    expect(mayBegin(lane, NOW + 251)).toBe(false);
    expect(named(step(lane, NOW + 251))).toEqual([]);
    expect(lane.phase).toBe("reading");
    readBegun(lane, NOW + 260);
    expect(named(take({ now: NOW + 270 }))).toEqual(["wantSlot"]);
    expect(mayBegin(lane, NOW + 510)).toBe(true);
    expect(mayBegin(lane, NOW + 511)).toBe(false);
  });

  it("uses a target for as long as the store knew when its read began", () => {
    contents.queued = 9;
    step(lane, NOW);
    leaseExtended(lane, NOW + LEASE_MS, 4_000, NOW);
    expect(mayBegin(lane, NOW + 251)).toBe(false);
    step(lane, NOW + 251);
    readBegun(lane, NOW + 300);
    take({ now: NOW + 1_300 });
    expect(mayBegin(lane, NOW + 4_300)).toBe(true);
    expect(mayBegin(lane, NOW + 4_301)).toBe(false);
    // A lower limit holds before the store knows it.
    ageLimitOffered(lane, 2_000);
    expect(mayBegin(lane, NOW + 2_301)).toBe(false);
    leaseExtended(lane, NOW + LEASE_MS, 2_000, NOW + 2_000);
    expect(mayBegin(lane, NOW + 2_300)).toBe(true);
  });

  it("repeats a read from before a change", () => {
    contents.more = true;
    step(lane, NOW);
    readBegun(lane, NOW);
    expect(named(deliveryChanged(lane, NOW))).toEqual([]);
    expect(isReadCurrent(lane, 1)).toBe(false);
    expect(named(readDiscarded(lane, 1, NOW))).toEqual(["readNow"]);
    readBegun(lane, NOW + 1);
    expect(named(take({ queued: 1, generation: 2, now: NOW + 2 }))).toEqual(["wantSlot"]);
  });

  it("begins a new generation with fresh health, which attempts of the one before don't change", () => {
    contents.queued = 5;
    step(lane, NOW);
    const attempts = begin(4);
    contents.more = true;
    contents.queued = 0;
    expect(named(deliveryChanged(lane, NOW))).toEqual(["readNow"]);
    readBegun(lane, NOW);
    expect(named(take({ queued: 5, generation: 2 }))).toEqual([]);
    for (const attempt of attempts) end(attempt, false);
    expect(lane.health).toEqual(FRESH_HEALTH);
    expect(lane.phase).toBe("sending");
    expect(mayBegin(lane, NOW)).toBe(true);
  });

  it("keeps its health when a change turns out to be of the same generation", () => {
    contents.queued = 1;
    step(lane, NOW);
    const [attempt] = begin(1);
    end(attempt);
    contents.more = true;
    deliveryChanged(lane, NOW);
    readBegun(lane, NOW);
    take({});
    expect(lane.health.window).toBe(5);
  });

  it("has a whole window for another target at the same webhook, within 32 attempts in all", () => {
    contents.queued = 100;
    step(lane, NOW);
    for (const secret of ["first", "second", "third", "fourth", "fifth", "sixth", "seventh"]) {
      begin(4);
      expect(mayBegin(lane, NOW)).toBe(false);
      deliveryChanged(lane, NOW);
      readBegun(lane, NOW);
      take({ target: targetAt(secret) });
      expect(mayBegin(lane, NOW)).toBe(true);
    }
    begin(4);
    deliveryChanged(lane, NOW);
    readBegun(lane, NOW);
    take({ target: targetAt("eighth") });
    expect(lane.inFlightAtTarget).toBe(0);
    expect(mayBegin(lane, NOW)).toBe(false);
  });

  it("is over at once when it has no target, but not while attempts are in flight", () => {
    lane = makeLane(contents);
    contents.queued = 1;
    step(lane, NOW);
    const [attempt] = begin(1);
    deliveryChanged(lane, NOW);
    readBegun(lane, NOW);
    contents.more = false;
    expect(named(readTaken(lane, 1, undefined, NOW))).toEqual([]);
    expect(named(end(attempt))).toEqual([]);
    expect(named(record())).toEqual(["over"]);
  });

  it("cuts off attempts at a webhook that is replaced, and is over when the rest is recorded", () => {
    contents = { queued: 5, more: true, unrecorded: 0 };
    lane = makeLane(contents);
    step(lane, NOW);
    const [first] = begin(4);
    end(first);
    readBegun(lane, NOW);
    expect(isReadCurrent(lane, 2)).toBe(false);
    expect(named(readDiscarded(lane, 2, NOW))).toEqual(["cutOff"]);
    expect(named(record())).toEqual(["over"]);
  });

  it("reads its target again while attempts hang, also when it has ended", () => {
    contents.queued = 1;
    step(lane, NOW);
    begin(1);
    expect(named(step(lane, NOW + 1_500))).toEqual([]);
    expect(named(leaseExtended(lane, NOW + 9_999, TARGET_AGE_MS, NOW + 2_000))).toEqual(["readNow"]);
    readBegun(lane, NOW + 2_000);
    take({ now: NOW + 2_001 });
    laneEnded(lane, NOW + 2_002);
    expect(named(leaseExtended(lane, NOW + 9_999, TARGET_AGE_MS, NOW + 4_000))).toEqual(["readNow"]);
    expect(readBegun(lane, NOW + 4_000)).toBe(0);
    expect(named(readDiscarded(lane, 1, NOW + 4_001))).toEqual([]);
    expect(named(step(lane, NOW + 4_002))).toEqual([]);
  });
});
