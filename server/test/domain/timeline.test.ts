import { describe, expect, it } from "vitest";
import {
  type AnswerTimes,
  countAnswer,
  percentileMs,
  sumOfAnswers,
} from "#botyard/domain/delivery/answer-times.js";
import {
  countAttempt,
  intervalsOf,
  type KeptCounts,
  startOfRange,
  type TimelineCounts,
} from "#botyard/domain/delivery/timeline.js";

const NOW = Date.UTC(2026, 0, 15, 12, 34, 56, 789);
const timesOf = (...durations: number[]): AnswerTimes => {
  const times: AnswerTimes = [];
  for (const durationMs of durations) countAnswer(times, durationMs);
  return times;
};

describe("answer times", () => {
  it.each([1, 2, 3, 7, 50, 333, 1_000, 9_999, 60_000, 600_000])("tell %i ms within 10 %%", (durationMs) => {
    const told = percentileMs(timesOf(durationMs), 0.99) ?? 0;
    expect(Math.abs(told - durationMs)).toBeLessThanOrEqual(Math.max(0.1 * durationMs, 0.5));
  });

  it("have percentiles by rank, and none without an answer", () => {
    const times = timesOf(...Array.from({ length: 98 }, () => 10), 1_000, 1_000);
    expect(percentileMs(times, 0.5)).toBe(percentileMs(timesOf(10), 0.5));
    expect(percentileMs(times, 0.99)).toBe(percentileMs(timesOf(1_000), 0.5));
    expect(percentileMs([], 0.5)).toBeUndefined();
  });

  it("are bounded, whatever a clock says", () => {
    const times = timesOf(-5, 0, 1e12);
    expect(times.length).toBe(81);
    expect(times[0]).toBe(2);
  });

  it("add up", () => {
    expect(sumOfAnswers([1, 2], [1, 0, 5])).toEqual([2, 2, 5]);
  });
});

describe("a timeline", () => {
  const kept = (startsAt: number, more: Partial<KeptCounts> = {}): KeptCounts => ({
    startsAt,
    delivered: 1,
    retried: 0,
    failed: 0,
    answerTimes: timesOf(10),
    oldestMs: 5,
    backlog: 0,
    ...more,
  });

  it("counts each attempt in the minute in which it ended", () => {
    const minutes: TimelineCounts[] = [];
    const attempt = { endedAt: NOW, durationMs: 100, createdAt: NOW - 1_000 };
    countAttempt(minutes, { ...attempt, outcome: "delivered" });
    countAttempt(minutes, { ...attempt, outcome: "failed", createdAt: NOW - 5_000 });
    countAttempt(minutes, { ...attempt, outcome: "retried", endedAt: NOW + 10_000 });
    expect(minutes).toEqual([
      {
        startsAt: NOW - 56_789,
        delivered: 1,
        retried: 0,
        failed: 1,
        answerTimes: timesOf(100, 100),
        oldestMs: 4_900,
      },
      expect.objectContaining({ startsAt: NOW + 3_211, retried: 1 }),
    ]);
  });

  it.each([
    ["1h", 60, 60_000, "2026-01-15T11:35:00.000Z"],
    ["24h", 96, 900_000, "2026-01-14T12:45:00.000Z"],
    ["7d", 168, 3_600_000, "2026-01-08T13:00:00.000Z"],
  ] as const)(
    "of %s has %i intervals without a gap, the last of which holds now",
    (range, count, ms, first) => {
      const intervals = intervalsOf(range, [], NOW);
      expect(intervals).toHaveLength(count);
      expect(new Date(startOfRange(range, NOW)).toISOString()).toBe(first);
      expect(intervals.map(({ startsAt }) => startsAt)).toEqual(
        Array.from({ length: count }, (_, index) => startOfRange(range, NOW) + index * ms),
      );
      expect(NOW - (intervals.at(-1)?.startsAt ?? 0)).toBeLessThan(ms);
      expect(intervals[0]).toEqual({
        startsAt: startOfRange(range, NOW),
        delivered: 0,
        retried: 0,
        failed: 0,
      });
    },
  );

  it("adds up what falls into one interval, and tells its last backlog", () => {
    const start = startOfRange("24h", NOW);
    const [first, second] = intervalsOf(
      "24h",
      [
        kept(start, { backlog: 7, failed: 2 }),
        kept(start + 840_000, { backlog: 3, oldestMs: 99, answerTimes: timesOf(1_000) }),
        kept(start + 900_000),
      ],
      NOW,
    );
    expect(first).toEqual({
      startsAt: start,
      delivered: 2,
      retried: 0,
      failed: 2,
      p50Ms: percentileMs(timesOf(10), 1),
      p99Ms: percentileMs(timesOf(1_000), 1),
      backlog: 3,
      oldestMs: 99,
    });
    expect(second).toMatchObject({ delivered: 1, backlog: 0 });
  });
});
