import type { Timeline } from "@botyard/sdk";
import { Group, SegmentedControl, SimpleGrid } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { queries } from "../../../api/queries.js";
import { Chart, type ChartProps } from "../../../ui/chart.js";
import { duration } from "../../../ui/duration.js";
import { Loaded } from "../../../ui/loaded.js";
import { formatted } from "../../../ui/numbers.js";
import { Panel } from "../../../ui/panel.js";

const RANGES = [
  { value: "1h", label: "1 hour", words: "the last hour" },
  { value: "24h", label: "24 hours", words: "the last 24 hours" },
  { value: "7d", label: "7 days", words: "the last 7 days" },
] as const;

type Range = (typeof RANGES)[number]["value"];

/** The results of a bot's deliveries by interval. */
export function Charts({ botId }: { botId: string }) {
  const [range, setRange] = useState<Range>("1h");
  const timeline = useQuery({ ...queries.timeline(botId, range), placeholderData: keepPreviousData });
  return (
    <>
      <Group justify="flex-end">
        <SegmentedControl
          aria-label="Range of the charts"
          value={range}
          onChange={setRange}
          data={RANGES.map(({ value, label }) => ({ value, label }))}
          size="xs"
        />
      </Group>
      <Loaded query={timeline} lines={8}>
        {(timeline) => <FourCharts timeline={timeline} />}
      </Loaded>
    </>
  );
}

function FourCharts({ timeline }: { timeline: Timeline }) {
  const charts = useMemo(() => chartsOf(timeline), [timeline]);
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
      {charts.map(({ title, about, ...chart }) => (
        <Panel key={title} title={title} description={about}>
          <Chart {...chart} />
        </Panel>
      ))}
    </SimpleGrid>
  );
}

interface TitledChart extends ChartProps {
  title: string;
  about: string;
}

function chartsOf({ items, range }: Timeline): TitledChart[] {
  const words = RANGES.find(({ value }) => value === range)?.words ?? range;
  const starts = items.map(({ start }) => Date.parse(start) / 1000);
  const sum = (of: (item: Timeline["items"][number]) => number) =>
    formatted(items.reduce((all, item) => all + of(item), 0));
  const delivered = sum((item) => item.delivered);
  const retried = sum((item) => item.retried);
  const failed = sum((item) => item.failed);
  const slowest = Math.max(0, ...items.map(({ p99_ms = 0 }) => p99_ms));
  const last = items.findLast(({ backlog }) => backlog !== undefined);
  return [
    {
      title: "Attempts",
      about: `${delivered} delivered, ${retried} retried, ${failed} failed`,
      summary: `Attempts in ${words}: ${delivered} delivered, ${retried} retried, ${failed} failed`,
      kind: "bars",
      starts,
      format: whole,
      series: [
        { name: "Failed", color: "red", values: items.map((item) => item.failed) },
        { name: "Retried", color: "orange", values: items.map((item) => item.retried) },
        { name: "Delivered", color: "teal", values: items.map((item) => item.delivered) },
      ],
    },
    {
      title: "Response time (p50, p99)",
      about: "How long the receiver took to answer",
      summary: `Response time in ${words}: p99 at most ${duration(slowest)}`,
      kind: "lines",
      starts,
      format: duration,
      series: [
        { name: "p50", color: "indigo", values: items.map(({ p50_ms }) => p50_ms ?? null) },
        { name: "p99", color: "grape", values: items.map(({ p99_ms }) => p99_ms ?? null) },
      ],
    },
    {
      title: "Backlog",
      about: "Undelivered updates",
      summary: `Backlog in ${words}: ${formatted(last?.backlog ?? 0)} updates at the end`,
      kind: "lines",
      starts,
      format: whole,
      series: [{ name: "Waiting", color: "indigo", values: items.map(({ backlog }) => backlog ?? null) }],
    },
    {
      title: "Age of the oldest update",
      about: "Its age when it was attempted",
      summary: `Age of the oldest update in ${words}: ${duration(last?.oldest_ms ?? 0)} at the end`,
      kind: "lines",
      starts,
      format: duration,
      series: [{ name: "Oldest", color: "grape", values: items.map(({ oldest_ms }) => oldest_ms ?? null) }],
    },
  ];
}

function whole(value: number): string {
  return Number.isInteger(value) ? formatted(value) : "";
}
