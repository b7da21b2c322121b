import { expect, it } from "vitest";
import { botsInLoop, type PostOrigin, postsToRead } from "#botyard/domain/events/bot-loop.js";

const MAX_POSTS = 100;
const NOW = Date.UTC(2026, 0, 15, 12);

/** The newest posts as they are read; the last author published last. */
const read = (authors: readonly (string | null)[], everyMs = 30): PostOrigin[] =>
  authors
    .map((botId, index) => ({ botId, createdAt: NOW - (authors.length - index) * everyMs }))
    .toReversed()
    .slice(0, postsToRead(MAX_POSTS));
const loopOf = (authors: readonly (string | null)[], everyMs?: number) => [
  ...botsInLoop(read(authors, everyMs), MAX_POSTS, NOW),
];
const times = (count: number, authors: readonly (string | null)[]) => Array(count).fill(authors).flat();

it.each([
  ["two bots in turn", times(50, ["a", "b"]), ["b", "a"]],
  ["three bots in turn", times(40, ["a", "b", "c"]), ["c", "b", "a"]],
  ["two that answer twice now and then", times(30, ["a", "b", "a", "b", "b"]), ["b", "a"]],
  ["two that read two posts at once", times(50, ["a", "a", "b", "b"]), ["b", "a"]],
  [
    "two with a third that publishes now and then",
    times(10, ["a", "b", "a", "b", "a", "b", "c"]),
    ["a", "b", "c"],
  ],
])("%s are a loop", (_, authors, expected) => {
  expect(loopOf(authors).sort()).toEqual(expected.sort());
});

it.each([
  ["one bot", times(1000, ["a"])],
  ["one that another answers now and then", times(50, ["a", "a", "a", "b"])],
  ["two with a person between", [...times(100, ["a", "b"]), null, ...times(20, ["a", "b"])]],
  ["two that have begun a moment ago", times(20, ["a", "b"])],
  ["nobody", []],
])("%s: no loop", (_, authors) => {
  expect(loopOf(authors)).toEqual([]);
});

it("bots that answer each other as slowly as they may are a loop, and those that do it once a minute are none", () => {
  expect(loopOf(times(200, ["a", "b"]), 2000)).toHaveLength(2);
  expect(loopOf(times(200, ["a", "b"]), 60_000)).toEqual([]);
});

/** Numbers from 0 to 1, the same for the same seed (a linear congruential generator, with the numbers of Numerical Recipes). */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
const SEEDS = Array.from({ length: 1000 }, (_, seed) => seed);

it("two that publish as chance has it are taken for a loop once in 20 times at most", () => {
  const taken = SEEDS.filter((seed) => {
    const next = chance(seed);
    return loopOf(Array.from({ length: 200 }, () => (next() < 0.5 ? "a" : "b"))).length > 0;
  });
  expect(taken.length).toBeLessThanOrEqual(SEEDS.length / 20);
});

it.each([1, 2, 4])(
  "two that have %i posts to answer are a loop, in whichever order they do it",
  (waiting) => {
    const missed = SEEDS.filter((seed) => {
      const next = chance(seed);
      const toAnswer = { a: waiting, b: 0 };
      const answer = (): string => {
        const author = next() < 0.5 ? "a" : "b";
        if (toAnswer[author] === 0) return answer();
        toAnswer[author] -= 1;
        toAnswer[author === "a" ? "b" : "a"] += 1;
        return author;
      };
      return loopOf(Array.from({ length: 200 }, answer)).length === 0;
    });
    expect(missed).toEqual([]);
  },
);
