import type { AttemptOutcome } from "../../domain/delivery/attempt.js";
import type { LaneHealth } from "../../domain/delivery/lane-health.js";
import type { TimelineCounts } from "../../domain/delivery/timeline.js";
import type { WebhookTarget } from "../../domain/delivery/webhook.js";
import type { DeliveryOrder } from "../../domain/delivery/webhook-settings.js";
import type { DueUpdate } from "../../domain/events/update.js";

export interface LaneClaim {
  holder: string;
  now: number;
  /** By the store's own clock, so that instances whose clocks differ agree on who holds a lane. */
  leaseMs: number;
  /** How long after it has begun to read a target the holder may use it. For {@link Store.readTargetAge}. */
  targetAgeMs: number;
  /** Lanes to take at most. */
  limit: number;
  /** Due updates to return with each lane at most. */
  updatesPerLane: number;
  /** The same in bytes, as {@link DueRead.maxBytes}. */
  bytesPerLane?: number;
  /**
   * Owners whose lanes are not taken. Skipping costs a microsecond for each of their due lanes (1.1 ms for 1,000 on
   * SQLite), so the cap on an owner's bots bounds it.
   */
  exceptOwners?: readonly string[];
}

export interface ClaimedLanes {
  lanes: ClaimedLane[];
  /** When the next lane that was not taken is due, without the skipped ones; undefined when none is. */
  nextDueAt?: number;
  /** Whether due lanes were skipped; set only with `exceptOwners`. */
  hasExcluded?: boolean;
}

export interface ClaimedLane extends DueUpdates {
  /** Whose log it is. */
  botId: string;
  ownerUserId: string;
  health: LaneHealth;
  /** Every update with a number below it was attempted, or has an outcome otherwise. */
  nextFreshId: number;
}

export interface DueRead {
  destinationId: string;
  /** The order of the webhook, as the holder knows it: `none` when left out. Nothing is read when it is another one. */
  order?: DeliveryOrder;
  /** Fresh updates are read from above this number: the highest already taken by the holder. */
  afterUpdateId: number;
  limit: number;
  /** With the order `channel`: fresh updates come first, so a read that brings others too brings all that are fresh. */
  isFreshFirst?: boolean;
  /** The most bytes of UTF-8 of all payloads together; the first is returned whatever its size. No bound when left out. */
  maxBytes?: number;
}

export interface DueUpdates {
  destinationId: string;
  /** Absent when nothing may be delivered: no webhook, a paused one, a disabled or a deleted bot. */
  target?: WebhookTarget;
  /**
   * Rises whenever the lane starts over: its webhook was set or removed, its bot enabled, or its failures replayed.
   * What was learnt about the receiver before then does not count any more.
   */
  generation: number;
  /**
   * The version of the webhook: it rises whenever the bot's webhook gets another URL or is removed, and with every fail-over of
   * the database, so that nothing from before one is recorded after it.
   */
  webhookVersion: number;
  /**
   * Whether {@link Store.skipRemaining} has still to skip or release some updates: what waited before it, and what it will release, cannot
   * be read yet.
   */
  isSkipping: boolean;
  updates: DueUpdate[];
  /** Whether `maxBytes` ended the list, so that there may be more although the limit was not reached. */
  isCutShort?: boolean;
}

/** The outcomes of one lane at one webhook. A lane that was claimed again while attempts were under way may be recorded twice at once. */
export interface LaneOutcomes {
  destinationId: string;
  /** The webhook at which all these attempts were made. */
  webhookVersion: number;
  /**
   * Every update numbered below this has been attempted at least once, in these outcomes or before. Without outcomes
   * only this number is stored.
   */
  nextFreshId: number;
  attempts: readonly AttemptOutcome[];
  /**
   * Until when the receiver rests after these outcomes, in milliseconds since the epoch, as learnt in this generation. A lane with
   * attempts in flight is released only when they have ended, and the times of its retries depend on it.
   */
  rest?: { until: number; generation: number };
  /** Counts to add to the timeline: of these outcomes, or of earlier ones. */
  minutes?: readonly TimelineCounts[];
}

export interface LaneRelease {
  destinationId: string;
  /** As {@link DueRead.order}. */
  order?: DeliveryOrder;
  health: LaneHealth;
  /** The generation in which `health` was learnt. When the lane has a newer one, `health` is not stored. */
  generation: number;
  /** The receiver has answered that there is no such resource any more: its webhook is paused, unless the lane has a newer generation. */
  isGone?: true;
  /** Counts still to be added to the timeline. */
  minutes?: readonly TimelineCounts[];
}
