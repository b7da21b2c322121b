import { setImmediate as nextTurn } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { createOwnerTurns, type OwnerTurns, type Turn } from "#botyard/fairness/owner-turns.js";

/** What an owner may use before it waits for its turn, and what a heavy one may have in progress. */
const LIGHT_USE_US = 20_000;
const OWNER_SHARE_US = 6_000;

let now = 0;
let turns: OwnerTurns;
beforeEach(() => {
  now = 0;
  turns = createOwnerTurns(() => now);
});

/** Begins work and says, in `begun`, when it has begun. */
function ask(owner: string, costUs: number, begun: string[], name = owner, caller = owner): { turn?: Turn } {
  const held: { turn?: Turn } = {};
  const turn = turns.begin(owner, caller, costUs);
  const keep = (one: Turn): void => {
    held.turn = one;
    begun.push(name);
  };
  if (turn instanceof Promise) void turn.then(keep);
  else keep(turn);
  return held;
}

/** Heavy owners, each with work in progress: together as much as may be. */
function begunInTurn(owners: readonly string[], begun: string[]): { turn?: Turn }[] {
  return owners.map((owner) => {
    makeHeavy(owner);
    now += 300;
    return ask(owner, 5_000, begun);
  });
}

/** Uses so much of an owner's share that its work is done in turn from now on. */
function makeHeavy(owner: string): void {
  turns.charge(owner, 10 * LIGHT_USE_US);
}

describe("the turns of owners", () => {
  it("begin at once for one who has used little, whatever others have in progress", () => {
    const begun: string[] = [];
    makeHeavy("heavy");
    for (let n = 0; n < 100; n++) ask("heavy", 1_000, begun);
    begun.length = 0;
    ask("light", 1_000, begun);
    expect(begun).toEqual(["light"]);
  });

  it("bound what a heavy owner has in progress by its cost, and give the rest when some has ended", async () => {
    const begun: string[] = [];
    makeHeavy("heavy");
    const asked = Array.from({ length: 10 }, () => ask("heavy", 1_000, begun));
    expect(begun).toHaveLength(OWNER_SHARE_US / 1_000);
    asked[0]?.turn?.end();
    asked[0]?.turn?.end();
    await nextTurn();
    expect(begun).toHaveLength(OWNER_SHARE_US / 1_000 + 1);
  });

  it("do work that is larger than a share alone", async () => {
    const begun: string[] = [];
    makeHeavy("heavy");
    const large = ask("heavy", 10 * OWNER_SHARE_US, begun, "large");
    ask("heavy", 100, begun, "small");
    expect(begun).toEqual(["large"]);
    large.turn?.end();
    await nextTurn();
    expect(begun).toEqual(["large", "small"]);
  });

  it("go first to the owner who has used least", async () => {
    const begun: string[] = [];
    const before = begunInTurn(["a", "b", "c", "d"], begun);
    turns.charge("much", 1e9);
    turns.charge("little", 10 * LIGHT_USE_US);
    ask("much", 5_000, begun);
    ask("little", 5_000, begun);
    expect(begun).toEqual(["a", "b", "c", "d"]);
    now += 300;
    before[0]?.turn?.end();
    now += 300;
    await expect.poll(() => begun.at(-1)).toBe("little");
    now += 300;
    before[1]?.turn?.end();
    now += 300;
    await expect.poll(() => begun.at(-1)).toBe("much");
  });

  it("go round the callers of an owner", async () => {
    const begun: string[] = [];
    makeHeavy("heavy");
    const first = ask("heavy", OWNER_SHARE_US, begun, "first");
    const a = ["a1", "a2", "a3"].map((name) => ask("heavy", OWNER_SHARE_US, begun, name, "a"));
    const b = ask("heavy", OWNER_SHARE_US, begun, "b1", "b");
    first.turn?.end();
    await nextTurn();
    expect(begun).toEqual(["first", "a1"]);
    a[0]?.turn?.end();
    await nextTurn();
    expect(begun).toEqual(["first", "a1", "b1"]);
    b.turn?.end();
    await nextTurn();
    expect(begun).toEqual(["first", "a1", "b1", "a2"]);
  });

  it("let nothing small pass large work for ever", async () => {
    const begun: string[] = [];
    const running = begunInTurn(["a", "b", "c", "d"], begun);
    makeHeavy("e");
    ask("large", LIGHT_USE_US + 1, begun);
    ask("e", 100, begun);
    now += 300;
    running[0]?.turn?.end();
    await nextTurn();
    expect(begun).toEqual(["a", "b", "c", "d"]);
    for (const { turn } of running) turn?.end();
    now += 300;
    await expect.poll(() => begun.slice(4)).toEqual(["large"]);
  });

  it("forget what was used long ago", () => {
    const begun: string[] = [];
    makeHeavy("heavy");
    ask("heavy", OWNER_SHARE_US, begun).turn?.end();
    for (let n = 0; n < 3; n++) ask("heavy", OWNER_SHARE_US, begun);
    expect(begun).toHaveLength(2);

    turns = createOwnerTurns(() => now);
    begun.length = 0;
    makeHeavy("heavy");
    now += 60_000;
    for (let n = 0; n < 3; n++) ask("heavy", OWNER_SHARE_US, begun);
    expect(begun).toHaveLength(3);
  });

  it("leave others half of the time, and take all of it while an owner is alone", async () => {
    const begun: string[] = [];
    makeHeavy("heavy");
    ask("heavy", 50_000, begun, "first").turn?.end();
    ask("heavy", 50_000, begun, "second").turn?.end();
    expect(begun).toEqual(["first", "second"]);

    ask("stranger", 1, begun, "stranger").turn?.end();
    ask("heavy", 50_000, begun, "third").turn?.end();
    const fourth = ask("heavy", 50_000, begun, "fourth");
    expect(begun).toEqual(["first", "second", "stranger", "third"]);
    now += 94;
    ask("stranger", 1, begun, "stranger").turn?.end();
    await nextTurn();
    expect(fourth.turn).toBeUndefined();
    now += 2;
    await expect.poll(() => fourth.turn).toBeDefined();
  });

  it("count what large work really took", async () => {
    const begun: string[] = [];
    makeHeavy("heavy");
    ask("stranger", 1, begun, "stranger").turn?.end();
    const first = ask("heavy", 10_000, begun, "first");
    const second = ask("heavy", 10_000, begun, "second");
    now += 40;
    first.turn?.end();
    now += 50;
    ask("stranger", 1, begun, "stranger").turn?.end();
    await nextTurn();
    expect(second.turn).toBeUndefined();
    now += 6;
    await expect.poll(() => second.turn).toBeDefined();
  });

  it("give heavy owners less where their work costs more, while there are light ones", () => {
    const begunAt = (times: number, other?: string): number => {
      turns = createOwnerTurns(() => now, { count() {}, times: () => times });
      const begun: string[] = [];
      makeHeavy("heavy");
      now += 1_500;
      if (other) {
        ask("heavy", 1, []).turn?.end();
        ask(other, 1, []).turn?.end();
      }
      for (let n = 0; n < 20; n++) ask("heavy", 500, begun);
      return begun.length;
    };
    expect(begunAt(1)).toBe(OWNER_SHARE_US / 500);
    expect(begunAt(5)).toBe(OWNER_SHARE_US / 500);
    expect(begunAt(1, "stranger")).toBe(6);
    expect(begunAt(5, "stranger")).toBe(2);
  });

  it("take all of the time among heavy owners", () => {
    const begun: string[] = [];
    makeHeavy("heavy");
    makeHeavy("other");
    now += 300;
    for (let n = 0; n < 10; n++) {
      ask("heavy", 5_000, begun, "heavy").turn?.end();
      ask("other", 5_000, begun, "other").turn?.end();
    }
    expect(begun).toHaveLength(20);
  });

  it("count what is left of fractions as nothing", async () => {
    const begun: string[] = [];
    makeHeavy("heavy");
    const parts = [0.1, 0.2, 0.7].map((part) => ask("heavy", 60 + part, begun, "part"));
    ask("heavy", 10 * OWNER_SHARE_US, begun, "large");
    for (const { turn } of parts) turn?.end();
    await nextTurn();
    expect(begun).toEqual(["part", "part", "part", "large"]);
  });

  it("begin what waits, also when its time comes between two looks at the clock", async () => {
    const begun: string[] = [];
    const names = Array.from({ length: 100 }, (_, n) => `heavy ${n}`);
    for (const [n, name] of names.entries()) {
      let at = 0;
      let stepMs = 0;
      turns = createOwnerTurns(() => (at += stepMs));
      makeHeavy(name);
      ask("stranger", 1, []).turn?.end();
      ask(name, 50_000, []).turn?.end();
      ask(name, 50_000, begun);
      // The second waits for 95 ms after the first.
      at = 94.5 + n / 200;
      stepMs = 0.1;
    }
    await expect.poll(() => begun.toSorted()).toEqual(names.toSorted());
  });
});
