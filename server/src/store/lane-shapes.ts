import type { AttemptOutcome } from "../domain/attempt.js";
import type { LaneHealth } from "../domain/lane-health.js";
import type { TimelineCounts } from "../domain/timeline.js";
import type { DueUpdate } from "../domain/update.js";
import type { WebhookTarget } from "../domain/webhook.js";

export interface LaneClaim {
  holder: string;
  now: number;
  /** By the store's own clock, so that instances whose clocks differ agree on who holds a lane. */
  leaseMs: number;
  /** Lanes to take at most. */
  limit: number;
  /** Due updates to bring along per lane at most. */
  updatesPerLane: number;
  /** The same in bytes, as {@link DueRead.maxBytes}. */
  bytesPerLane?: number;
  /**
   * Owners whose lanes are passed over. Looking past them costs a microsecond for each of their lanes that is due (1.1 ms for
   * 1,000 on SQLite), so the cap on an owner's bots bounds it.
   */
  exceptOwners?: readonly string[];
}

export interface ClaimedLanes {
  lanes: ClaimedLane[];
  /** When the next lane that was not taken is due, those passed over apart; undefined when none is. */
  nextDueAt?: number;
  /** Whether lanes that are due were passed over; told when some were to be. */
  hasPassedOver?: boolean;
}

export interface ClaimedLane extends DueUpdates {
  ownerUserId: string;
  health: LaneHealth;
}

export interface DueRead {
  botId: string;
  /** Fresh updates are read from above this number: the highest already taken by the holder. */
  afterUpdateId: number;
  limit: number;
  /** What all their payloads may take together, in bytes of UTF-8; the first comes whatever it takes. No bound when left out. */
  maxBytes?: number;
}

export interface DueUpdates {
  botId: string;
  /** Absent when there is nobody to deliver to any more: no webhook, a disabled or a deleted bot. */
  target?: WebhookTarget;
  /**
   * Rises whenever the lane is started over: its webhook was set or removed, its bot enabled, its failures replayed. What
   * was learnt of the receiver before then says nothing about it now.
   */
  generation: number;
  /** Which webhook this is: rises whenever the bot's webhook gets another URL or is removed. */
  webhookVersion: number;
  /** Whether {@link Store.requeueScheduled} has still to put updates back that are due too. */
  isRequeueing: boolean;
  updates: DueUpdate[];
  /** Whether `maxBytes` ended the list: there may be more, though fewer came than the limit. */
  isCutShort?: boolean;
}

/** The outcomes of one lane. */
export interface LaneOutcomes {
  botId: string;
  /** The webhook at which all these attempts were made. */
  webhookVersion: number;
  /**
   * Every update numbered below this has been attempted at least once, with these outcomes or before. Without outcomes the
   * lane is only moved on.
   */
  nextFreshId: number;
  attempts: readonly AttemptOutcome[];
  /** What the timeline is to be told beside it: these, or outcomes before them, counted. */
  minutes?: readonly TimelineCounts[];
}

export interface LaneRelease {
  botId: string;
  health: LaneHealth;
  /** The one in which `health` was learnt; after a newer one has begun, it is not kept. */
  generation: number;
  /** What the timeline has still to be told. */
  minutes?: readonly TimelineCounts[];
}
