import { expect, it } from "vitest";
import { createBackOff } from "#botyard/domain/back-off.js";

it("waits longer after each failure, up to 8 s, and logs it once", () => {
  const told: unknown[] = [];
  const backOff = createBackOff((error) => told.push(error));
  const error = new Error("nobody foresaw this");
  expect([1, 2, 3, 4, 5, 6].map(() => backOff.failed(error))).toEqual([500, 1000, 2000, 4000, 8000, 8000]);
  expect(told).toEqual([error]);
  const another = new Error("nor this");
  backOff.failed(another);
  expect(told).toEqual([error, another]);
  backOff.succeeded();
  expect(backOff.failed(error)).toBe(500);
});
