import { describe, expect, it } from "vitest";
import { parseDuration } from "#botyard/domain/duration.js";
import { InvalidInput } from "#botyard/domain/errors.js";

describe("a duration", () => {
  it.each([
    ["0ms", 0],
    ["250ms", 250],
    ["30s", 30_000],
    ["5m", 300_000],
    ["12h", 43_200_000],
    ["30d", 2_592_000_000],
    [" 1s ", 1000],
  ])("%o is %i milliseconds", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(["", "5", "s", "1.5s", "-1s", "1e3s", "5 s", "5S", "5sec", "1h30m", "0x1s", "9999999999s", "١s"])(
    "%o is none",
    (text) => {
      expect(() => parseDuration(text)).toThrow(InvalidInput);
    },
  );
});
