import { expect, it } from "vitest";
import { createBacklog, type Step } from "#botyard/store/cells/guests/backlog.js";
import type { UncarriedEntry } from "#botyard/store/store.js";

const PER_STEP = 100;

/** A log from which is taken what is carried. */
function makeLog() {
  const entries: UncarriedEntry[] = [];
  const numbers = () => entries.map(({ number }) => number);
  let head = 0;
  let reads = 0;
  const backlog = createBacklog(
    async (after, limit) => {
      reads += 1;
      return entries.filter(({ number }) => number > after).slice(0, limit);
    },
    0,
    PER_STEP,
  );
  return {
    backlog,
    numbers,
    reads: () => reads,
    append(owner: string, count: number, isPost = false) {
      for (let n = 0; n < count; n += 1) entries.push({ number: ++head, owner, isPost });
    },
    carry(step: Step) {
      const done = new Set(step.numbers);
      entries.splice(0, entries.length, ...entries.filter(({ number }) => !done.has(number)));
      backlog.finish(step);
    },
  };
}

const some = (step: Step | undefined): Step => {
  if (!step) throw new Error("there is nothing to take");
  return step;
};

it("takes what many owners have together, of each in the order of the log", async () => {
  const { backlog, append, carry } = makeLog();
  for (let n = 0; n < 3; n += 1) for (const owner of ["a", "b", "c"]) append(owner, 1);
  expect(await backlog.readOn()).toBe(false);
  const step = some(backlog.take(false));
  expect(step).toEqual({
    owners: ["a", "b", "c"],
    numbers: [1, 4, 7, 2, 5, 8, 3, 6, 9],
    isHeavy: false,
  });
  expect(backlog.take(false)).toBeUndefined();
  expect(backlog.position).toBe(0);
  carry(step);
  expect(backlog.position).toBe(9);
});

it("takes who has much alone, and others meanwhile", async () => {
  const { backlog, append, carry } = makeLog();
  append("much", 300);
  append("little", 1);
  await backlog.readOn();
  const heavy = some(backlog.take(true));
  expect(heavy.owners).toEqual(["much"]);
  expect(heavy.numbers).toEqual(Array.from({ length: PER_STEP }, (_, n) => n + 1));
  // What is next of the same owner waits for the end of this.
  expect(backlog.take(true)).toBeUndefined();
  const light = some(backlog.take(false));
  expect(light.numbers).toEqual([301]);
  carry(light);
  expect(backlog.position).toBe(0);
  append("little", 2);
  await backlog.readOn();
  expect(some(backlog.take(false)).numbers).toEqual([302, 303]);
  carry(heavy);
  expect(backlog.position).toBe(PER_STEP);
  expect(some(backlog.take(true)).numbers[0]).toBe(PER_STEP + 1);
});

it("gives those who have much turns of each other", async () => {
  const { backlog, append, carry } = makeLog();
  append("a", 400);
  append("b", 400);
  await backlog.readOn();
  const owners: string[] = [];
  for (let n = 0; n < 6; n += 1) {
    const step = some(backlog.take(true));
    owners.push(...step.owners);
    carry(step);
  }
  expect(owners).toEqual(["a", "b", "a", "b", "a", "b"]);
});

it("counts posts as less than what is carried by itself", async () => {
  const { backlog, append } = makeLog();
  append("posts", 40, true);
  append("events", 40);
  await backlog.readOn();
  expect(some(backlog.take(false)).owners).toEqual(["posts"]);
  expect(some(backlog.take(true)).owners).toEqual(["events"]);
});

it("carries everything once and in order of the owner, however much that is", async () => {
  const { backlog, append, carry, numbers, reads } = makeLog();
  const MUCH = 5_000;
  const carried = new Map<string, number[]>();
  for (let n = 0; n < MUCH; n += 1) {
    append("much", 1);
    if (n % 500 === 0) append(`little-${n % 1_000}`, 1);
  }
  for (let turns = 0; numbers().length > 0; turns += 1) {
    expect(turns).toBeLessThan(1_000);
    while (await backlog.readOn()) if (backlog.position > MUCH) break;
    // What comes while the owner's earlier ones are not all read.
    if (turns === 3) append("much", 10);
    for (const isHeavy of [true, false]) {
      const step = backlog.take(isHeavy);
      if (!step) continue;
      for (const owner of step.owners)
        carried.set(owner, [
          ...(carried.get(owner) ?? []),
          ...(step.owners.length === 1 ? step.numbers : []),
        ]);
      carry(step);
      expect(backlog.position).toBeLessThan(numbers()[0] ?? Number.POSITIVE_INFINITY);
    }
  }
  const much = carried.get("much") ?? [];
  expect(much).toEqual(much.toSorted((a, b) => a - b));
  expect(new Set(much).size).toBe(MUCH + 10);
  expect(await backlog.readOn()).toBe(false);
  expect(backlog.position).toBeGreaterThanOrEqual(MUCH + 20);
  expect(reads()).toBeLessThan(400);
});

it("passes what is not there any more", async () => {
  const entries = [{ number: 7, owner: null, isPost: false }];
  const backlog = createBacklog(async (after) => entries.filter(({ number }) => number > after), 3, PER_STEP);
  await backlog.readOn();
  const step = some(backlog.take(false));
  expect(step.numbers).toEqual([7]);
  backlog.finish(step);
  expect(backlog.position).toBe(7);
});
