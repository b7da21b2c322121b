import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { describeMigration, migrationReporter } from "#botyard/store/migration-progress.js";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

it("tells of a long migration once a second, and of rows that an earlier one has moved", () => {
  const lines: string[] = [];
  const report = migrationReporter({ doneRows: 40_000, totalRows: 1_000_000 }, (progress) =>
    lines.push(describeMigration(progress)),
  );
  for (let transactions = 0; transactions < 25; transactions += 1) {
    vi.advanceTimersByTime(100);
    report(5_000);
  }
  expect(lines).toEqual([
    "bringing the database to the new schema: 90,000 of 1,000,000 updates",
    "bringing the database to the new schema: 140,000 of 1,000,000 updates",
  ]);
});
