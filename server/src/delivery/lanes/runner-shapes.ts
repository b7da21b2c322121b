import type { RetrySchedule } from "../../domain/delivery/retry-schedule.js";
import type { SecretBox } from "../../domain/secret-box.js";
import type { DueRead, DueUpdates, LaneOutcomes, LaneRelease, LogGrowth } from "../../store/store.js";
import type { DeliveryLog } from "../delivery-log.js";
import type { UnsentBytes } from "../ledger/unsent-bytes.js";
import type { LogUnreadable } from "../sending/endpoint.js";
import type { Sender } from "../sending/send-attempt.js";
import type { TakeResponse } from "./lane-attempts.js";
import type { Slots, SlotUser } from "./slots.js";

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
  /** Another holder may send its updates from now on. It sends nothing more, and with an order cuts off what is in flight. */
  leaseLost(): void;
  /** Sends nothing more. When attempts in flight have ended and are recorded, the lane is over. */
  end(): void;
  /** The parameters of the lane's next read; undefined when no read is wanted any more. */
  beginRead(): DueRead | undefined;
  endRead(due: DueUpdates): void;
  /** The outcomes that the store does not have yet, in the order in which their attempts ended. */
  collectOutcomes(): LaneOutcomes;
  /** The store has the first `count` of what was collected last; all of it when that is left out. With `isRefused` it never will have it. */
  outcomesRecorded(count?: number, isRefused?: boolean): void;
  /** Whether the store may be told that it releases the lane. With an order and after its lease, it could take the lane from its next holder. */
  mayRelease(): boolean;
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
  takeResponse: TakeResponse;
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
