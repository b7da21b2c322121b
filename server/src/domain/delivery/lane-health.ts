import { type DueUpdate, isRefused } from "../events/update.js";
import { MAX_PROBE_INTERVAL_MS } from "../limits.js";
import type { RetrySchedule } from "./retry-schedule.js";

/**
 * How a bot's receiver has been answering: how many attempts may be in flight at once, and, while the receiver keeps
 * failing, until when it rests.
 *
 * A lane is either open or probing. Open: the window grows by one with each success and falls to one with each failure.
 * Failures of {@link PROBING_AFTER} different updates without a success between them start probing: one attempt at a
 * time, at growing intervals, so that a dead receiver costs next to nothing and the updates that wait keep their attempts.
 * Any success opens the lane again.
 *
 * An update that was refused before and is refused again says something about itself, not about the receiver, so it changes
 * nothing: three such updates kept 285 others waiting.
 */
export interface LaneHealth {
  /** Attempts that may be in flight at once: 1 up to what the webhook allows. */
  window: number;
  /** Different updates that failed since the last success, counted up to {@link PROBING_AFTER}. */
  failingUpdates: number;
  /** The update that failed last: the same one failing again is not counted twice. */
  lastFailedUpdateId: number;
  /** Probes that failed since the lane turned to probing. */
  failedProbes: number;
  /** No attempt starts before this, in milliseconds since the epoch; 0 when the receiver does not rest. */
  restingUntil: number;
}

export const PROBING_AFTER = 3;
const FIRST_WINDOW = 4;

export const FRESH_HEALTH: LaneHealth = {
  window: FIRST_WINDOW,
  failingUpdates: 0,
  lastFailedUpdateId: 0,
  failedProbes: 0,
  restingUntil: 0,
};

export function isProbing(health: LaneHealth): boolean {
  return health.failingUpdates >= PROBING_AFTER;
}

/**
 * The health after an attempt that was accepted.
 *
 * @param maxInFlight the most attempts that the webhook allows in flight, up to which the window grows
 */
export function afterSuccess(health: LaneHealth, maxInFlight: number): LaneHealth {
  const isUnchanged = health.window === maxInFlight && health.failingUpdates === 0;
  // By far the most common case, which allocates nothing.
  if (isUnchanged) return health;
  return { ...FRESH_HEALTH, window: Math.min(health.window + 1, maxInFlight) };
}

/**
 * The health after an attempt that failed.
 *
 * @param update with the failures of its round before this one
 * @param startedAsProbe whether the lane was probing when the attempt started; other attempts of the same burst are no probes
 */
export function afterFailure(
  health: LaneHealth,
  update: Pick<DueUpdate, "updateId" | "failureCount">,
  startedAsProbe: boolean,
  schedule: RetrySchedule,
  now: number,
): LaneHealth {
  if (isRefused(update)) return health;
  const { updateId } = update;
  const failingUpdates =
    updateId === health.lastFailedUpdateId
      ? health.failingUpdates
      : Math.min(health.failingUpdates + 1, PROBING_AFTER);
  const failedProbes = health.failedProbes + (startedAsProbe ? 1 : 0);
  const next = { window: 1, failingUpdates, lastFailedUpdateId: updateId, failedProbes, restingUntil: 0 };
  return isProbing(next) ? { ...next, restingUntil: now + probeInterval(schedule, failedProbes) } : next;
}

/** The waits of the retry schedule, up to {@link MAX_PROBE_INTERVAL_MS}. */
function probeInterval(schedule: RetrySchedule, failedProbes: number): number {
  const wait = schedule[Math.min(failedProbes, schedule.length - 1)] ?? 0;
  return Math.min(wait, MAX_PROBE_INTERVAL_MS);
}
