import { type AnswerTimes, countAnswer, percentileMs, sumOfAnswers } from "./answer-times.js";
import type { OutcomeKind } from "./attempt.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A timeline shows at most a week; hours are kept a day longer. */
const KEEP_HOURS_FOR_MS = 8 * DAY_MS;

/** Counts of one bot's attempts within a minute, or within an hour once its minutes have been folded. */
export interface TimelineCounts {
  /** Milliseconds since the Unix epoch, a whole minute or hour. */
  startsAt: number;
  /** Attempts that were accepted. */
  delivered: number;
  /** Attempts that failed and are tried again. */
  retried: number;
  /** Attempts that failed and were the last. */
  failed: number;
  answerTimes: AnswerTimes;
  /** The age of the oldest update attempted. */
  oldestMs: number;
}

/** The same with what the store adds. */
export interface KeptCounts extends TimelineCounts {
  /** Updates that were pending or scheduled when this was last written. */
  backlog: number;
}

/** One attempt, as a timeline counts it. */
export interface TimedAttempt {
  endedAt: number;
  /** How long it took. */
  durationMs: number;
  /** When its update was appended. */
  createdAt: number;
  outcome: OutcomeKind;
  /** Whether the time of its request was counted with another update of the same batch. */
  isOfSameRequest?: boolean;
}

export const TIMELINE_RANGES = ["1h", "24h", "7d"] as const;
export type TimelineRange = (typeof TIMELINE_RANGES)[number];

const DIVISIONS: Record<TimelineRange, { intervalMs: number; count: number }> = {
  "1h": { intervalMs: MINUTE_MS, count: 60 },
  "24h": { intervalMs: 15 * MINUTE_MS, count: 96 },
  "7d": { intervalMs: HOUR_MS, count: 168 },
};

/** What happened within one interval of a range. The optional fields are absent without attempts, but for `recorded`. */
export interface TimelineInterval {
  startsAt: number;
  delivered: number;
  retried: number;
  failed: number;
  p50Ms?: number;
  p99Ms?: number;
  backlog?: number;
  oldestMs?: number;
  /** Updates that were recorded; absent where they were not counted. */
  recorded?: number;
}

/** Counts an attempt in the minute in which it ended: the last one of `minutes`, or a new one after it. */
export function countAttempt(minutes: TimelineCounts[], attempt: TimedAttempt): void {
  const startsAt = floorTo(attempt.endedAt, MINUTE_MS);
  let minute = minutes.at(-1);
  if (minute?.startsAt !== startsAt) {
    minute = { startsAt, delivered: 0, retried: 0, failed: 0, answerTimes: [], oldestMs: 0 };
    minutes.push(minute);
  }
  minute[attempt.outcome] += 1;
  if (!attempt.isOfSameRequest) countAnswer(minute.answerTimes, attempt.durationMs);
  minute.oldestMs = Math.max(minute.oldestMs, attempt.endedAt - attempt.durationMs - attempt.createdAt);
}

/** The sum of both, with the start of `counts`. */
export function sumOfCounts(counts: TimelineCounts, others: TimelineCounts): TimelineCounts {
  return {
    startsAt: counts.startsAt,
    delivered: counts.delivered + others.delivered,
    retried: counts.retried + others.retried,
    failed: counts.failed + others.failed,
    answerTimes: sumOfAnswers(counts.answerTimes, others.answerTimes),
    oldestMs: Math.max(counts.oldestMs, others.oldestMs),
  };
}

export function intervalMsOf(range: TimelineRange): number {
  return DIVISIONS[range].intervalMs;
}

/** Where the first interval of a range begins; the last one contains `now`. */
export function startOfRange(range: TimelineRange, now: number): number {
  const { intervalMs, count } = DIVISIONS[range];
  return floorTo(now, intervalMs) - (count - 1) * intervalMs;
}

/**
 * Every interval of a range, oldest first.
 *
 * @param kept in the order of their starts
 */
export function intervalsOf(
  range: TimelineRange,
  kept: readonly KeptCounts[],
  now: number,
): TimelineInterval[] {
  const { intervalMs, count } = DIVISIONS[range];
  const start = startOfRange(range, now);
  const sums = new Map<number, KeptCounts>();
  for (const counts of kept) {
    const startsAt = floorTo(counts.startsAt, intervalMs);
    const sum = sums.get(startsAt);
    const { backlog } = counts;
    sums.set(startsAt, { ...(sum ? sumOfCounts(sum, counts) : counts), startsAt, backlog });
  }
  return Array.from({ length: count }, (_, index) => {
    const startsAt = start + index * intervalMs;
    const sum = sums.get(startsAt);
    return sum ? intervalOf(sum) : { startsAt, delivered: 0, retried: 0, failed: 0 };
  });
}

/** Minutes that began before this time are folded into their hours: no range shows them any more. */
export function foldMinutesBefore(now: number): number {
  return floorTo(now - DAY_MS, HOUR_MS);
}

/** Hours that began before this are dropped. */
export function dropHoursBefore(now: number): number {
  return floorTo(now - KEEP_HOURS_FOR_MS, HOUR_MS);
}

/** The hour that a minute is folded into. */
export function hourOf(startsAt: number): number {
  return floorTo(startsAt, HOUR_MS);
}

function intervalOf({ answerTimes, ...counts }: KeptCounts): TimelineInterval {
  const p50Ms = percentileMs(answerTimes, 0.5);
  const p99Ms = percentileMs(answerTimes, 0.99);
  return { ...counts, ...(p50Ms === undefined ? {} : { p50Ms }), ...(p99Ms === undefined ? {} : { p99Ms }) };
}

function floorTo(time: number, step: number): number {
  return Math.floor(time / step) * step;
}
