import { formatted } from "./numbers.js";

const WIDTH = 96;
const HEIGHT = 28;
const GAP = 2;

/** A small bar chart of counts by interval. */
export function Sparkline({ values, what }: { values: readonly number[]; what: string }) {
  const total = values.reduce((sum, value) => sum + value, 0);
  return (
    <svg width={WIDTH} height={HEIGHT} role="img" aria-label={`${formatted(total)} ${what}`}>
      <path d={`M0 ${HEIGHT - 0.5}h${WIDTH}`} stroke="var(--mantine-color-default-border)" />
      <path d={barsOf(values)} fill="var(--mantine-color-teal-6)" />
    </svg>
  );
}

function barsOf(values: readonly number[]): string {
  const most = Math.max(1, ...values);
  const step = WIDTH / values.length;
  const bars = values.map((value, index) => {
    // A single one among many stays visible.
    const height = value === 0 ? 0 : Math.max(3, (value / most) * HEIGHT);
    return `M${index * step + GAP / 2} ${HEIGHT}v${-height}h${step - GAP}v${height}z`;
  });
  return bars.join("");
}
