import "uplot/dist/uPlot.min.css";
import { useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef } from "react";
import UPlot from "uplot";
import classes from "./chart.module.css";
import { DURATION_STEPS, durationLabel } from "./duration.js";
import { formatted } from "./numbers.js";

/** One line, or one layer of bars. */
export interface Series {
  name: string;
  /** A colour of the theme, such as `teal`. */
  color: string;
  /** One for each interval; null without data. */
  values: readonly (number | null)[];
}

export interface ChartProps {
  /** The content in words, for screen readers. */
  summary: string;
  /** Starts of the intervals, in seconds since the Unix epoch. */
  starts: readonly number[];
  /** The length of an interval, in seconds. */
  intervalS: number;
  series: readonly Series[];
  /** Stacked bars, or lines. */
  kind: "bars" | "lines";
  unit: "count" | "ms";
  format: (value: number) => string;
  /** Where the value axis ends, when it is not the highest value. */
  clippedAt?: number | undefined;
  /** Called with the start of the interval that was clicked, in seconds. */
  onOpen?: ((startS: number) => void) | undefined;
}

const HEIGHT_PX = 160;
const AXIS_PX = 56;
/** The width of a label on the time axis. */
const LABEL_PX = 64;
/** Steps of an axis of counts: whole numbers, so that no label is half an update. */
const COUNT_STEPS = [0, 1, 2, 3, 4, 5, 6, 7, 8].flatMap((zeros) =>
  [1, 2, 5].map((digit) => digit * 10 ** zeros),
);
/** Steps of the time axis, in seconds: parts of an hour or a day, so that ticks stand where the calendar changes. */
const TIME_STEPS = [5, 10, 15, 30]
  .map((minutes) => minutes * 60)
  .concat([1, 3, 6, 12, 24].map((hours) => hours * 3600));
/** The cursors of all charts on a page are synchronised. */
const SHARED_CURSOR = "botyard";

/** A chart over time, drawn by uPlot: a few thousand points take a millisecond. */
export function Chart(props: ChartProps) {
  const { summary, starts, intervalS, series, kind, unit, format, clippedAt, onOpen } = props;
  const box = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme();
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const layers = kind === "bars" ? stacked(series) : series;
    const look = { starts, intervalS, series, kind, unit, format, clippedAt };
    const plot = new UPlot(
      optionsFor(element, scheme === "dark", look),
      [[...starts], ...layers.map(({ values }) => [...values])] as UPlot.AlignedData,
      element,
    );
    const observer = new ResizeObserver(() =>
      plot.setSize({ width: element.clientWidth, height: HEIGHT_PX }),
    );
    observer.observe(element);
    const open = () => {
      const at = plot.cursor.idx;
      const start = at === null || at === undefined ? undefined : starts[at];
      if (start !== undefined) onOpen?.(start);
    };
    plot.over.addEventListener("click", open);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [starts, intervalS, series, kind, unit, format, clippedAt, onOpen, scheme]);
  return (
    <div
      ref={box}
      className={classes["chart"]}
      data-opens={onOpen ? true : undefined}
      role="img"
      aria-label={summary}
    />
  );
}

/** Stacks the layers, the highest first, so that lower ones are drawn over it. */
function stacked(series: readonly Series[]): Series[] {
  return series.map((layer, index) => ({
    ...layer,
    values: layer.values.map((_, at) =>
      series.slice(index).reduce((sum, { values }) => sum + (values[at] ?? 0), 0),
    ),
  }));
}

type Look = Omit<ChartProps, "summary" | "onOpen">;

function optionsFor(
  element: HTMLElement,
  isDark: boolean,
  { starts, intervalS, series, kind, unit, format, clippedAt }: Look,
): UPlot.Options {
  const css = getComputedStyle(document.documentElement);
  const colorOf = (name: string) => css.getPropertyValue(`--mantine-color-${name}-${isDark ? 5 : 6}`);
  const quiet = css.getPropertyValue("--mantine-color-dimmed");
  const line = css.getPropertyValue("--mantine-color-default-border");
  const axis: UPlot.Axis = {
    stroke: quiet,
    font: "12px system-ui, sans-serif",
    grid: { stroke: line, width: 1 },
    ticks: { show: false },
  };
  const [first = 0] = starts;
  const last = starts.at(-1) ?? first;
  return {
    width: element.clientWidth,
    height: HEIGHT_PX,
    padding: [8, 16, 0, 0],
    cursor: { sync: { key: SHARED_CURSOR }, drag: { x: false, y: false }, y: false },
    scales: {
      // Half an interval on each side: bars stand around the starts, and the first and the last are whole.
      x: { range: () => [first - intervalS / 2, last + intervalS / 2] },
      y: { range: (_, __, max) => [0, clippedAt ?? Math.max((max || 0) * 1.1, 1)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        space: LABEL_PX,
        incrs: TIME_STEPS,
        values: (_, splits) => splits.map(timeLabel),
      },
      {
        ...axis,
        size: AXIS_PX,
        incrs: unit === "ms" ? DURATION_STEPS : COUNT_STEPS,
        values: (_, splits, __, ___, step) =>
          splits.map((value) => (unit === "ms" ? durationLabel(value, step) : formatted(value))),
      },
    ],
    series: [
      { label: "Time", value: (_, at) => (at === null ? "" : moment.format(at * 1000)) },
      ...series.map(({ name, color, values }): UPlot.Series => {
        const stroke = colorOf(color);
        return {
          label: name,
          stroke,
          width: kind === "bars" ? 0 : 2,
          ...(kind === "bars" ? { fill: stroke, paths: UPlot.paths.bars?.({ size: [0.75, 40] }) } : {}),
          points: { show: kind === "lines", size: 4, fill: stroke },
          // The layer's own value, not the stacked one.
          value: (_, __, ___, at) => {
            const value = at === null ? null : values[at];
            return value === null || value === undefined ? "" : format(value);
          },
        };
      }),
    ],
  };
}

/** The time of day; at midnight the date. */
function timeLabel(seconds: number): string {
  const date = new Date(seconds * 1000);
  return date.getHours() === 0 && date.getMinutes() === 0 ? dayOf.format(date) : timeOf.format(date);
}

const dayOf = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const timeOf = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const moment = new Intl.DateTimeFormat(undefined, {
  weekday: "short",
  hour: "2-digit",
  minute: "2-digit",
});
