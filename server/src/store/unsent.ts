/** Where a walk over the updates of all destinations is: behind this number at the destination with this key. */
export interface UnsentPosition {
  destinationKey: number;
  number: number;
}

/** One step of looking for updates that a webhook was never sent and never will be. */
export interface UnsentStep {
  /** Updates below the position of their lane, of which nothing is known to have come. */
  updates: number;
  /** 1 when the position of a lane is beyond the head of its log. */
  lanesBeyond: number;
  /** Where the next step begins; absent at the end. */
  next?: UnsentPosition;
}

/** Where a walk begins. */
export const FIRST_POSITION: UnsentPosition = { destinationKey: 0, number: 0 };

/** What an engine finds at a destination, behind a position. */
export interface UnsentRow {
  destinationKey: number;
  /** Updates that were looked at, the number of the last one, and how many of them were not sent. */
  looked: number;
  last: number | null;
  unsent: number;
  isBeyond: boolean;
}

/** @param row undefined behind the last destination */
export function unsentStepOf(row: UnsentRow | undefined, from: UnsentPosition, limit: number): UnsentStep {
  if (!row) return { updates: 0, lanesBeyond: 0 };
  const { destinationKey, looked, last, unsent, isBeyond } = row;
  const isFirst = destinationKey !== from.destinationKey || from.number === 0;
  const next =
    looked === limit
      ? { destinationKey, number: last ?? 0 }
      : { destinationKey: destinationKey + 1, number: 0 };
  return { updates: unsent, lanesBeyond: isFirst && isBeyond ? 1 : 0, next };
}
