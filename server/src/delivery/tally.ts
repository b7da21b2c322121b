import { OUTCOME_CLASSES, type OutcomeClass } from "../domain/outcome-class.js";

/** What delivery has done since the process began: plain numbers, since counting must cost an attempt nothing. */
export interface DeliveryTally {
  /** Attempts begun. */
  attempts: number;
  /** Those of them whose update had been attempted before. */
  retries: number;
  /** Attempts that ended, by what came of them. */
  readonly outcomes: Record<OutcomeClass, number>;
  /** Updates whose last attempt of the schedule has failed. */
  failedUpdates: number;
  /** Leases that ran out, or were taken over, before they were given back. */
  lostLanes: number;
}

/** What delivery has in hand at one moment. */
export interface LaneCounts {
  held: number;
  /** Of those held: the receiver's last answer was no success. */
  failing: number;
  /** Due updates taken from the store and not sent yet. */
  queuedUpdates: number;
  /** Attempts under way. */
  inFlight: number;
}

export function createDeliveryTally(): DeliveryTally {
  const outcomes = Object.fromEntries(OUTCOME_CLASSES.map((name) => [name, 0])) as DeliveryTally["outcomes"];
  return { attempts: 0, retries: 0, outcomes, failedUpdates: 0, lostLanes: 0 };
}
