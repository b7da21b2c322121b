/**
 * A histogram of the times that receivers took to answer, with four buckets for each doubling: the first one is up to 1 ms,
 * the n-th above it up to 2^(n/4) ms. A bucket is reported by its middle, which is at most 9 % off. Buckets above the
 * highest one in use are left out, so that a fast receiver has few.
 */
export type AnswerTimes = number[];

const BUCKETS_PER_DOUBLING = 4;
/** The highest bucket ends at 17 minutes, above every sensible timeout. */
const HIGHEST_BUCKET = 80;

/** Counts one more answer. */
export function countAnswer(times: AnswerTimes, durationMs: number): void {
  const bucket =
    durationMs <= 1 ? 0 : Math.min(HIGHEST_BUCKET, Math.ceil(Math.log2(durationMs) * BUCKETS_PER_DOUBLING));
  while (times.length <= bucket) times.push(0);
  times[bucket] = (times[bucket] ?? 0) + 1;
}

export function sumOfAnswers(times: AnswerTimes, others: AnswerTimes): AnswerTimes {
  const [longer, shorter] = times.length < others.length ? [others, times] : [times, others];
  return longer.map((count, bucket) => count + (shorter[bucket] ?? 0));
}

/**
 * A percentile of the answer times.
 *
 * @param share 0.5 for the median, 0.99 for the p99
 *
 * @returns whole milliseconds; undefined without an answer
 */
export function percentileMs(times: AnswerTimes, share: number): number | undefined {
  let left = times.reduce((sum, count) => sum + count, 0) * share;
  const bucket = times.findIndex((count) => (left -= count) <= 0 && count > 0);
  if (bucket === -1) return undefined;
  return bucket === 0 ? 1 : Math.round(2 ** ((bucket - 0.5) / BUCKETS_PER_DOUBLING));
}
