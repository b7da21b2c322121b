/** The ends of a bot's log, and how many of all its updates ever were delivered. */
export interface LogEnds {
  /** Null when the log is empty. */
  firstUpdateId: number | null;
  lastUpdateId: number;
  delivered: number;
}

/**
 * Rows that one step of looking for delivered updates reads at most, some milliseconds' work. No index knows them, since an
 * update that is accepted at once must touch none; and they are most of a log, so most steps find what they look for.
 */
const ROWS_PER_STEP = 5_000;

/** The part of the log, `from` included and `to` not, that the next step reads; undefined when nothing is left. */
export function deliveredStep(
  { firstUpdateId, lastUpdateId, delivered }: LogEnds,
  before: number,
): { from: number; to: number; isLast: boolean } | undefined {
  const to = Math.min(before, lastUpdateId + 1);
  if (delivered === 0 || firstUpdateId === null || to <= firstUpdateId) return undefined;
  const from = Math.max(firstUpdateId, to - ROWS_PER_STEP);
  return { from, to, isLast: from === firstUpdateId };
}
