import type { Logger } from "pino";
import { outcomeKind } from "../../domain/attempt.js";
import type { LaneHealth } from "../../domain/lane-health.js";
import { MAX_IN_FLIGHT_PER_BOT } from "../../domain/limits.js";
import type { RetrySchedule } from "../../domain/retry-schedule.js";
import type { SecretBox } from "../../domain/secret-box.js";
import type { TimelineCounts } from "../../domain/timeline.js";
import type { ClaimedLane, DueRead, DueUpdates, LaneOutcomes, LogGrowth } from "../../store/store.js";
import type { DeliveryLog } from "../delivery-log.js";
import { outcomeOf } from "../outcome.js";
import type { AttemptResult, Sender } from "../sending/send-attempt.js";
import { type Attempt, createLaneAttempts } from "./lane-attempts.js";
import { createLaneLedger } from "./lane-ledger.js";
import { createLaneTarget } from "./lane-target.js";
import { createLaneTimeline } from "./lane-timeline.js";
import { createReceiverHealth } from "./receiver-health.js";
import type { Slot, Slots, SlotUser } from "./slots.js";
import type { UnsentBytes } from "./unsent-bytes.js";

/** Attempts of one lane under way, those with an earlier secret included. */
const MAX_IN_FLIGHT = 2 * MAX_IN_FLIGHT_PER_BOT;
/** Outcomes of one lane that the store may owe us: the most that a crash of this process can send twice. */
const MAX_UNRECORDED = 256;
/** Updates to read at once for each place in the window. The next read starts when half of them are left. */
const READ_PER_PLACE = 4;

/** The walk over one held lane: sends what is due, in order, until nothing is or the receiver must rest. */
export interface LaneRunner extends SlotUser {
  readonly botId: string;
  /** Starts the walk. To be called once whoever holds the lane is ready to hear of it: it may be idle at once. */
  begin(): void;
  health(): LaneHealth;
  /** Due updates taken from the store and not sent yet. */
  queuedCount(): number;
  /** The generation of the lane in which that health was learnt. */
  generation(): number;
  logGrew(growth: LogGrowth): void;
  /** Nothing known of the lane can be relied on: nothing more is sent until it has been read afresh. */
  laneChanged(): void;
  leaseExtended(until: number): void;
  /** Nothing is under way, everything is recorded, and nothing is to be done now. */
  isIdle(): boolean;
  /** Whether an idle lane is better given back at once: it has ended, its receiver rests, or there is none. */
  isOver(): boolean;
  /** Sends nothing more. What is under way ends and is recorded, and then the lane is idle. */
  end(): void;
  /** What to read for the lane; undefined when it has ended. */
  beginRead(): DueRead | undefined;
  endRead(due: DueUpdates): void;
  /** The outcomes that the store does not have yet, in the order in which their attempts ended. */
  collectOutcomes(): LaneOutcomes;
  /** The store has the first `count` of what was collected last; all of it when that is left out. */
  outcomesRecorded(count?: number): void;
  /** What the timeline is still to be told when the lane is given back. */
  uncounted(): readonly TimelineCounts[];
}

/** What all lanes of the process share, and how a lane makes itself heard. */
export interface RunnerContext {
  slots: Slots;
  unsent: UnsentBytes;
  sender: Sender;
  retrySchedule: RetrySchedule;
  secretBox: SecretBox;
  logger: Logger;
  log: DeliveryLog;
  /** {@link LaneRunner.beginRead} is to be called; if not urgent, there is time to wait for other lanes. */
  onReadWanted(runner: LaneRunner, isUrgent: boolean): void;
  /** {@link LaneRunner.collectOutcomes} is to be called. */
  onOutcome(runner: LaneRunner): void;
  onIdle(runner: LaneRunner): void;
}

export interface Lease {
  claimedAt: number;
  leaseUntil: number;
}

/**
 * @param mayHaveMore whether more may be due than the claim brought along
 * @param claimedAt when the claim began, and `leaseUntil` when it ends: on the clock of `performance.now`, which nobody
 *   sets
 */
export function createLaneRunner(
  lane: ClaimedLane,
  mayHaveMore: boolean,
  { claimedAt, leaseUntil }: Lease,
  context: RunnerContext,
): LaneRunner {
  const { botId, ownerUserId } = lane;
  const { slots, unsent, sender, logger, log } = context;
  const ledger = createLaneLedger(lane.updates, mayHaveMore, (bytes) => unsent.change(ownerUserId, bytes));
  const attempts = createLaneAttempts(slots, sender, finish);
  const timeline = createLaneTimeline();
  const target = createLaneTarget(botId, context.secretBox, logger);
  const { webhookVersion } = lane;
  const health = createReceiverHealth(lane.health, context.retrySchedule);
  const { isResting } = health;
  let { generation } = lane;
  let inFlightAtTarget = 0;
  let ended = false;
  let roundOfRead = 0;
  let readBeganAt = claimedAt;
  /** Whether the webhook must be looked at although nothing is to be sent: attempts may be under way at one that is gone. */
  let mustLook = false;

  const runner: LaneRunner = {
    botId,
    ownerUserId,
    begin() {
      aimAt(lane);
      goOn();
    },
    health: health.current,
    generation: () => generation,
    queuedCount: ledger.queuedCount,
    inFlight: attempts.count,
    isFailing: () => health.current().failingUpdates > 0,
    start,
    logGrew(growth) {
      if (ended) return;
      const { lastUpdateId, posts = [] } = growth;
      const hasPlace = hasPlaceFor(posts.length) && unsent.roomFor(ownerUserId) > 0;
      ledger.logGrew(hasPlace ? growth : { lastUpdateId });
      goOn();
    },
    laneChanged() {
      health.beginRound();
      mustLook = true;
      // Leaves nothing to send until a read that begins after this has told where to.
      if (!ended) ledger.startOver();
      goOn();
    },
    leaseExtended(until) {
      leaseUntil = until;
      // The word of another instance's change may have been lost.
      if (target.isAging()) mustLook = true;
      goOn();
    },
    isIdle,
    isOver: () => ended || !target.current() || isResting(),
    end() {
      if (ended) return;
      ended = true;
      ledger.abandon();
      goOn();
    },
    beginRead,
    endRead,
    collectOutcomes() {
      const minutes = timeline.collect();
      // What is not there need not travel to the store.
      return { botId, webhookVersion, ...ledger.collect(), ...(minutes.length > 0 && { minutes }) };
    },
    outcomesRecorded(count) {
      ledger.recorded(count);
      timeline.recorded();
      goOn();
    },
    uncounted: timeline.rest,
  };
  return runner;

  /** Sees to whatever can be done now. Called after everything that may have changed the answer. */
  function goOn(): void {
    if (wantsRead()) {
      ledger.awaitRead();
      context.onReadWanted(runner, needsUpdates() || !target.isCertain());
    }
    if (maySend()) slots.want(runner);
    else if (isIdle()) context.onIdle(runner);
  }

  /** The read that looks after the target also brings the retries that have come due. */
  function wantsRead(): boolean {
    if (ledger.isReading()) return false;
    if (mustLook && attempts.count() > 0) return true;
    if (ended || isResting()) return false;
    return needsUpdates() || (hasRoomToSend() && target.isAging());
  }

  function needsUpdates(): boolean {
    return ledger.mayHaveMore() && queueRunsLow();
  }

  function queueRunsLow(): boolean {
    return hasPlaceFor((health.current().window * READ_PER_PLACE) / 2);
  }

  /** Whether the queue may grow by so many updates: what a slow receiver has not got yet stays in the store. */
  function hasPlaceFor(updates: number): boolean {
    return ledger.queuedCount() + updates <= health.current().window * READ_PER_PLACE;
  }

  function maySend(): boolean {
    return hasRoomToSend() && target.isCertain();
  }

  function hasRoomToSend(): boolean {
    return (
      !ended &&
      target.current() !== undefined &&
      ledger.queuedCount() > 0 &&
      inFlightAtTarget < health.current().window &&
      attempts.count() < MAX_IN_FLIGHT &&
      ledger.unrecordedCount() < MAX_UNRECORDED &&
      !isResting() &&
      performance.now() < leaseUntil
    );
  }

  function isIdle(): boolean {
    if (attempts.count() > 0 || ledger.unrecordedCount() > 0 || ledger.isReading()) return false;
    return isResting() || (ledger.queuedCount() === 0 && !ledger.mayHaveMore());
  }

  function start(slot: Slot): boolean {
    const update = maySend() ? ledger.next() : undefined;
    const at = target.current();
    if (!update || !at) {
      goOn();
      return false;
    }
    inFlightAtTarget += 1;
    log.attemptBegun(update);
    const [round, isProbe] = [health.round(), health.isProbing()];
    attempts.begin({ update, target: at, slot, round, isProbe, attemptedAt: Date.now() });
    goOn();
    return true;
  }

  function finish(attempt: Attempt, result: AttemptResult, durationMs: number): void {
    const now = Date.now();
    if (attempt.target === target.current()) inFlightAtTarget -= 1;
    const isProbed = health.note(attempt, result.accepted, now);
    const receiver = { botId, host: target.current()?.host };
    if (isProbed) log.receiverFailing(receiver);
    else if (isProbed === false) log.receiverRecovered(receiver);
    const outcome = outcomeOf(attempt, result, durationMs, now, context.retrySchedule);
    const { createdAt } = attempt.update;
    timeline.count({ endedAt: now, durationMs, createdAt, outcome: outcomeKind(outcome) });
    log.attemptEnded(botId, attempt.target.host, outcome);
    ledger.settle(outcome);
    context.onOutcome(runner);
    goOn();
  }

  function beginRead(): DueRead | undefined {
    if (ended && !mustLook) {
      ledger.cancelRead();
      goOn();
      return undefined;
    }
    mustLook = false;
    roundOfRead = health.round();
    readBeganAt = performance.now();
    const count = !ended && queueRunsLow() ? health.current().window * READ_PER_PLACE : 0;
    return { botId, ...ledger.beginRead(count) };
  }

  function endRead(due: DueUpdates): void {
    if (due.webhookVersion !== webhookVersion) {
      leaveWebhook();
    } else if (ended || roundOfRead !== health.round()) {
      ledger.cancelRead();
    } else {
      if (due.generation !== generation) health.beginRound();
      generation = due.generation;
      ledger.endRead(due.updates, due.isRequeueing || due.isCutShort);
      aimAt(due);
    }
    goOn();
  }

  /**
   * Another webhook owes nothing to this one, and what hangs here must not keep it waiting. What has come to an end here is
   * recorded first; then the lane is given back, and whoever claims it next sends all the rest to where it goes now.
   */
  function leaveWebhook(): void {
    ledger.cancelRead();
    attempts.cutOff();
    runner.end();
  }

  function aimAt(due: DueUpdates): void {
    const isAnother = target.aimAt(due.target, readBeganAt);
    if (!target.current()) ledger.abandon();
    // What hangs under the secret before takes no place in the window of the new one.
    if (isAnother) inFlightAtTarget = 0;
  }
}
