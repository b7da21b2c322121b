import { array, assert, nat, property, tuple } from "fast-check";
import { expect, it } from "vitest";
import { mayQueue } from "#botyard/delivery/ledger/lane-limits.js";
import {
  attemptBegun,
  deliveryChanged,
  Effect,
  type Effects,
  isReadCurrent,
  laneEnded,
  leaseExtended,
  mayBegin,
  readBegun,
  readDiscarded,
  readTaken,
  step,
} from "#botyard/delivery/ledger/lane-state.js";
import type { OpenTarget } from "#botyard/delivery/sending/endpoint.js";
import {
  attemptOf,
  type Contents,
  endAttempt,
  LEASE_MS,
  makeLane,
  NOW,
  recordAll,
  TARGET,
  TARGET_AGE_MS,
} from "../support/lane-states.js";

/** Runs a lane through random events in any order, then lets everything succeed. */
const runAnything = (moves: readonly [number, number][]): void => {
  const contents: Contents = { queued: 0, more: true, unrecorded: 0 };
  const lane = makeLane(contents);
  const inFlight: ReturnType<typeof attemptOf>[] = [];
  let now = NOW;
  let version = 1;
  let target: OpenTarget | undefined = TARGET;
  let isEnding = false;
  let isOver = false;

  const apply = (effects: Effects): void => {
    if (effects & (Effect.readNow | Effect.readSoon)) expect(lane.read).toBe("wanted");
    if (effects & Effect.cutOff) inFlight.length = 0;
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
    inFlight.push(attemptOf(lane, now));
    apply(attemptBegun(lane, now));
  };
  const answer = (isAccepted: boolean): void => {
    const attempt = inFlight.shift();
    if (attempt) apply(endAttempt(lane, contents, attempt, isAccepted, now));
  };
  const extend = (): void => apply(leaseExtended(lane, now + LEASE_MS, TARGET_AGE_MS, now));
  const kinds: ((n: number) => void)[] = [
    read,
    send,
    extend,
    () => answer(true),
    () => answer(false),
    () => apply(recordAll(lane, contents, now)),
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
    expect(lane.inFlight).toBe(inFlight.length);
    expect(lane.inFlightAtTarget).toBeLessThanOrEqual(lane.inFlight);
    if (isOver) expect([inFlight.length, contents.unrecorded, lane.read]).toEqual([0, 0, "none"]);
  }
  // From here on everything succeeds: the lane must end, or have nothing left to send.
  target = TARGET;
  for (let turn = 0; turn < 60 && !isOver && lane.phase !== "idle"; turn += 1) {
    now += 100;
    extend();
    read();
    while (mayBegin(lane, now)) send();
    while (inFlight.length > 0) answer(true);
    apply(recordAll(lane, contents, now));
  }
  expect(isOver || lane.phase === "idle").toBe(true);
  expect([contents.queued, inFlight.length, contents.unrecorded]).toEqual([0, 0, 0]);
};

it("a held lane is never stuck, and never over with something left, after any sequence of events", () => {
  const moves = array(tuple(nat(11), nat(9_000)), { maxLength: 80, size: "max" });
  assert(property(moves, runAnything), { numRuns: 500 });
});
