import { expect, it } from "vitest";
import { slipsBetween, suggestion } from "#botyard/domain/similar-names.js";

const names = ["echo", "news", "newsletter", "weather", "a1", "b1"];

it.each([
  ["ecko", "echo"],
  ["ehco", "echo"],
  ["nws", "news"],
  ["Newss", "news, newsletter"],
  ["wether", "weather"],
  ["wxyzher", undefined],
  ["c1", undefined],
  ["xyz", undefined],
])("of %s suggests %s", (wanted, meant) => {
  expect(suggestion(wanted, names)).toBe(meant && `; did you mean ${meant}?`);
});

it("says that there are more", () => {
  const many = Array.from({ length: 7 }, (_, at) => `echo${at}`);
  expect(suggestion("echo", many)).toBe("; did you mean echo0, echo1, echo2, echo3, echo4, …?");
});

it("counts no further than it is asked to, and says the same up to there", () => {
  const words = ["abc", "acb", "cba", "abcd", "bacd", "badc", "dcba", "xbcd", "xycd", "abxcdy", "", "a"];
  for (const a of words)
    for (const b of words)
      for (const most of [0, 1, 2, 3]) {
        const slips = slipsBetween(a, b);
        const counted = slipsBetween(a, b, most);
        expect(counted <= most, `${a} ${b} ${String(most)}`).toBe(slips <= most);
        if (slips <= most) expect(counted).toBe(slips);
      }
});
