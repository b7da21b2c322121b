import { InvalidInput } from "./errors.js";

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const SHAPE = /^(\d{1,9})(ms|s|m|h|d)$/;

/**
 * The milliseconds of a duration such as `250ms`, `30s`, `5m`, `12h` or `30d`.
 *
 * @throws InvalidInput when the text is anything else
 */
export function parseDuration(text: string): number {
  const match = SHAPE.exec(text.trim());
  if (!match) {
    throw new InvalidInput(
      `"${text}" is not a duration: write a whole number and ms, s, m, h or d, such as 30s`,
    );
  }
  const [, count, unit] = match;
  return Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
}

/** The same; undefined when the text is anything else. */
export function durationOf(text: string): number | undefined {
  return SHAPE.test(text) ? parseDuration(text) : undefined;
}

/** The duration in the largest unit that divides it: `5d`, `36h`, `90s`. */
export function formatDuration(ms: number): string {
  const units = Object.entries(UNIT_MS).toReversed();
  const [unit, size] = units.find(([, unitMs]) => ms % unitMs === 0) ?? ["ms", 1];
  return `${ms / size}${unit}`;
}
