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
])("%s are a loop", (_, authors, expected) => {
  expect(loopOf(authors).sort()).toEqual(expected.sort());
});

it.each([
  ["one bot", times(1000, ["a"])],
  ["one that another answers now and then", times(50, ["a", "a", "a", "b"])],
  ["two that publish as chance has it", times(50, ["a", "a", "b", "b"])],
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
