export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The value that `share` (0 to 1) of `values` do not exceed. */
export function percentile(values, share) {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export const round = (value, digits = 2) => Number(value.toFixed(digits));

/** A figure as text, with its goal. */
export function withGoal(figure, { atLeast, atMost }, digits = 2) {
  const met = atLeast === undefined ? figure <= atMost : figure >= atLeast;
  const goal = atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`;
  return `${round(figure, digits)} (goal: ${goal}${met ? "" : "; not met"})`;
}
