const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const UNITS = [
  ["d", DAY_MS],
  ["h", HOUR_MS],
  ["min", MINUTE_MS],
  ["s", SECOND_MS],
] as const;

/** A short duration: "12 ms", "1.5 s", "3 h". */
export function duration(ms: number): string {
  for (const [unit, lengthMs] of UNITS) {
    if (ms >= lengthMs) return `${Number((ms / lengthMs).toFixed(1))} ${unit}`;
  }
  return `${Math.round(ms)} ms`;
}

/** Steps of an axis of durations, in milliseconds: its labels are whole numbers of a unit that people count in. */
export const DURATION_STEPS: number[] = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500].map((days) => days * DAY_MS),
];

/** A label of such an axis. Steps within a day go on in hours beyond it: "36 h", not "1.5 d". */
export function durationLabel(ms: number, stepMs: number): string {
  if (ms === 0) return "0";
  const [unit, lengthMs] = UNITS.find(([, length]) => stepMs >= length) ?? ["ms", 1];
  return `${Math.round(ms / lengthMs)} ${unit}`;
}
