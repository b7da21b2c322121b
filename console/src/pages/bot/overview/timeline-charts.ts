import type { Timeline } from "@botyard/sdk";
import type { Range } from "../../../api/queries.js";
import type { ChartProps } from "../../../ui/chart.js";
import { duration } from "../../../ui/duration.js";
import { count, formatted } from "../../../ui/numbers.js";

export const RANGE_WORDS: Readonly<Record<Range, { label: string; words: string }>> = {
  "1h": { label: "1 hour", words: "the last hour" },
  "24h": { label: "24 hours", words: "the last 24 hours" },
  "7d": { label: "7 days", words: "the last 7 days" },
};

/** An interval that is higher than usual by this factor is cut off, so that it does not flatten the others. */
const BURST_FACTOR = 10;

interface TitledChart extends Omit<ChartProps, "onOpen"> {
  title: string;
  about: string;
}

/** The charts to draw: recorded updates for a bot without a webhook, and attempts if there were any. */
export function chartsOf(timeline: Timeline): TitledChart[] {
  const { items } = timeline;
  if (items.every(({ recorded }) => recorded === undefined)) return attemptCharts(timeline);
  const hadAttempts = items.some(({ delivered, retried, failed }) => delivered + retried + failed > 0);
  return [recordedChart(timeline), ...(hadAttempts ? attemptCharts(timeline) : [])];
}

function recordedChart({ items, range, interval_seconds: intervalS }: Timeline): TitledChart {
  const values = items.map(({ recorded = 0 }) => recorded);
  const { at: clippedAt, said } = clipped(values, formatted);
  const total = count(
    values.reduce((all, value) => all + value, 0),
    "update",
  );
  return {
    starts: startsOf(items),
    intervalS,
    title: "Recorded updates",
    about: `${total} to be read${said}`,
    summary: `Recorded in ${RANGE_WORDS[range].words}: ${total}`,
    kind: "bars",
    unit: "count",
    format: formatted,
    clippedAt,
    series: [{ name: "Recorded", color: "indigo", values }],
  };
}

function attemptCharts({ items, range, interval_seconds: intervalS }: Timeline): TitledChart[] {
  const { words } = RANGE_WORDS[range];
  const starts = startsOf(items);
  const sum = (of: (item: Timeline["items"][number]) => number) =>
    formatted(items.reduce((all, item) => all + of(item), 0));
  const counts = `${sum((item) => item.delivered)} delivered, ${sum((item) => item.retried)} retried, ${sum((item) => item.failed)} failed`;
  const slowest = Math.max(0, ...items.map(({ p99_ms = 0 }) => p99_ms));
  const last = items.findLast(({ backlog }) => backlog !== undefined);
  const attempts = clipped(
    items.map((item) => item.delivered + item.retried + item.failed),
    formatted,
  );
  const times = clipped(
    items.map(({ p99_ms: p99 }) => p99 ?? 0),
    duration,
  );
  const backlog = clipped(
    items.map(({ backlog = 0 }) => backlog),
    formatted,
  );
  const ages = clipped(
    items.map(({ oldest_ms: oldest }) => oldest ?? 0),
    duration,
  );
  const common = { starts, intervalS };
  return [
    {
      ...common,
      title: "Attempts",
      about: counts + attempts.said,
      summary: `Attempts in ${words}: ${counts}`,
      kind: "bars",
      unit: "count",
      format: formatted,
      clippedAt: attempts.at,
      series: [
        { name: "Failed", color: "red", values: items.map((item) => item.failed) },
        { name: "Retried", color: "orange", values: items.map((item) => item.retried) },
        { name: "Delivered", color: "teal", values: items.map((item) => item.delivered) },
      ],
    },
    {
      ...common,
      title: "Response time (p50, p99)",
      about: `How long the receiver took to answer${times.said}`,
      summary: `Response time in ${words}: p99 at most ${duration(slowest)}`,
      kind: "lines",
      unit: "ms",
      format: duration,
      clippedAt: times.at,
      series: [
        { name: "p50", color: "indigo", values: items.map(({ p50_ms }) => p50_ms ?? null) },
        { name: "p99", color: "grape", values: items.map(({ p99_ms }) => p99_ms ?? null) },
      ],
    },
    {
      ...common,
      title: "Backlog",
      about: `Undelivered updates: ${formatted(last?.backlog ?? 0)} now${backlog.said}`,
      summary: `Backlog in ${words}: ${formatted(last?.backlog ?? 0)} updates at the end`,
      kind: "lines",
      unit: "count",
      format: formatted,
      clippedAt: backlog.at,
      series: [{ name: "Waiting", color: "indigo", values: items.map(({ backlog }) => backlog ?? null) }],
    },
    {
      ...common,
      title: "Age of the oldest update",
      about: `Its age when it was attempted${ages.said}`,
      summary: `Age of the oldest update in ${words}: ${duration(items.findLast(({ oldest_ms }) => oldest_ms !== undefined)?.oldest_ms ?? 0)} at the end`,
      kind: "lines",
      unit: "ms",
      format: duration,
      clippedAt: ages.at,
      series: [{ name: "Oldest", color: "grape", values: items.map(({ oldest_ms }) => oldest_ms ?? null) }],
    },
  ];
}

function startsOf(items: Timeline["items"]): number[] {
  return items.map(({ start }) => Date.parse(start) / 1000);
}

/** The end of the scale, and a note, when a few high intervals would flatten all others. */
function clipped(
  values: readonly number[],
  format: (value: number) => string,
): { at: number | undefined; said: string } {
  const positive = values.filter((value) => value > 0).toSorted((a, b) => a - b);
  const highest = positive.at(-1) ?? 0;
  // Nine of ten intervals are below it.
  const usual = positive[Math.floor(positive.length * 0.9) - 1] ?? highest;
  if (positive.length < 5 || highest < BURST_FACTOR * usual) return { at: undefined, said: "" };
  const at = usual * 2;
  return { at, said: `. The scale ends at ${format(at)}; the highest is ${format(highest)}` };
}
