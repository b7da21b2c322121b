import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { RequestTurns, type TurnTaker } from "#botyard/http/connections/request-turns.js";

let now = 0;

/** A connection with requests to begin, which records its name for each. */
function taker(
  turns: RequestTurns,
  name: string,
  requests: number,
  begun: string[],
  owner = "",
): TurnTaker & { close(): void } {
  let left = requests;
  const self = {
    owner,
    lastTurn: 0,
    isWaiting: false,
    close() {
      left = 0;
    },
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
  const turns = new RequestTurns(() => now);
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
  const turns = new RequestTurns(() => now);
  const begun: string[] = [];
  const takers = Array.from({ length: 300 }, (_, i) => taker(turns, `${i}`, 1, begun));
  for (const each of takers) each.beginHeld();
  const perTurn = begun.length;
  expect(perTurn).toBeLessThan(150);
  takers.at(-1)?.close();
  await nextTurn();
  taker(turns, "late", 1, begun).beginHeld();
  expect(begun.slice(perTurn)).toEqual(Array.from({ length: perTurn }, (_, i) => `${perTurn + i}`));
  while (!begun.includes("late")) await nextTurn();
  expect(begun.length).toBe(300);
  expect(begun.at(-1)).toBe("late");
});

it("lets owners take turns, and addresses with new connections", async () => {
  const turns = new RequestTurns(() => now);
  const begun: string[] = [];
  for (let n = 0; n < 500; n++) taker(turns, "new", 1, begun, "at 192.0.2.1").beginHeld();
  for (let n = 0; n < 500; n++) taker(turns, "heavy", 1, begun, "heavy").beginHeld();
  begun.length = 0;
  taker(turns, "stranger", 1, begun, "stranger").beginHeld();
  await nextTurn();
  expect(begun.indexOf("stranger")).toBeLessThan(3);
});

it("starts no more in a turn that has taken long", async () => {
  const turns = new RequestTurns(() => now);
  const begun: string[] = [];
  const slow = {
    owner: "slow",
    lastTurn: 0,
    isWaiting: false,
    beginHeld() {
      if (!turns.mayBegin(slow)) return;
      begun.push("slow");
      now += 6;
    },
  };
  slow.beginHeld();
  for (const name of ["a", "b"]) taker(turns, name, 1, begun).beginHeld();
  expect(begun).toEqual(["slow"]);
  await nextTurn();
  expect(begun).toEqual(["slow", "a", "b"]);
});
