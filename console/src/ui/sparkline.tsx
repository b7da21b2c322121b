import { formatted, sum } from "./numbers.js";
import classes from "./sparkline.module.css";

const WIDTH = 96;
const HEIGHT = 28;
const GAP = 2;

interface SparklineProps {
  delivered: readonly number[];
  failed: readonly number[];
  /** The top of the scale: the same for all bots of a list. */
  most: number;
}

/** A small bar chart of the attempts of the last hour: accepted, and above them failed. */
export function Sparkline({ delivered, failed, most }: SparklineProps) {
  const label = `${formatted(sum(delivered))} delivered in the last hour, ${formatted(sum(failed))} failed attempts`;
  const all = delivered.map((value, index) => value + (failed[index] ?? 0));
  return (
    <svg width={WIDTH} height={HEIGHT} role="img" aria-label={label}>
      <path d={`M0 ${HEIGHT - 0.5}h${WIDTH}`} className={classes["axis"]} />
      <path d={barsOf(all, most)} className={classes["failed"]} />
      <path d={barsOf(delivered, most)} className={classes["delivered"]} />
    </svg>
  );
}

function barsOf(values: readonly number[], most: number): string {
  const step = WIDTH / values.length;
  const bars = values.map((value, index) => {
    // A single one among many stays visible.
    const height = value === 0 ? 0 : Math.max(3, (value / Math.max(1, most)) * HEIGHT);
    return `M${index * step + GAP / 2} ${HEIGHT}v${-height}h${step - GAP}v${height}z`;
  });
  return bars.join("");
}
