import { outcomeKind } from "../../domain/delivery/attempt.js";
import { isProbing } from "../../domain/delivery/lane-health.js";
import { POST_CREATED } from "../../domain/events/event.js";
import { isSent } from "../../domain/events/subscription.js";
import type { ClaimedLane, DueUpdates } from "../../store/store.js";
import type { Attempt } from "../attempt.js";
import { createLaneLedger, type LaneLedger, type LedgerOptions } from "../ledger/lane-ledger.js";
import { mayQueue } from "../ledger/lane-limits.js";
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
} from "../ledger/lane-state.js";
import { createOrderedLedger } from "../ledger/ordered-ledger.js";
import { ageLimitOffered } from "../ledger/target-dates.js";
import { outcomesOf } from "../outcome.js";
import { type OpenTarget, openTarget } from "../sending/endpoint.js";
import type { AttemptResult } from "../sending/send-attempt.js";
import { createLaneAttempts } from "./lane-attempts.js";
import { createLaneTimeline } from "./lane-timeline.js";
import type { LaneRunner, Lease, RunnerContext } from "./runner-shapes.js";

export type { LaneRunner, Lease, RunnerContext } from "./runner-shapes.js";

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
  /** The only order in which the lane sends. A lane whose webhook gets another one ends. */
  const order = target?.settings.order ?? "none";
  const isOrdered = order !== "none";
  const ledger = createLedger({
    mayHaveMore,
    isTurnOfRefused,
    onQueued,
    isWanted: ({ eventType = POST_CREATED }) => !target || isSent(eventType, target.settings.eventTypes),
    onNotSent: () => {
      hasNotSent = true;
    },
  });
  const { takeResponse } = context;
  const attempts = createLaneAttempts({
    bot: { botId, ownerUserId },
    destinationId,
    slots,
    sender,
    takeResponse,
    onEnd: finish,
  });
  const timeline = createLaneTimeline();
  /** Whether the receiver has answered that it is gone for good. */
  let isGone = false;
  /** Until the webhook's rate allows the next attempt. */
  let waiting: NodeJS.Timeout | undefined;
  let leaseTimer: NodeJS.Timeout | undefined;
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
      if (isOrdered) watchLease();
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
      const { lastUpdateId, events = [] } = growth;
      const hasRoom = mayQueue(state, events.length) && unsent.roomFor(ownerUserId) > 0;
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
    leaseLost: loseLease,
    leaseExtended(until, targetAgeMs) {
      const now = performance.now();
      // With an order it has ended with its lease: what was extended is that of a claim whose answer is still to come.
      if (!isOrdered || now < state.leaseUntil) act(leaseExtended(state, until, targetAgeMs, now));
    },
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
      return {
        destinationId,
        ...(isOrdered && { order }),
        ...ledger.beginRead(readBegun(state, performance.now())),
      };
    },
    endRead(due) {
      const now = performance.now();
      if (!isReadCurrent(state, due.webhookVersion)) {
        ledger.cancelRead();
        if (due.webhookVersion !== webhookVersion) ledger.abandon();
        act(readDiscarded(state, due.webhookVersion, now));
        return;
      }
      const found = openTargetOf(due, state.target);
      if (found && found.settings.order !== order) {
        // Whoever claims it next sends in the new order, when everything is recorded that was sent in this one.
        ledger.cancelRead();
        runner.end();
        act(readDiscarded(state, due.webhookVersion, now));
        return;
      }
      target = found;
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
    outcomesRecorded(count, isRefused) {
      ledger.recorded(count, isRefused);
      timeline.recorded();
      act(step(state, performance.now()));
    },
    mayRelease: () => !isOrdered || performance.now() < state.leaseUntil,
    release: () => ({
      destinationId,
      ...(isOrdered && { order }),
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
    hasNotSent = false;
    context.onOutcome(runner);
    if (result.status === GONE && !result.accepted && attempt.generation === state.generation) {
      isGone = true;
      runner.end();
    }
    act(attemptEnded(state, attempt, result.accepted, performance.now(), endedAt));
  }

  function createLedger(options: LedgerOptions): LaneLedger {
    const { updates, nextFreshId } = lane;
    return order === "none"
      ? createLaneLedger(updates, options)
      : createOrderedLedger(updates, { ...options, order, nextFreshId });
  }

  function watchLease(): void {
    const leftMs = Math.ceil(state.leaseUntil - performance.now());
    if (leftMs <= 0) return loseLease();
    leaseTimer = setTimeout(watchLease, leftMs);
    leaseTimer.unref();
  }

  function loseLease(): void {
    ledger.abandon();
    // Another holder sends these updates again, and then those after them, which a late attempt must not follow.
    act(laneEnded(state, performance.now(), isOrdered));
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
      clearTimeout(leaseTimer);
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
