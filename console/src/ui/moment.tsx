import { Tooltip } from "@mantine/core";
import { distance, lasting } from "./distance.js";
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

interface MomentProps {
  at: string;
  /** "3 min. ago", "for 3 minutes", "10:42:07", or distance and time where people compare with logs. */
  as?: "distance" | "lasting" | "time" | "both";
}

/** A time; the exact one on hover. */
export function Moment({ at, as = "distance" }: MomentProps) {
  const date = new Date(at);
  const now = nowFor(date, useNow());
  const text = {
    distance: () => distance(date, now),
    lasting: () => lasting(date, now),
    time: () => clock(date, now),
    both: () => `${clock(date, now)} (${distance(date, now)})`,
  }[as]();
  return (
    <Tooltip
      label={`${exact.format(date)} · ${at}`}
      openDelay={200}
      events={{ hover: true, focus: true, touch: true }}
    >
      <time dateTime={at}>{text}</time>
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

/** Both, for the same lists. */
export function PlainDistance({ at }: { at: string }) {
  const date = new Date(at);
  const now = nowFor(date, useNow());
  return (
    <time dateTime={at} title={`${exact.format(date)} · ${at}`}>
      {clock(date, now)} <span>{distance(date, now)}</span>
    </time>
  );
}

/** `now` may be five seconds old; a time in the past must not appear to be in the future. */
function nowFor(date: Date, now: number): number {
  return Math.max(now, Math.min(date.getTime(), Date.now()));
}

/** The time of day, with the date before it when that is not today. */
function clock(date: Date, now: number): string {
  const time = timeOfDay.format(date);
  return day.format(date) === day.format(now) ? time : `${day.format(date)}, ${time}`;
}
