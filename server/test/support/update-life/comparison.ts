import { expect } from "vitest";
import { FRESH_HEALTH } from "#botyard/domain/delivery/lane-health.js";
import { DELIVERY_STATES, type DeliveryState } from "#botyard/domain/events/update.js";
import { claim } from "../store-fixtures.js";
import { type ModelUpdate, updateOf, type World } from "./model.js";

/** Compares every read of the store with the model. */
export async function checkAgainstModel(world: World): Promise<void> {
  const { store, ref, updates } = world;
  const isOpen = world.url !== undefined && !world.disabled && !world.paused;
  const state = DELIVERY_STATES[(world.checks += 1) % DELIVERY_STATES.length] as DeliveryState;
  const before = 1 + Math.ceil(updates.length / 2);
  // Asked for at once: one after the other they take most of the test's time.
  const [recent, stats, webhook, found, errors = []] = await Promise.all([
    store.listRecentUpdates(ref.botId, 100),
    store.readStats(ref),
    store.readWebhook(ref),
    store.listUpdatesInState(ref.botId, state, 100, before),
    store.listDeliveryErrors(ref.botId, 100),
  ]);
  const shown = recent.toReversed().map(({ state, attemptCount, lastError, nextRetryAt }) => ({
    state,
    attempts: attemptCount,
    hasError: lastError !== "",
    waits: nextRetryAt !== undefined,
  }));
  expect(shown).toEqual(
    updates.map(({ state, attempts, failedAt }) => ({
      state,
      attempts,
      hasError: failedAt > 0,
      waits: state === "scheduled" && isOpen,
    })),
  );

  const count = (state: DeliveryState) => updates.filter((update) => update.state === state).length;
  const counters = {
    pending: count("pending"),
    scheduled: count("scheduled"),
    delivered: count("delivered"),
    failed: count("failed"),
    skipped: count("skipped"),
  };
  expect(stats).toMatchObject({ total: updates.length, ...counters });
  const oldest = updates.find(({ state }) => state === "pending" || state === "scheduled");
  expect(stats?.oldestPendingAt).toBe(oldest?.createdAt);
  expect(webhook?.url).toBe(world.url ?? "");
  expect(webhook?.pendingUpdates).toBe(counters.pending + counters.scheduled);
  expect(webhook?.failingSince).toBe(world.failingSince);

  const wanted = updates.flatMap((update, i) => (update.state === state && i + 1 < before ? [i + 1] : []));
  expect(found.updates.map(({ updateId }) => updateId)).toEqual(wanted.toReversed());

  const failedLast = updates
    .flatMap(({ failedAt }, i) => (failedAt > 0 ? [{ updateId: i + 1, failedAt }] : []))
    .sort((a, b) => b.failedAt - a.failedAt || b.updateId - a.updateId)
    .map(({ updateId }) => updateId);
  expect(errors.map(({ updateId }) => updateId)).toEqual(failedLast);
  const [error, second, third] = errors;
  const behind = second && (await store.listDeliveryErrors(ref.botId, 1, second.updateId));
  expect(behind?.[0]?.updateId).toBe(third?.updateId);
  const attempts = error && (await store.listFailedAttempts(ref.botId, error.updateId));
  expect(attempts?.map(({ attempt }) => attempt)).toEqual(
    error && updateOf(world, error.updateId).failed.slice(-20),
  );

  const reads = [{ destinationId: ref.botId, afterUpdateId: 0, limit: 1000 }];
  const [read] = await store.readDueUpdates(reads, world.now);
  const isDue = ({ state, dueAt }: ModelUpdate) =>
    state === "pending" || (state === "scheduled" && dueAt <= world.now);
  const due = updates.flatMap((update, i) => (isDue(update) ? [i + 1] : []));
  expect(read?.updates.map(({ updateId }) => updateId).sort((a, b) => a - b)).toEqual(isOpen ? due : []);

  const lanes = await claim(store, world.now, "check");
  if (lanes.length > 0) expect(isOpen).toBe(true);
  if (isOpen && due.length > 0) expect(lanes).toHaveLength(1);
  const releases = lanes.map(({ botId, generation }) => ({
    destinationId: botId,
    health: FRESH_HEALTH,
    generation,
  }));
  await store.releaseLanes("check", releases, world.now);
}

/** The timeline counts every attempt of the rows. */
export async function checkTimeline({ store, ref, updates, skips }: World): Promise<void> {
  const kept = await store.readTimeline(ref.botId, 0);
  const attempts = kept.reduce(
    (sum, { delivered, retried, failed }) => sum + delivered + retried + failed,
    0,
  );
  expect(attempts + skips).toBe(updates.reduce((sum, update) => sum + update.attempts, 0));
}
