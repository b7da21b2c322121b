const MOST_SUGGESTIONS = 5;
/** With more typing errors than this, two names are not similar. */
const MOST_SLIPS = 2;
/** Names whose first letters, this many, are equal are similar too. */
const SAME_BEGINNING = 3;

/** The names that may have been meant, the likeliest first, as the end of a message; undefined when there are none. */
export function suggestion(wanted: string, names: readonly string[]): string | undefined {
  const similar = names
    .map((name) => ({ name, slips: slipsBetween(name.toLowerCase(), wanted.toLowerCase()) }))
    .filter(({ name, slips }) => isSlip(name, wanted, slips) || isAlike(name, wanted))
    .sort((a, b) => a.slips - b.slips)
    .map(({ name }) => name);
  if (similar.length === 0) return undefined;
  const shown = similar.slice(0, MOST_SUGGESTIONS).join(", ");
  return `; did you mean ${shown}${similar.length > MOST_SUGGESTIONS ? ", …" : ""}?`;
}

/** The name that was most likely meant. */
export function nearest(wanted: string, names: readonly string[]): string | undefined {
  return names.toSorted((a, b) => slipsBetween(a, wanted) - slipsBetween(b, wanted))[0];
}

/** Less than half of a name may be typing errors: two names of two letters that share one are not similar. */
function isSlip(name: string, wanted: string, slips: number): boolean {
  return slips <= MOST_SLIPS && slips * 2 < Math.max(name.length, wanted.length);
}

/** One contains the other, or they begin alike. */
function isAlike(name: string, wanted: string): boolean {
  const [a, b] = [name.toLowerCase(), wanted.toLowerCase()];
  return a.includes(b) || b.includes(a) || a.slice(0, SAME_BEGINNING) === b.slice(0, SAME_BEGINNING);
}

/**
 * Letters typed wrong, left out, added or swapped with the next: the optimal string alignment distance.
 *
 * @param most with more it is not counted to the end
 */
export function slipsBetween(a: string, b: string, most = Number.POSITIVE_INFINITY): number {
  let beforeLast: number[] = [];
  let fewestOfLast = 0;
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? (beforeLast[j - 2] ?? 0) + 1 : replaced;
      row[j] = Math.min(replaced, swapped, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
    }
    const fewest = Math.min(...row);
    // What follows comes from this row, or, swapped, from the one before it.
    if (fewest > most && fewestOfLast >= most) return fewest;
    fewestOfLast = fewest;
    [beforeLast, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
