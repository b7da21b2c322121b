import { beforeEach, expect, it } from "vitest";
import { createPrice, type Price } from "#botyard/fairness/price.js";

const WINDOW_MS = 50;

let now = 0;
let busyMs = 0;
let price: Price;
beforeEach(() => {
  now = 0;
  busyMs = 0;
  price = createPrice(
    () => now,
    () => busyMs,
  );
});

/** Several windows in which the event loop is busy for `busy` milliseconds with work that was to cost `costUs`. */
function work(busy: number, costUs: number, windows = 30): number {
  for (let n = 0; n < windows; n++) {
    price.count(costUs);
    now += WINDOW_MS;
    busyMs += busy;
    price.times();
  }
  return price.times();
}

it("is how much longer work keeps the event loop busy than its figures say", () => {
  expect(price.times()).toBe(1);
  expect(work(40, 10_000)).toBeCloseTo(4, 1);
  expect(work(20, 10_000)).toBeCloseTo(2, 1);
});

it("is never below the figures, and bounded where something else keeps the event loop busy", () => {
  expect(work(1, 10_000)).toBe(1);
  expect(work(50, 0)).toBeCloseTo(10, 1);
});

it("does not jump for one slow window", () => {
  work(10, 10_000);
  expect(work(50, 1_000, 1)).toBeLessThan(4);
});

it("is that of all work where most of it is begun at once, and none for some time", () => {
  for (let n = 0; n < 30; n++) {
    work(30, 30_000, 1);
    work(30, 0, 2);
  }
  expect(price.times()).toBeGreaterThan(2.4);
  expect(price.times()).toBeLessThan(5);
});
