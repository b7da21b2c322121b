/** When a lane's target was read, and for how long it may be used. Times are milliseconds of `performance.now`. */
export interface TargetDates {
  /** When the read began that gave the target. */
  targetReadAt: number;
  /** How old a target may be, as the store knew when the read of this one began. */
  targetAgeLimitMs: number;
  /** The same for a read that begins now. */
  nextAgeLimitMs: number;
  readBeganAt: number;
  readAgeLimitMs: number;
}

/** As after a claim, which gives a target. */
export function datedFrom(claimedAt: number, targetAgeMs: number): TargetDates {
  return {
    targetReadAt: claimedAt,
    targetAgeLimitMs: targetAgeMs,
    nextAgeLimitMs: targetAgeMs,
    readBeganAt: claimedAt,
    readAgeLimitMs: targetAgeMs,
  };
}

export function ageOfTarget({ targetReadAt }: TargetDates, now: number): number {
  return now - targetReadAt;
}

/** The limit holds from the read on; a lower one that the store knows since then holds at once. */
export function ageLimit({ targetAgeLimitMs, nextAgeLimitMs }: TargetDates): number {
  return Math.min(targetAgeLimitMs, nextAgeLimitMs);
}

export function isTargetOld(dates: TargetDates, now: number): boolean {
  return ageOfTarget(dates, now) > ageLimit(dates);
}

/** The store will be told that targets of the lane are used for no longer than this. A lower limit holds from now on. */
export function ageLimitOffered(dates: TargetDates, targetAgeMs: number): void {
  dates.nextAgeLimitMs = Math.min(dates.nextAgeLimitMs, targetAgeMs);
}

/** A read begins. */
export function readDated(dates: TargetDates, now: number): void {
  dates.readBeganAt = now;
  dates.readAgeLimitMs = dates.nextAgeLimitMs;
}

/** The target is what the read has returned. */
export function dateTarget(dates: TargetDates): void {
  dates.targetReadAt = dates.readBeganAt;
  dates.targetAgeLimitMs = dates.readAgeLimitMs;
}
