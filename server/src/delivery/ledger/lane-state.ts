import { afterAccepted, afterRefused } from "../../domain/delivery/batch-size.js";
import {
  afterFailure,
  afterSuccess,
  FRESH_HEALTH,
  isProbing,
  type LaneHealth,
} from "../../domain/delivery/lane-health.js";
import type { RetrySchedule } from "../../domain/delivery/retry-schedule.js";
import { isRefused } from "../../domain/events/update.js";
import type { Attempt } from "../attempt.js";
import type { OpenTarget } from "../sending/endpoint.js";
import { Effect, type Effects } from "./lane-effects.js";
import type { LaneLedger } from "./lane-ledger.js";
import * as limits from "./lane-limits.js";
import * as dates from "./target-dates.js";

export { Effect, type Effects } from "./lane-effects.js";

/** A lane that sends reads its target again at this part of its age limit, so that no update waits for the read. */
const REFRESH_AT = 1 / 2;
/**
 * While attempts are in flight the target is read again at this age: when the hint is lost, they could hang at a
 * webhook that was removed. Each extension of the lease, every 2 s, finds it this old.
 */
const RECHECK_AGE_MS = 1_500;

/**
 * The life of a held lane, from its claim to its release; docs/states.md has the diagram.
 *
 * - `reading`: nothing can be sent before a read has come back.
 * - `sending`: takes slots for what is queued, or waits for answers and for outcomes to be recorded.
 * - `resting`: the receiver keeps failing, and nothing is sent before the next probe.
 * - `idle`: nothing to send and nothing in flight.
 * - `ended`: sends nothing more, for good.
 *
 * In every phase attempts may end and outcomes be recorded. When neither is left, an idle lane is kept for a while, and
 * a resting or ended one is over.
 */
export type LanePhase = "reading" | "sending" | "resting" | "idle" | "ended";

type LaneContents = Pick<
  LaneLedger,
  "queuedCount" | "blockedCount" | "canSend" | "mayHaveMore" | "unrecordedCount"
>;

/** Times are milliseconds of a monotonic clock, `performance.now`. */
export interface LaneState extends dates.TargetDates, limits.LimitedLane {
  phase: LanePhase;
  /** {@link Effect.over} has been told. */
  isOver: boolean;
  readonly contents: LaneContents;
  readonly retrySchedule: RetrySchedule;
  /** The only version of the webhook that the lane serves. */
  readonly webhookVersion: number;
  /** The store's number. What an attempt of an earlier generation comes to changes nothing here. */
  generation: number;
  /** The most updates of a request, of those that were not refused before: see `batch-size.ts`. */
  batchSize: number;
  /** When the rest of the receiver ends, on the monotonic clock, unlike `health.restingUntil`; 0 when it does not rest. */
  restsUntil: number;
  /** Undefined when the bot is disabled or its webhook paused or removed. */
  target: OpenTarget | undefined;
  /** An outdated read began before the lane changed: its answer is discarded. */
  read: "none" | "wanted" | "begun" | "outdated";
  leaseUntil: number;
  inFlight: number;
  /** Attempts in flight at the current target, which the window bounds. */
  inFlightAtTarget: number;
}

/** What is known from the claim; `claimedAt` is when it began. */
export type ClaimedState = Pick<
  LaneState,
  "contents" | "retrySchedule" | "webhookVersion" | "generation" | "health" | "target" | "leaseUntil"
> & { claimedAt: number; targetAgeMs: number };

/**
 * The lane before its first event, which is {@link step}.
 *
 * @param epochNow the same moment as `now`, in milliseconds since the epoch
 */
export function createLaneState(
  { claimedAt, targetAgeMs, ...claimed }: ClaimedState,
  now: number,
  epochNow: number,
): LaneState {
  return {
    ...claimed,
    phase: "reading",
    isOver: false,
    batchSize: limits.maxBatchOf(claimed),
    restsUntil: endOfRest(claimed.health, now, epochNow),
    ...dates.datedFrom(claimedAt, targetAgeMs),
    read: "none",
    inFlight: 0,
    inFlightAtTarget: 0,
    sendableAt: 0,
  };
}

/**
 * Moves the lane to its next phase and says what is to be done. Every event ends with it. By itself it is the event that
 * the contents have changed: the log has grown, or outcomes are recorded.
 */
export function step(lane: LaneState, now: number): Effects {
  if (lane.isOver) return Effect.none;
  const before = lane.phase;
  lane.phase = phaseAt(lane, now);
  const read = wantedRead(lane, now);
  if (read !== Effect.none) lane.read = "wanted";
  if (lane.phase === "sending") {
    if (now < lane.sendableAt) return read | Effect.wait;
    return mayBegin(lane, now) ? read | Effect.wantSlot : read;
  }
  if (isBusy(lane)) return read;
  if (lane.phase === "idle" && lane.target) return before === "idle" ? Effect.none : Effect.idle;
  lane.phase = "ended";
  lane.isOver = true;
  return Effect.over;
}

function phaseAt(lane: LaneState, now: number): LanePhase {
  if (lane.phase === "ended") return "ended";
  if (now < lane.restsUntil) return "resting";
  if (lane.contents.queuedCount() > 0) {
    return mayQueuedBegin(lane, now) && dates.isTargetOld(lane, now) ? "reading" : "sending";
  }
  if (lane.contents.mayHaveMore()) return "reading";
  // With a rate, a lane that is released forgets when the next attempt may begin.
  return isBusy(lane) || now < lane.sendableAt ? "sending" : "idle";
}

function wantedRead(lane: LaneState, now: number): Effects {
  if (lane.read !== "none") return Effect.none;
  const age = dates.ageOfTarget(lane, now);
  if (lane.phase === "reading" || (lane.inFlight > 0 && age > RECHECK_AGE_MS)) return Effect.readNow;
  if (lane.phase !== "sending") return Effect.none;
  if (lane.contents.mayHaveMore() && limits.isRunningLow(lane)) return Effect.readNow;
  const isRefresh = age > dates.ageLimit(lane) * REFRESH_AT && mayQueuedBegin(lane, now);
  return isRefresh ? Effect.readSoon : Effect.none;
}

/** Whether an attempt may begin. To be asked again when its slot is granted, since time has passed. */
export function mayBegin(lane: LaneState, now: number): boolean {
  return (
    lane.phase === "sending" &&
    now >= lane.sendableAt &&
    mayQueuedBegin(lane, now) &&
    !dates.isTargetOld(lane, now)
  );
}

/** Whether something is queued that target, lease and limits allow to send. */
function mayQueuedBegin(lane: LaneState, now: number): boolean {
  return (
    lane.contents.canSend() &&
    lane.target !== undefined &&
    lane.inFlightAtTarget < limits.windowOf(lane) &&
    lane.inFlight < limits.mostInFlight(lane) &&
    lane.contents.unrecordedCount() < limits.mostUnrecorded(lane) &&
    now < lane.leaseUntil
  );
}

/** The most updates that the next attempt may send, of those that were not refused before. A probe is one. */
export function batchSizeNow(lane: LaneState): number {
  return isProbing(lane.health) ? 1 : lane.batchSize;
}

function isBusy(lane: LaneState): boolean {
  return lane.inFlight > 0 || lane.read !== "none" || lane.contents.unrecordedCount() > 0;
}

function endOfRest({ restingUntil }: LaneHealth, now: number, epochNow: number): number {
  return restingUntil === 0 ? 0 : now + restingUntil - epochNow;
}

/** What the attempt sends, one update or several, has left the queue. */
export function attemptBegun(lane: LaneState, now: number): Effects {
  lane.inFlight += 1;
  lane.inFlightAtTarget += 1;
  lane.sendableAt = limits.nextSendable(lane, now);
  return step(lane, now);
}

/** Its outcomes await recording. It counts as one failure, if none of its updates was accepted. */
export function attemptEnded(
  lane: LaneState,
  { updates, target, generation, isProbe }: Pick<Attempt, "updates" | "target" | "generation" | "isProbe">,
  isAccepted: boolean,
  now: number,
  epochNow: number,
): Effects {
  lane.inFlight -= 1;
  if (target === lane.target) lane.inFlightAtTarget -= 1;
  if (generation !== lane.generation) return step(lane, now);
  const [first] = updates;
  if (!isRefused(first)) {
    lane.batchSize = isAccepted
      ? afterAccepted(lane.batchSize, limits.maxBatchOf(lane))
      : afterRefused(lane.batchSize, updates.length);
  }
  const wasProbing = isProbing(lane.health);
  lane.health = isAccepted
    ? afterSuccess(lane.health, target.settings.maxInFlight)
    : afterFailure(lane.health, first, isProbe, lane.retrySchedule, epochNow);
  lane.restsUntil = endOfRest(lane.health, now, epochNow);
  const effects = step(lane, now);
  if (isProbing(lane.health) === wasProbing) return effects;
  return effects | (wasProbing ? Effect.receiverRecovered : Effect.receiverFailing);
}

/**
 * A hint says that the store has begun a new generation or changed the target. What was queued has been dropped, and
 * nothing is sent until a read that begins after this has come back.
 */
export function deliveryChanged(lane: LaneState, now: number): Effects {
  lane.targetReadAt = Number.NEGATIVE_INFINITY;
  if (lane.read === "begun") lane.read = "outdated";
  return step(lane, now);
}

/** The store knows the age limit that was offered: a higher one holds for targets that are read from now on. */
export function leaseExtended(lane: LaneState, until: number, targetAgeMs: number, now: number): Effects {
  lane.leaseUntil = until;
  lane.nextAgeLimitMs = targetAgeMs;
  return step(lane, now);
}

/**
 * The holder wants to release the lane, or another process may hold it. What was queued has been dropped.
 *
 * @param cutsOff whether attempts in flight must not go on
 */
export function laneEnded(lane: LaneState, now: number, cutsOff = false): Effects {
  lane.phase = "ended";
  return cutsOff ? cutOff(lane, now) : step(lane, now);
}

/**
 * A read begins that was wanted, or begins once more after it failed.
 *
 * @returns how many updates it is to bring
 */
export function readBegun(lane: LaneState, now: number): number {
  lane.read = "begun";
  dates.readDated(lane, now);
  return lane.phase !== "ended" && limits.isRunningLow(lane) ? limits.mostQueued(lane) : 0;
}

/** Whether the updates of a read that comes back count. If so {@link readTaken} follows, else {@link readDiscarded}. */
export function isReadCurrent(lane: LaneState, webhookVersion: number): boolean {
  return lane.read === "begun" && lane.phase !== "ended" && webhookVersion === lane.webhookVersion;
}

/** A read has come back and its updates have been taken. A new generation begins with fresh health. */
export function readTaken(
  lane: LaneState,
  generation: number,
  target: OpenTarget | undefined,
  now: number,
): Effects {
  if (generation !== lane.generation) {
    lane.generation = generation;
    lane.health = FRESH_HEALTH;
    lane.restsUntil = 0;
  }
  // Requests that hang at an earlier URL or secret don't count against the window.
  if (target !== lane.target) {
    lane.inFlightAtTarget = 0;
    lane.sendableAt = 0;
    lane.batchSize = limits.maxBatchOf({ target });
  }
  lane.target = target;
  dates.dateTarget(lane);
  lane.read = "none";
  return step(lane, now);
}

/**
 * A read has come back and nothing of it was taken. With another webhook the lane ends: requests that hang at this one must
 * not delay the other, which gets all the rest from whoever claims the lane next.
 */
export function readDiscarded(lane: LaneState, webhookVersion: number, now: number): Effects {
  if (lane.read === "begun") dates.dateTarget(lane);
  lane.read = "none";
  if (webhookVersion === lane.webhookVersion) return step(lane, now);
  lane.phase = "ended";
  return cutOff(lane, now);
}

function cutOff(lane: LaneState, now: number): Effects {
  lane.inFlight = 0;
  lane.inFlightAtTarget = 0;
  return Effect.cutOff | step(lane, now);
}
