import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { RequestTurns, type TurnTaker } from "#botyard/http/connections/request-turns.js";

/** A connection with requests to begin, which records its name for each. */
function taker(turns: RequestTurns, name: string, requests: number, begun: string[]): TurnTaker {
  let left = requests;
  const self = {
    lastTurn: 0,
    beginHeld() {
      while (left > 0 && turns.mayBegin(self)) {
        left -= 1;
        begun.push(name);
      }
    },
  };
  return self;
}

it("starts one request of each connection in a turn, in the order of their requests", async () => {
  const turns = new RequestTurns();
  const begun: string[] = [];
  for (const [name, count] of [
    ["a", 3],
    ["b", 1],
    ["c", 2],
  ] as const)
    taker(turns, name, count, begun).beginHeld();
  expect(begun.splice(0)).toEqual(["a", "b", "c"]);
  await nextTurn();
  expect(begun.splice(0)).toEqual(["a", "c"]);
  await nextTurn();
  expect(begun.splice(0)).toEqual(["a"]);
  await nextTurn();
  expect(begun).toEqual([]);
});

it("starts a bounded number in a turn, oldest first, and drops closed connections", async () => {
  const turns = new RequestTurns();
  const begun: string[] = [];
  const takers = Array.from({ length: 300 }, (_, i) => taker(turns, `${i}`, 1, begun));
  for (const each of takers) each.beginHeld();
  const perTurn = begun.length;
  expect(perTurn).toBeLessThan(150);
  turns.forget(takers[perTurn] as TurnTaker);
  await nextTurn();
  taker(turns, "late", 1, begun).beginHeld();
  expect(begun.slice(perTurn)).toEqual(Array.from({ length: perTurn }, (_, i) => `${perTurn + 1 + i}`));
  while (!begun.includes("late")) await nextTurn();
  expect(begun.length).toBe(300);
  expect(begun.at(-1)).toBe("late");
});
