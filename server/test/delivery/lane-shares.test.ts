import { describe, expect, it } from "vitest";
import { lanesToRelease, shareLanes } from "#botyard/delivery/lanes/lane-shares.js";
import { countUnsentBytes } from "#botyard/delivery/ledger/unsent-bytes.js";

interface TestLane {
  name: string;
  ownerUserId: string;
  queuedCount(): number;
  isFailing(): boolean;
}

function lanes(ownerUserId: string, count: number, { queued = 1, failing = false } = {}): TestLane[] {
  return Array.from({ length: count }, (_, i) => ({
    name: `${ownerUserId} ${i}`,
    ownerUserId,
    queuedCount: () => queued,
    isFailing: () => failing,
  }));
}

describe("the shares of lanes", () => {
  const unsent = countUnsentBytes(1_000);

  it("let a claim take a quarter of what is free", () => {
    expect(shareLanes([], unsent)).toEqual({ room: 128, exceptOwners: [] });
    expect(shareLanes(lanes("alice", 412), unsent)).toEqual({ room: 25, exceptOwners: ["alice"] });
    expect(shareLanes([...lanes("alice", 256), ...lanes("bob", 256)], unsent).room).toBe(0);
  });

  it("skip an owner with three quarters, and one of two with three sevenths", () => {
    expect(shareLanes(lanes("alice", 383), unsent).exceptOwners).toEqual([]);
    expect(shareLanes(lanes("alice", 384), unsent).exceptOwners).toEqual(["alice"]);
    expect(shareLanes([...lanes("alice", 220), ...lanes("bob", 219)], unsent).exceptOwners).toEqual([
      "alice",
      "bob",
    ]);
    expect(shareLanes([...lanes("alice", 384), ...lanes("bob", 20)], unsent).exceptOwners).toEqual(["alice"]);
  });

  it("count neither lanes with empty queues nor those whose receivers fail", () => {
    const waiting = lanes("alice", 1_000, { queued: 0 });
    const failing = lanes("alice", 1_000, { failing: true });
    expect(shareLanes([...waiting, ...failing], unsent)).toEqual({ room: 128, exceptOwners: [] });
  });

  it("skip an owner whose updates take three quarters of the memory", () => {
    const bytes = countUnsentBytes(1_000);
    bytes.change("alice", 749);
    expect(shareLanes(lanes("alice", 1), bytes).exceptOwners).toEqual([]);
    bytes.change("alice", 1);
    expect(shareLanes(lanes("alice", 1), bytes).exceptOwners).toEqual(["alice"]);
    expect(bytes.roomFor("bob")).toBe(750);
    bytes.change("alice", -750);
    expect(shareLanes(lanes("alice", 1), bytes).exceptOwners).toEqual([]);
  });
});

describe("the lanes that make room", () => {
  const names = (chosen: TestLane[]): string[] => chosen.map(({ name }) => name);

  it("are those of the owner who holds most, the longest held first", () => {
    const held = [...lanes("bob", 2), ...lanes("alice", 3)];
    const unsent = countUnsentBytes(1_000);
    expect(names(lanesToRelease(held, unsent, 4))).toEqual(["alice 0", "alice 1", "alice 2", "bob 0"]);
    expect(names(lanesToRelease(held, unsent, 4, ["bob"]))).toEqual(["bob 0", "bob 1"]);
  });

  it("are never those with empty queues, which end or wait for answers", () => {
    const ending = lanes("alice", 64, { queued: 0 });
    const unsent = countUnsentBytes(1_000);
    expect(names(lanesToRelease([...ending, ...lanes("bob", 1)], unsent, 64))).toEqual(["bob 0"]);
  });

  it("are failing ones only when an owner's updates take too much memory", () => {
    const failing = lanes("alice", 1, { failing: true });
    const unsent = countUnsentBytes(1_000);
    expect(lanesToRelease(failing, unsent, 64)).toEqual([]);
    unsent.change("alice", 900);
    expect(names(lanesToRelease(failing, unsent, 64))).toEqual(["alice 0"]);
  });
});
