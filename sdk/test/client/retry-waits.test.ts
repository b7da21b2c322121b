import { describe, expect, it } from "vitest";
import { retryWaitMs } from "../../src/client/wait.js";

const askedWaitMs = (retryAfterMs: number, failures: number) => retryWaitMs({ retryAfterMs }, failures);

describe("the wait that Retry-After asks for", () => {
  it("is at least a little, grows while the service asks for none, and has jitter", () => {
    const first = Array.from({ length: 200 }, () => askedWaitMs(0, 1));
    expect(Math.min(...first)).toBeGreaterThanOrEqual(50);
    expect(Math.max(...first)).toBeLessThanOrEqual(100);
    expect(new Set(first).size).toBeGreaterThan(100);
    expect(askedWaitMs(0, 50)).toBeGreaterThanOrEqual(15_000);
    expect(askedWaitMs(0, 50)).toBeLessThanOrEqual(30_000);
  });

  it("is what was asked for, up to five minutes", () => {
    expect(askedWaitMs(7_000, 1)).toBe(7_000);
    expect(askedWaitMs(999_999_999_000, 1)).toBe(300_000);
  });
});
