import { outcomeKind } from "../../domain/delivery/attempt.js";
import { isProbing } from "../../domain/delivery/lane-health.js";
import type { RetrySchedule } from "../../domain/delivery/retry-schedule.js";
import { POST_CREATED } from "../../domain/events/event.js";
import { isSent } from "../../domain/events/subscription.js";
import type { SecretBox } from "../../domain/secret-box.js";
import type {
  ClaimedLane,
  DueRead,
  DueUpdates,
  LaneOutcomes,
  LaneRelease,
  LogGrowth,
} from "../../store/store.js";
import type { DeliveryLog } from "../delivery-log.js";
import { outcomesOf } from "../outcome.js";
import { type LogUnreadable, type OpenTarget, openTarget } from "../sending/endpoint.js";
import type { AttemptResult, Sender } from "../sending/send-attempt.js";
import { type Attempt, createLaneAttempts } from "./lane-attempts.js";
import { createLaneLedger } from "./lane-ledger.js";
import { mayQueue } from "./lane-limits.js";
import {
  attemptBegun,
  attemptEnded,
  batchSizeNow,
  createLaneState,
  deliveryChanged,
  Effect,
  type Effects,
  isReadCurrent,
  laneEnded,
  leaseExtended,
  mayBegin,
  readBegun,
  readDiscarded,
  readTaken,
  step,
} from "./lane-state.js";
import { createLaneTimeline } from "./lane-timeline.js";
import type { Slots, SlotUser } from "./slots.js";
import { ageLimitOffered } from "./target-dates.js";
import type { UnsentBytes } from "./unsent-bytes.js";

/** Executes the effects of one held lane's state machine: reads, attempts, and recording outcomes. */
export interface LaneRunner extends SlotUser {
  readonly destinationId: string;
  /** Whose log it reads. */
  readonly botId: string;
  /** To be called once, after the holder has registered the runner, since effects may follow immediately. */
  begin(): void;
  /** Due updates taken from the store and not sent yet. */
  queuedCount(): number;
  /** Whether the lane can send: it has not ended, has a target, and does not rest. */
  isActive(): boolean;
  isIdle(): boolean;
  /** Whether {@link RunnerContext.onOver} was called. */
  isOver(): boolean;
  logGrew(growth: LogGrowth): void;
  /** The target or the generation may have changed: nothing more is sent before the lane was read again. */
  deliveryChanged(): void;
  /** Queued updates of erased posts are dropped and read again. */
  postsErased(postOrChannelId: string): void;
  /** The lane's next lease says so much about the age of its targets: see {@link Lease}. */
  ageLimitOffered(targetAgeMs: number): void;
  leaseExtended(until: number, targetAgeMs: number): void;
  /** Sends nothing more. When attempts in flight have ended and are recorded, the lane is over. */
  end(): void;
  /** The parameters of the lane's next read; undefined when no read is wanted any more. */
  beginRead(): DueRead | undefined;
  endRead(due: DueUpdates): void;
  /** The outcomes that the store does not have yet, in the order in which their attempts ended. */
  collectOutcomes(): LaneOutcomes;
  /** The store has the first `count` of what was collected last; all of it when that is left out. */
  outcomesRecorded(count?: number): void;
  /** The parameters of the lane's release. */
  release(): LaneRelease;
}

/** What all lanes of the process share, and the callbacks for what a lane cannot do by itself. */
export interface RunnerContext {
  slots: Slots;
  unsent: UnsentBytes;
  sender: Sender;
  retrySchedule: RetrySchedule;
  secretBox: SecretBox;
  logUnreadable: LogUnreadable;
  log: DeliveryLog;
  /** {@link LaneRunner.beginRead} has to be called; if not urgent, the read may wait for those of other lanes. */
  onReadWanted(runner: LaneRunner, isUrgent: boolean): void;
  /** {@link LaneRunner.collectOutcomes} has to be called. */
  onOutcome(runner: LaneRunner): void;
  /** The lane has nothing to do until its log grows. */
  onIdle(runner: LaneRunner): void;
  /** The lane has ended and has to be released. */
  onOver(runner: LaneRunner): void;
}

/** In milliseconds of `performance.now`, a monotonic clock. */
export interface Lease {
  /** When the claim began. */
  claimedAt: number;
  leaseUntil: number;
  /** How long after it has begun to read a target the lane may use it. The store has this with the lease. */
  targetAgeMs: number;
}

/** The status of a receiver that will never accept anything again. */
const GONE = 410;

/** @param mayHaveMore whether more updates may be due than the claim returned */
export function createLaneRunner(
  lane: ClaimedLane,
  mayHaveMore: boolean,
  lease: Lease,
  context: RunnerContext,
): LaneRunner {
  const { destinationId, botId, ownerUserId, webhookVersion } = lane;
  const { slots, unsent, sender, log, retrySchedule } = context;
  const isTurnOfRefused = !isProbing(lane.health) || lane.health.failedProbes % 2 === 1;
  const onQueued = (bytes: number): void => unsent.change(ownerUserId, bytes);
  let target = openTargetOf(lane, undefined);
  /** Whether there are outcomes of updates that were not sent, which nobody has been told of. */
  let hasNotSent = false;
  const ledger = createLaneLedger(lane.updates, {
    mayHaveMore,
    isTurnOfRefused,
    onQueued,
    isWanted: ({ eventType = POST_CREATED }) => !target || isSent(eventType, target.settings.eventTypes),
    onNotSent: () => {
      hasNotSent = true;
    },
  });
  const attempts = createLaneAttempts(destinationId, slots, sender, finish);
  const timeline = createLaneTimeline();
  /** Whether the receiver has answered that it is gone for good. */
  let isGone = false;
  /** Until the webhook's rate allows the next attempt. */
  let waiting: NodeJS.Timeout | undefined;
  const state = createLaneState(
    {
      ...lease,
      contents: ledger,
      retrySchedule,
      webhookVersion,
      generation: lane.generation,
      health: lane.health,
      target,
    },
    performance.now(),
    Date.now(),
  );

  const runner: LaneRunner = {
    destinationId,
    botId,
    ownerUserId,
    begin() {
      if (!state.target) ledger.abandon();
      recordNotSent();
      act(step(state, performance.now()));
    },
    queuedCount: ledger.queuedCount,
    inFlight: () => state.inFlight,
    isFailing: () => state.health.failingUpdates > 0,
    isActive: () => state.phase !== "ended" && state.phase !== "resting" && state.target !== undefined,
    isIdle: () => state.phase === "idle",
    isOver: () => state.isOver,

    logGrew(growth) {
      if (state.phase === "ended" || !state.target) return;
      const { lastUpdateId, posts = [] } = growth;
      const hasRoom = mayQueue(state, posts.length) && unsent.roomFor(ownerUserId) > 0;
      ledger.logGrew(hasRoom ? growth : { lastUpdateId });
      recordNotSent();
      act(step(state, performance.now()));
    },
    deliveryChanged() {
      if (state.phase !== "ended") ledger.startOver();
      act(deliveryChanged(state, performance.now()));
    },
    postsErased(postOrChannelId) {
      // A read in progress may have read the post before it was erased.
      if (state.read === "begun" || ledger.hasQueued(postOrChannelId)) runner.deliveryChanged();
    },
    ageLimitOffered: (targetAgeMs) => ageLimitOffered(state, targetAgeMs),
    leaseExtended: (until, targetAgeMs) => act(leaseExtended(state, until, targetAgeMs, performance.now())),
    end() {
      ledger.abandon();
      act(laneEnded(state, performance.now()));
    },

    start(slot) {
      const now = performance.now();
      const { generation } = state;
      const updates =
        target && mayBegin(state, now)
          ? ledger.next(isProbing(state.health) ? 1 : target.settings.maxBatch, batchSizeNow(state))
          : undefined;
      if (!target || !updates) {
        act(step(state, now));
        return false;
      }
      for (const update of updates) log.attemptBegun(update);
      const isProbe = isProbing(state.health);
      attempts.begin({ updates, target, slot, generation, isProbe, attemptedAt: Date.now() });
      act(attemptBegun(state, now));
      return true;
    },

    beginRead() {
      if (state.read === "none") return undefined;
      return { destinationId, ...ledger.beginRead(readBegun(state, performance.now())) };
    },
    endRead(due) {
      const now = performance.now();
      if (!isReadCurrent(state, due.webhookVersion)) {
        ledger.cancelRead();
        if (due.webhookVersion !== webhookVersion) ledger.abandon();
        act(readDiscarded(state, due.webhookVersion, now));
        return;
      }
      target = openTargetOf(due, state.target);
      ledger.endRead(due.updates, due.isSkipping || due.isCutShort);
      if (!target) ledger.abandon();
      recordNotSent();
      act(readTaken(state, due.generation, target, now));
    },

    collectOutcomes() {
      const minutes = timeline.collect();
      // An absent property is not copied to the store's thread.
      const { generation, health } = state;
      const rest = health.restingUntil > 0 && { rest: { until: health.restingUntil, generation } };
      return {
        destinationId,
        webhookVersion,
        ...ledger.collect(),
        ...rest,
        ...(minutes.length > 0 && { minutes }),
      };
    },
    outcomesRecorded(count) {
      ledger.recorded(count);
      timeline.recorded();
      act(step(state, performance.now()));
    },
    release: () => ({
      destinationId,
      health: state.health,
      generation: state.generation,
      ...(isGone && { isGone }),
      minutes: timeline.uncollected(),
    }),
  };
  return runner;

  function finish(attempt: Attempt, result: AttemptResult, durationMs: number): void {
    const { target } = attempt;
    const endedAt = Date.now();
    const outcomes = outcomesOf(attempt, result, durationMs, endedAt, retrySchedule);
    let isOfSameRequest = false;
    for (const [{ createdAt }, outcome] of outcomes) {
      timeline.count({ endedAt, durationMs, createdAt, outcome: outcomeKind(outcome), isOfSameRequest });
      log.attemptEnded(botId, target.host, outcome);
      ledger.settle(outcome);
      isOfSameRequest = true;
    }
    context.onOutcome(runner);
    if (result.status === GONE && !result.accepted && attempt.generation === state.generation) {
      isGone = true;
      runner.end();
    }
    act(attemptEnded(state, attempt, result.accepted, performance.now(), endedAt));
  }

  function recordNotSent(): void {
    if (!hasNotSent) return;
    hasNotSent = false;
    context.onOutcome(runner);
  }

  function act(effects: Effects): void {
    if (effects === Effect.none) return;
    if (effects & Effect.cutOff) attempts.cutOff();
    if (effects & Effect.receiverFailing) log.receiverFailing({ botId, host: state.target?.host });
    if (effects & Effect.receiverRecovered) log.receiverRecovered({ botId, host: state.target?.host });
    if (effects & Effect.readNow) context.onReadWanted(runner, true);
    if (effects & Effect.readSoon) context.onReadWanted(runner, false);
    if (effects & Effect.wantSlot) slots.want(runner);
    if (effects & Effect.wait) stepLater();
    if (effects & Effect.idle) context.onIdle(runner);
    if (effects & Effect.over) {
      clearTimeout(waiting);
      context.onOver(runner);
    }
  }

  /** A timer that fires a little early is followed by another. */
  function stepLater(): void {
    waiting ??= setTimeout(
      () => {
        waiting = undefined;
        act(step(state, performance.now()));
      },
      Math.ceil(state.sendableAt - performance.now()),
    );
  }

  function openTargetOf(due: DueUpdates, known: OpenTarget | undefined): OpenTarget | undefined {
    return due.target && openTarget(due.target, lane, context.secretBox, context.logUnreadable, known);
  }
}
