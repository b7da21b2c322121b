import type { DeliveryState } from "#botyard/domain/events/update.js";
import type { BotRef, Store } from "#botyard/store/store.js";

/** What the model knows of an update. */
export interface ModelUpdate {
  createdAt: number;
  state: DeliveryState;
  attempts: number;
  failures: number;
  dueAt: number;
  /** When an attempt failed last; 0 when none has. */
  failedAt: number;
  /** The numbers of its failed attempts. */
  failed: number[];
}

/** An attempt in flight. */
export interface Attempt {
  updateId: number;
  failureCount: number;
  /** The version of its webhook. */
  webhookVersion: number;
}

/** A bot on a real store, and the model of its webhook and its updates. */
export interface World {
  store: Store;
  ref: BotRef;
  channelId: string;
  reopen(): Promise<void>;
  now: number;
  /** The webhook's URL; undefined without one. */
  url: string | undefined;
  webhookVersion: number;
  failingSince: number | undefined;
  disabled: boolean;
  paused: boolean;
  /** Index 0 is update 1. */
  updates: ModelUpdate[];
  inFlight: Attempt[];
  checks: number;
  /** Updates skipped by their owner, which count as failed attempts and are in no timeline. */
  skips: number;
}

/** One step of a random sequence: it changes the store and the model alike. */
export interface Action {
  does: string;
  run(world: World): Promise<void>;
  /** Whether there is nothing that it could change now. */
  isIdle?(world: World): boolean;
}

export const updateOf = (world: World, updateId: number): ModelUpdate => {
  const update = world.updates[updateId - 1];
  if (!update) throw new Error(`the model has no update ${updateId}`);
  return update;
};

/** Records an outcome. @returns whether it counts: those of an earlier webhook do not */
export function settle(
  world: World,
  { updateId, failureCount, webhookVersion }: Attempt,
  failure?: { nextRetryAt?: number },
): boolean {
  if (webhookVersion !== world.webhookVersion) return false;
  const update = updateOf(world, updateId);
  update.attempts += 1;
  if (!failure) {
    update.state = "delivered";
    world.failingSince = undefined;
    return true;
  }
  update.failedAt = world.now;
  update.failed.push(update.attempts);
  world.failingSince ??= world.now;
  if (update.state === "delivered" || update.state === "skipped" || update.failures !== failureCount)
    return true;
  update.failures += 1;
  update.state = failure.nextRetryAt === undefined ? "failed" : "scheduled";
  update.dueAt = failure.nextRetryAt ?? 0;
  return true;
}

export const requeue = (update: ModelUpdate): void => {
  update.state = "pending";
  update.failures = 0;
  update.dueAt = 0;
};
export const skipUpdate = (update: ModelUpdate): void => {
  update.state = "skipped";
  update.failures = 0;
  update.dueAt = 0;
};
/** Sets or removes the webhook. */
export const moveTo = (world: World, url: string | undefined): void => {
  if (url !== world.url) world.webhookVersion += 1;
  world.url = url;
  world.failingSince = undefined;
  for (const update of world.updates) if (update.state === "scheduled") requeue(update);
};
