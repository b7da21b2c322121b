const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

/** A short duration: "12 ms", "1.5 s", "3 h". */
export function duration(ms: number): string {
  for (const [unit, lengthMs] of UNITS) {
    if (ms >= lengthMs) return `${Number((ms / lengthMs).toFixed(1))} ${unit}`;
  }
  return `${Math.round(ms)} ms`;
}
