/** What is left of a bot's log to look through, and how many of all its updates ever were delivered. */
export interface LogEnds {
  /** Of the whole log; null when it is empty. */
  firstUpdateId: number | null;
  /** The newest one that is still to be looked at, wherever numbers were skipped; null when there is none. */
  lastUpdateId: number | null;
  delivered: number;
}

/**
 * The most rows that one step of looking for delivered updates reads, some milliseconds' work. No index has them, since an
 * update that is accepted at once must change none. They are most of a log, so most steps find some.
 */
const ROWS_PER_STEP = 5_000;

/** The part of the log, `from` included and `to` not, that the next step reads; undefined when nothing is left. */
export function deliveredStep({
  firstUpdateId,
  lastUpdateId,
  delivered,
}: LogEnds): { from: number; to: number; isLast: boolean } | undefined {
  if (delivered === 0 || firstUpdateId === null || lastUpdateId === null) return undefined;
  const to = lastUpdateId + 1;
  const from = Math.max(firstUpdateId, to - ROWS_PER_STEP);
  return { from, to, isLast: from === firstUpdateId };
}
