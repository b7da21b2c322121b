const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

const UNITS = [
  ["second", 1_000, 60_000],
  ["minute", 60_000, 3_600_000],
  ["hour", 3_600_000, 86_400_000],
] as const;
const MOST_DAYS = 6;

/** "3 min. ago", "in 2 hr."; from a day on by the calendar, so that "yesterday" is the day before; a date beyond a week. */
export function distance(date: Date, now: number): string {
  const ms = date.getTime() - now;
  for (const [unit, lengthMs, belowMs] of UNITS) {
    if (Math.abs(ms) < belowMs) return relative.format(Math.trunc(ms / lengthMs), unit);
  }
  const days = dayNumber(date) - dayNumber(new Date(now));
  return Math.abs(days) <= MOST_DAYS ? relative.format(days, "day") : day.format(date);
}

/** Counts the days of the calendar here, whatever their lengths. */
function dayNumber(date: Date): number {
  return Math.round(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / 86_400_000);
}

const LASTING_DAYS = 7;

/** "for 4 seconds", "for 3 days"; from a week on "since" the date. */
export function lasting(date: Date, now: number): string {
  const ms = Math.max(0, now - date.getTime());
  const [unit, lengthMs] = UNITS.find(([, , belowMs]) => ms < belowMs) ?? (["day", 86_400_000] as const);
  const count = Math.trunc(ms / lengthMs);
  if (unit === "day" && count >= LASTING_DAYS) return `since ${day.format(date)}`;
  return `for ${new Intl.NumberFormat(undefined, { style: "unit", unit, unitDisplay: "long" }).format(count)}`;
}
