import { Tooltip } from "@mantine/core";
import { useNow } from "./now.js";

const exact = new Intl.DateTimeFormat(undefined, {
  dateStyle: "medium",
  timeStyle: "long",
});
const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const timeOfDay = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });

const UNITS = [
  ["second", 1_000, 60_000],
  ["minute", 60_000, 3_600_000],
  ["hour", 3_600_000, 86_400_000],
  ["day", 86_400_000, 7 * 86_400_000],
] as const;

/** A relative time; the exact time on hover. */
export function Moment({ at, as = "distance" }: { at: string; as?: "distance" | "time" }) {
  const now = useNow();
  const date = new Date(at);
  return (
    <Tooltip
      label={`${exact.format(date)} · ${at}`}
      openDelay={200}
      events={{ hover: true, focus: true, touch: true }}
    >
      <time dateTime={at}>{as === "time" ? clock(date, now) : distance(date.getTime() - now)}</time>
    </Tooltip>
  );
}

/** The time of day alone, for lists of hundreds of rows: a tooltip in each doubles their rendering time. */
export function PlainMoment({ at }: { at: string }) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={`${exact.format(date)} · ${at}`}>
      {timeOfDay.format(date)}
    </time>
  );
}

/** "3 min. ago", "in 2 hr."; a date beyond a week. */
function distance(ms: number): string {
  for (const [unit, lengthMs, belowMs] of UNITS) {
    if (Math.abs(ms) < belowMs) return relative.format(Math.trunc(ms / lengthMs), unit);
  }
  return day.format(Date.now() + ms);
}

/** The time of day, with the date before it when that is not today. */
function clock(date: Date, now: number): string {
  const time = timeOfDay.format(date);
  return day.format(date) === day.format(now) ? time : `${day.format(date)}, ${time}`;
}
