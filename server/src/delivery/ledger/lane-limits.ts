import type { LaneHealth } from "../../domain/delivery/lane-health.js";
import { MAX_IN_FLIGHT_PER_BOT } from "../../domain/limits.js";
import type { OpenTarget } from "../sending/endpoint.js";
import type { LaneLedger } from "./lane-ledger.js";

/** A held lane, as far as it is limited. */
export interface LimitedLane {
  health: LaneHealth;
  /** Undefined when nothing is sent. */
  target: OpenTarget | undefined;
  readonly contents: Pick<LaneLedger, "queuedCount" | "blockedCount">;
  /** When the rate of the webhook allows the next attempt, in milliseconds of a monotonic clock. */
  sendableAt: number;
}

/** Outcomes of one lane that the store does not have yet: the most that a crash of this process can send twice. */
const MAX_UNRECORDED = 256;
/** The same by the largest batch: a window of them. */
const UNRECORDED_PER_BATCHED = MAX_IN_FLIGHT_PER_BOT;
/** The queue holds this many times the window. The next read starts when half of it is left. */
const QUEUED_PER_WINDOW = 4;
/** With batches it holds no more than this: a read of 6,400 updates would hold others up. */
const MAX_QUEUED = 2_048;

/** So many times as many are queued of channels of which one is in flight: others may be behind them in the log. */
const BLOCKED_PER_QUEUED = 4;

/** Timers are late by this much on a busy process; a rate is exceeded by no more than what it allows in this time. */
const MAX_LATENESS_MS = 20;

/** The most updates of a request. */
export function maxBatchOf({ target }: Pick<LimitedLane, "target">): number {
  return target?.settings.maxBatch ?? 1;
}

/** The requests that may be in flight at once: what the receiver has earned, up to what its webhook allows. */
export function windowOf({ health, target }: LimitedLane): number {
  return target ? Math.min(health.window, target.settings.maxInFlight) : health.window;
}

/** Attempts of one lane in flight, those at an earlier target included. */
export function mostInFlight({ target }: LimitedLane): number {
  return 2 * Math.max(target?.settings.maxInFlight ?? 0, MAX_IN_FLIGHT_PER_BOT);
}

/** A window counts requests, so with batches more are queued. Unsent bytes are bounded beside this. */
export function mostQueued(lane: LimitedLane): number {
  const single = windowOf(lane) * QUEUED_PER_WINDOW;
  return Math.min(single * maxBatchOf(lane), Math.max(MAX_QUEUED, single));
}

/** Whether so many more updates may be queued: what a slow receiver has not got yet stays in the store. */
export function mayQueue(lane: LimitedLane, count: number): boolean {
  const most = mostQueued(lane);
  const aside = Math.min(lane.contents.blockedCount(), BLOCKED_PER_QUEUED * most);
  return lane.contents.queuedCount() - aside + count <= most;
}

export function isRunningLow(lane: LimitedLane): boolean {
  return mayQueue(lane, mostQueued(lane) / 2);
}

/** How many outcomes may wait to be recorded before no further attempt begins. */
export function mostUnrecorded(lane: LimitedLane): number {
  return Math.max(MAX_UNRECORDED, UNRECORDED_PER_BATCHED * maxBatchOf(lane));
}

/** When an attempt may begin after one that begins now. One that begins a little late does not delay those after it. */
export function nextSendable({ sendableAt, target }: LimitedLane, now: number): number {
  const rate = target?.settings.maxPerSecond ?? Number.POSITIVE_INFINITY;
  return Math.max(sendableAt, now - MAX_LATENESS_MS) + 1_000 / rate;
}
