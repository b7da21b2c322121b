/** Where a walk over the updates of all logs is: behind this number of the log with this key. */
export interface LogPlace {
  logKey: number;
  number: number;
}

/** One step of looking for updates that a webhook was never sent and never will be. */
export interface UnsentStep {
  /** Updates below the position of their lane, of which nothing is known to have come. */
  updates: number;
  /** 1 when the position of a lane is beyond the head of its log. */
  lanesBeyond: number;
  /** Where the next step begins; absent at the end. */
  next?: LogPlace;
}

/** Where a walk begins. */
export const FIRST_LOG: LogPlace = { logKey: 0, number: 0 };

/** What an engine finds in a log, behind a place. */
export interface UnsentRow {
  logKey: number;
  /** Updates that were looked at, the number of the last one, and how many of them were not sent. */
  looked: number;
  last: number | null;
  unsent: number;
  isBeyond: boolean;
}

/** @param row undefined behind the last log */
export function unsentStepOf(row: UnsentRow | undefined, from: LogPlace, limit: number): UnsentStep {
  if (!row) return { updates: 0, lanesBeyond: 0 };
  const { logKey, looked, last, unsent, isBeyond } = row;
  const isFirst = logKey !== from.logKey || from.number === 0;
  const next = looked === limit ? { logKey, number: last ?? 0 } : { logKey: logKey + 1, number: 0 };
  return { updates: unsent, lanesBeyond: isFirst && isBeyond ? 1 : 0, next };
}
