import type { Cause } from "./cause.js";
import { POST_CREATED } from "./event.js";

/** An entry of a bot's log. `payload` is the event as JSON text, ready to be spliced into an answer. */
export interface Update {
  updateId: number;
  /** The kind of event; left out of the most common one, `channel.post_created`. */
  eventType?: string;
  payload: string;
  createdAt: number;
  /** Only of an update that is to be sent. */
  cause?: Cause;
}

/**
 * Where the webhook delivery of an update stands. Every update is in exactly one of these; `docs/states.md` draws the
 * transitions. `delivered` is absorbing.
 */
export const DELIVERY_STATES = ["pending", "scheduled", "delivered", "failed", "skipped"] as const;

export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** An update with its delivery, as the owner's history and error log show it. */
export interface TrackedUpdate extends Update {
  /** Where the event happened; absent when it has no channel, or when the channel was deleted. */
  channelId?: string;
  state: DeliveryState;
  attemptCount: number;
  lastAttemptedAt?: number;
  deliveredAt?: number;
  /** Why the last failed attempt failed, also after a later success. Empty when no attempt has failed. */
  lastError: string;
  nextRetryAt?: number;
}

/** An update that is due to be sent. */
export interface DueUpdate extends Update {
  attemptCount: number;
  /** Failures since the update was appended or last replayed: its position in the retry schedule. */
  failureCount: number;
  /** It was held behind another one, and so has a row of its own although it may never have been attempted. */
  wasHeld?: true;
  /** Of a webhook with the order `channel`: the channel in which it happened, as the store knows it; absent without one. */
  channelKey?: number;
  /** The number of the last earlier update of the channel that waits for a retry or is held; absent when none does. */
  waitsFor?: number;
}

/** The error of an update that its owner has skipped. */
export const SKIPPED_BY_OWNER = "skipped by its owner (skipped_by_owner)";

/** Whether the update has no row of its own at its webhook: it was neither attempted nor held there. */
export function isFresh({ attemptCount, wasHeld }: Pick<DueUpdate, "attemptCount" | "wasHeld">): boolean {
  return attemptCount === 0 && !wasHeld;
}

/** Whether the update was refused before in its round. */
export function isRefused({ failureCount }: Pick<DueUpdate, "failureCount">): boolean {
  return failureCount > 0;
}

/**
 * The counters of a bot's updates at one of its webhooks. The five states add up to `total`, which counts everything ever stored.
 */
export interface DeliveryStats {
  total: number;
  pending: number;
  scheduled: number;
  delivered: number;
  failed: number;
  /** A webhook skipped it when it was set, or does not want its kind of event, or it expired without ever having had a webhook. */
  skipped: number;
  attachedChannels: number;
  /** The lag of the consumer that is furthest behind; absent without consumers. */
  slowestConsumerLag?: number;
  /** When the oldest update that is pending or scheduled was appended; absent when none is. */
  oldestPendingAt?: number;
  lastUpdateAt?: number;
  lastAttemptedAt?: number;
  lastDeliveredAt?: number;
}

/** The JSON text of several updates as a webhook gets them: in the shape of a poll's answer. */
export function encodeBatch(texts: readonly string[]): string {
  return `{"items":[${texts.join()}]}`;
}

/**
 * The JSON text of an update as a bot sees it: an item of a poll, and the whole body of a webhook request. Spliced
 * rather than serialised, because the payload is most of it and is JSON text already.
 */
export function encodeUpdate({ updateId, eventType, payload, createdAt }: Update): string {
  const time = new Date(createdAt).toISOString();
  return `{"update_id":${updateId},"event_type":"${eventType ?? POST_CREATED}","payload":${payload},"created_at":"${time}"}`;
}
