import { MAX_IN_FLIGHT_PER_BOT } from "../../domain/limits.js";

/** Outcomes of one lane that the store does not have yet: the most that a crash of this process can send twice. */
const MAX_UNRECORDED = 256;
/** The same by the largest batch: a window of them. */
const UNRECORDED_PER_BATCHED = MAX_IN_FLIGHT_PER_BOT;
/** The queue holds this many times the window. The next read starts when half of it is left. */
const QUEUED_PER_WINDOW = 4;
/** With batches it holds no more than this: a read of 6,400 updates would hold others up. */
const MAX_QUEUED = 2_048;

/** A window counts requests, so with batches more are queued. Unsent bytes are bounded beside this. */
export function mostQueuedAt(window: number, maxBatch: number): number {
  const single = window * QUEUED_PER_WINDOW;
  return Math.min(single * maxBatch, Math.max(MAX_QUEUED, single));
}

/** How many outcomes may wait to be recorded before no further attempt begins. */
export function mostUnrecorded(maxBatch: number): number {
  return Math.max(MAX_UNRECORDED, UNRECORDED_PER_BATCHED * maxBatch);
}
