import { array, assert, nat, property, tuple } from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import {
  attemptBegun,
  attemptEnded,
  createLaneState,
  deliveryChanged,
  Effect,
  type Effects,
  isReadCurrent,
  type LaneState,
  laneEnded,
  leaseExtended,
  mayBegin,
  mayQueue,
  readBegun,
  readDiscarded,
  readTaken,
  step,
} from "#botyard/delivery/lanes/lane-state.js";
import type { OpenTarget } from "#botyard/delivery/sending/endpoint.js";
import { FRESH_HEALTH, type LaneHealth } from "#botyard/domain/lane-health.js";

const NOW = 10_000;
const EPOCH_NOW = 1_700_000_000_000;
const LEASE_MS = 8_000;
const SCHEDULE = [1_000, 5_000];

const targetAt = (url: string): OpenTarget => ({ source: { url }, host: url, error: "" });
const TARGET = targetAt("https://here.example");

/** What the ledger of a lane would say. */
interface Contents {
  queued: number;
  more: boolean;
  unrecorded: number;
}

function makeLane(
  contents: Contents,
  health: LaneHealth = FRESH_HEALTH,
  target: OpenTarget | undefined = TARGET,
) {
  const claimed = {
    contents: {
      queuedCount: () => contents.queued,
      mayHaveMore: () => contents.more,
      unrecordedCount: () => contents.unrecorded,
    },
    retrySchedule: SCHEDULE,
    webhookVersion: 1,
    generation: 1,
    health,
    target,
    claimedAt: NOW,
    leaseUntil: NOW + LEASE_MS,
  };
  return createLaneState(claimed, NOW, EPOCH_NOW);
}

function named(effects: Effects): string[] {
  return Object.entries(Effect).flatMap(([name, bit]) => (effects & bit ? [name] : []));
}

describe("the state of a held lane", () => {
  let contents: Contents;
  let lane: LaneState;
  beforeEach(() => {
    contents = { queued: 0, more: false, unrecorded: 0 };
    lane = makeLane(contents);
  });

  const begin = (count: number, now = NOW) => {
    const attempts = Array.from({ length: count }, (_, i) => attemptOf(i + 1));
    contents.queued -= count;
    for (let i = 0; i < count; i += 1) attemptBegun(lane, now);
    return attempts;
  };
  const attemptOf = (updateId: number, isProbe = false) => ({
    update: { updateId, payload: "{}", createdAt: 0, attemptCount: 0, failureCount: 0 },
    target: lane.target ?? TARGET,
    generation: lane.generation,
    isProbe,
  });
  const end = (attempt = attemptOf(0), isAccepted = true, now = NOW): Effects => {
    contents.unrecorded += 1;
    return attemptEnded(lane, attempt, isAccepted, now, EPOCH_NOW + now - NOW);
  };
  const record = (now = NOW): Effects => {
    contents.unrecorded = 0;
    return step(lane, now);
  };
  const take = ({ queued = 0, more = false, generation = 1, target = TARGET, now = NOW }) => {
    expect(isReadCurrent(lane, 1)).toBe(true);
    contents.queued += queued;
    contents.more = more;
    return readTaken(lane, generation, target, now);
  };

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

  it("reads once when it has nothing and the store may have more, and takes what the read brings", () => {
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

  it("has as many attempts under way as the window allows", () => {
    contents.queued = 9;
    step(lane, NOW);
    const [first] = begin(4);
    expect(mayBegin(lane, NOW)).toBe(false);
    expect(named(end(first))).toEqual(["wantSlot"]);
    begin(2);
    expect(mayBegin(lane, NOW)).toBe(false);
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
    expect(named(leaseExtended(lane, NOW + 2 * LEASE_MS, NOW + LEASE_MS))).toEqual(["wantSlot"]);
  });

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

  it("reads again what it read before a change", () => {
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
    // The next holder sees to whatever happens now.
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
    const probe = attemptOf(1, true);
    attemptBegun(lane, NOW);
    expect(mayBegin(lane, NOW)).toBe(false);
    expect(named(end(probe))).toEqual(["wantSlot", "receiverRecovered"]);
    expect(lane.phase).toBe("sending");
  });

  it("is over at once when nobody is there to send to, but not while attempts are under way", () => {
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

  it("cuts off what is under way at a webhook that is replaced, and is over when the rest is recorded", () => {
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
    expect(named(leaseExtended(lane, NOW + 9_999, NOW + 2_000))).toEqual(["readNow"]);
    readBegun(lane, NOW + 2_000);
    take({ now: NOW + 2_001 });
    laneEnded(lane, NOW + 2_002);
    expect(named(leaseExtended(lane, NOW + 9_999, NOW + 4_000))).toEqual(["readNow"]);
    expect(readBegun(lane, NOW + 4_000)).toBe(0);
    expect(named(readDiscarded(lane, 1, NOW + 4_001))).toEqual([]);
    expect(named(step(lane, NOW + 4_002))).toEqual([]);
  });

  /** A lane with its surroundings, where anything may happen in any order. */
  const runAnything = (moves: readonly [number, number][]): void => {
    contents = { queued: 0, more: true, unrecorded: 0 };
    lane = makeLane(contents);
    const underWay: ReturnType<typeof attemptOf>[] = [];
    let now = NOW;
    let version = 1;
    let target: OpenTarget | undefined = TARGET;
    let isEnding = false;
    let isOver = false;

    const apply = (effects: Effects): void => {
      if (effects & (Effect.readNow | Effect.readSoon)) expect(lane.read).toBe("wanted");
      if (effects & Effect.cutOff) underWay.length = 0;
      if (effects & Effect.over) {
        expect(isOver).toBe(false);
        expect(isEnding || version > 1 || lane.restsUntil > now || !lane.target).toBe(true);
        isOver = true;
      }
      if (lane.phase === "ended") Object.assign(contents, { queued: 0, more: false });
    };
    const read = (): void => {
      if (lane.read === "none") return;
      const count = readBegun(lane, now);
      if (!isReadCurrent(lane, version)) return apply(readDiscarded(lane, version, now));
      contents.more = false;
      contents.queued = target ? contents.queued + Math.min(count, 3) : 0;
      apply(readTaken(lane, lane.generation, target, now));
    };
    const send = (): void => {
      if (!mayBegin(lane, now)) return apply(step(lane, now));
      expect(now).toBeLessThan(lane.leaseUntil);
      contents.queued -= 1;
      underWay.push(attemptOf(now));
      apply(attemptBegun(lane, now));
    };
    const answer = (isAccepted: boolean): void => {
      const attempt = underWay.shift();
      if (attempt) apply(end(attempt, isAccepted, now));
    };
    const extend = (): void => apply(leaseExtended(lane, now + LEASE_MS, now));
    const kinds: ((n: number) => void)[] = [
      read,
      send,
      extend,
      () => answer(true),
      () => answer(false),
      () => apply(record(now)),
      (n) => {
        if (lane.phase === "ended" || !lane.target) return;
        if (n % 2 === 0 && mayQueue(lane, 1)) contents.queued += 1;
        else contents.more = true;
        apply(step(lane, now));
      },
      () => {
        if (lane.phase !== "ended") Object.assign(contents, { queued: 0, more: true });
        apply(deliveryChanged(lane, now));
      },
      (n) => {
        now += n;
      },
      () => {
        target = target ? undefined : TARGET;
      },
      (n) => {
        if (n % 10 === 0) version += 1;
      },
      (n) => {
        if (n % 5 > 0) return;
        isEnding = true;
        apply(laneEnded(lane, now));
      },
    ];

    apply(step(lane, now));
    for (const [kind, n] of moves) {
      now += 1;
      kinds[kind % kinds.length]?.(n);
      expect(lane.inFlight).toBe(underWay.length);
      expect(lane.inFlightAtTarget).toBeLessThanOrEqual(lane.inFlight);
      if (isOver) expect([underWay.length, contents.unrecorded, lane.read]).toEqual([0, 0, "none"]);
    }
    // From here on everything goes well: the lane must come to its end, or to nothing left to send.
    target = TARGET;
    for (let turn = 0; turn < 60 && !isOver && lane.phase !== "idle"; turn += 1) {
      now += 100;
      extend();
      read();
      while (mayBegin(lane, now)) send();
      while (underWay.length > 0) answer(true);
      apply(record(now));
    }
    expect(isOver || lane.phase === "idle").toBe(true);
    expect([contents.queued, underWay.length, contents.unrecorded]).toEqual([0, 0, 0]);
  };

  it("is never stuck, and never over with something left, whatever happens", () => {
    const moves = array(tuple(nat(11), nat(9_000)), { maxLength: 80 });
    assert(property(moves, runAnything), { numRuns: 500 });
  });
});
