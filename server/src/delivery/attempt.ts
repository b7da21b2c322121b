import type { DueUpdate } from "../domain/events/update.js";
import type { Slot } from "./lanes/slots.js";
import type { OpenTarget } from "./sending/endpoint.js";

/** Updates that are sent together: at least one, by number. */
export type DueBatch = readonly [DueUpdate, ...DueUpdate[]];

/** One attempt of a lane, from the moment it has a slot. */
export interface Attempt {
  /** What it sends, by number. With a target whose requests have one update each it is one. */
  readonly updates: DueBatch;
  readonly target: OpenTarget;
  readonly slot: Slot;
  /** The generation of the lane in which it began. */
  readonly generation: number;
  readonly isProbe: boolean;
  /** In milliseconds since the epoch, as its signature says and the store keeps it. */
  readonly attemptedAt: number;
}
