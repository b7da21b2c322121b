import { describe, expect, it } from "vitest";
import { retryAfterMs } from "#botyard/delivery/sending/retry-after.js";

const NOW = Date.UTC(1994, 10, 6, 8, 49, 0);

describe("Retry-After", () => {
  it.each([
    ["120", 120_000],
    [" 1 ", 1000],
    ["Sun, 06 Nov 1994 08:49:37 GMT", 37_000],
  ])("%o asks to wait %i ms", (header, wait) => {
    expect(retryAfterMs(header, NOW)).toBe(wait);
  });

  it.each([
    undefined,
    "",
    "0",
    "-5",
    "1.5",
    "soon",
    "1e9",
    "9999999999999999",
    "1994-11-06T08:49:37Z",
    "Sun, 06 Nov 1994 08:48:59 GMT",
    ["1", "2"],
  ])("%o asks for nothing", (header) => {
    expect(retryAfterMs(header, NOW)).toBeUndefined();
  });
});
