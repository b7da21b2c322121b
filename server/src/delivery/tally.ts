import { OUTCOME_CLASSES, type OutcomeClass } from "../domain/delivery/outcome-class.js";

/** What delivery has done since the process began. Plain numbers, so that counting costs an attempt next to nothing. */
export interface DeliveryTally {
  /** Attempts begun. */
  attempts: number;
  /** Those of them whose update had been attempted before. */
  retries: number;
  /** Attempts that ended, by their result. */
  readonly outcomes: Record<OutcomeClass, number>;
  /** Updates whose last attempt of the schedule has failed. */
  failedUpdates: number;
  /** Leases that ran out, or were taken over, before their lanes were released. */
  lostLanes: number;
}

/** What delivery is working on at one moment. */
export interface LaneCounts {
  held: number;
  /** Of those held: the receiver's last answer was no success. */
  failing: number;
  /** Updates that wait for a slot. */
  queuedUpdates: number;
  /** Attempts in flight. */
  inFlight: number;
}

export function createDeliveryTally(): DeliveryTally {
  const outcomes = Object.fromEntries(OUTCOME_CLASSES.map((name) => [name, 0])) as DeliveryTally["outcomes"];
  return { attempts: 0, retries: 0, outcomes, failedUpdates: 0, lostLanes: 0 };
}
