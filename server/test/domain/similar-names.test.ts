import { expect, it } from "vitest";
import { suggestion } from "#botyard/domain/similar-names.js";

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
