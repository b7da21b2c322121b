import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outcomeKind } from "#botyard/domain/attempt.js";
import { FRESH_HEALTH } from "#botyard/domain/lane-health.js";
import { countAttempt, type TimelineCounts } from "#botyard/domain/timeline.js";
import { DELIVERY_STATES, type DeliveryState } from "#botyard/domain/update.js";
import type { BotRef, Store } from "#botyard/store/store.js";
import { engine, type StoreHome } from "../support/engines.js";
import { claim, makeAttachedBot, NOW, publish } from "../support/store-fixtures.js";

/**
 * The life of an update against a model of it: whatever happens in whatever order, every update is in exactly the
 * state the model says, the counters agree with the rows, and what is due is what the model says is due.
 */

interface ModelUpdate {
  createdAt: number;
  state: DeliveryState;
  attempts: number;
  failures: number;
  dueAt: number;
  /** When an attempt failed last, and how many had failed before that; 0 when none has. */
  failedAt: number;
  /** Which of its attempts failed. */
  failed: number[];
}

interface Attempt {
  updateId: number;
  failureCount: number;
  /** At which webhook it was made. */
  webhookVersion: number;
}

interface World {
  store: Store;
  ref: BotRef;
  channelId: string;
  reopen(): Promise<void>;
  now: number;
  /** Where the webhook is; undefined without one. */
  url: string | undefined;
  webhookVersion: number;
  failingSince: number | undefined;
  disabled: boolean;
  paused: boolean;
  /** Index 0 is update 1. */
  updates: ModelUpdate[];
  inFlight: Attempt[];
  checks: number;
}

type Action = { does: string; run(world: World): Promise<void> };

const action = (does: string, run: Action["run"]): Action => ({ does, run });
const updateOf = (world: World, updateId: number): ModelUpdate => {
  const update = world.updates[updateId - 1];
  if (!update) throw new Error(`the model has no update ${updateId}`);
  return update;
};

const post = fc.integer({ min: 1, max: 4 }).map((count) =>
  action(`post ${count}`, async (world) => {
    await publish(world.store, world.channelId, count, world.now);
    for (let i = 0; i < count; i++) {
      world.updates.push({
        createdAt: world.now,
        state: "pending",
        attempts: 0,
        failures: 0,
        dueAt: 0,
        failedAt: 0,
        failed: [],
      });
    }
  }),
);

const startAttempts = fc.integer({ min: 1, max: 5 }).map((count) =>
  action(`start ${count}`, async (world) => {
    const [read] = await world.store.readDueUpdates(
      [{ botId: world.ref.botId, afterUpdateId: 0, limit: 100 }],
      world.now,
    );
    const idle =
      read?.updates.filter(({ updateId }) => !world.inFlight.some((a) => a.updateId === updateId)) ?? [];
    const webhookVersion = read?.webhookVersion ?? 0;
    for (const { updateId, failureCount } of idle.slice(0, count))
      world.inFlight.push({ updateId, failureCount, webhookVersion });
  }),
);

const finish = fc
  .record({ pick: fc.nat({ max: 20 }), outcome: fc.constantFrom("accepted", "retry", "retry", "terminal") })
  .map(({ pick, outcome }) =>
    action(`finish ${pick}: ${outcome}`, async (world) => {
      const [attempt] = world.inFlight.splice(pick % Math.max(1, world.inFlight.length), 1);
      if (!attempt) return;
      const nextRetryAt = outcome === "retry" ? world.now + 1_000 : undefined;
      const failure = outcome === "accepted" ? undefined : { error: "boom", nextRetryAt };
      const counts = settle(world, attempt, failure);
      const firstFresh = world.updates.findIndex(({ attempts }) => attempts === 0);
      const nextFreshId = (firstFresh === -1 ? world.updates.length : firstFresh) + 1;
      const { botId } = world.ref;
      const { webhookVersion, ...told } = attempt;
      const ended = { ...told, attemptedAt: world.now, durationMs: 0, failure };
      const minutes: TimelineCounts[] = [];
      const timed = { endedAt: world.now, durationMs: 0, createdAt: world.now, outcome: outcomeKind(ended) };
      if (counts) countAttempt(minutes, timed);
      await world.store.recordAttempts([{ botId, webhookVersion, nextFreshId, attempts: [ended], minutes }]);
    }),
  );

/** @returns whether the attempt counts: what an earlier webhook answers now does not */
function settle(
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
  if (update.state === "delivered" || update.failures !== failureCount) return true;
  update.failures += 1;
  update.state = failure.nextRetryAt === undefined ? "failed" : "scheduled";
  update.dueAt = failure.nextRetryAt ?? 0;
  return true;
}

const requeue = (update: ModelUpdate): void => {
  update.state = "pending";
  update.failures = 0;
  update.dueAt = 0;
};
const moveTo = (world: World, url: string | undefined): void => {
  if (url !== world.url) world.webhookVersion += 1;
  world.url = url;
  world.failingSince = undefined;
  for (const update of world.updates) if (update.state === "scheduled") requeue(update);
};

const putWebhook = fc.constantFrom("https://example.com/", "https://example.com/other").map((url) =>
  action(`put webhook ${url}`, async (world) => {
    moveTo(world, url);
    await world.store.putWebhook(world.ref, { url, sealedSecret: undefined }, world.now);
  }),
);
const deleteWebhook = fc.constant(
  action("delete webhook", async (world) => {
    world.paused = false;
    if (world.url !== undefined) moveTo(world, undefined);
    await world.store.deleteWebhook(world.ref, world.now);
  }),
);
const disable = fc.boolean().map((disabled) =>
  action(disabled ? "disable" : "enable", async (world) => {
    world.disabled = disabled;
    await world.store.setBotDisabled(world.ref, disabled, world.now);
  }),
);
const pause = fc.boolean().map((paused) =>
  action(paused ? "pause" : "resume", async (world) => {
    world.paused = paused && world.url !== undefined;
    const webhook = await world.store.setWebhookPaused(world.ref, paused, world.now);
    expect(webhook === "no webhook").toBe(world.url === undefined);
  }),
);
const replay = fc.integer({ min: 1, max: 6 }).map((limit) =>
  action(`replay ${limit}`, async (world) => {
    const inState = (state: DeliveryState) => world.updates.filter((update) => update.state === state);
    const failing = [...inState("failed"), ...inState("scheduled")].slice(0, limit);
    for (const update of failing) requeue(update);
    expect(await world.store.replayFailed(world.ref, limit, world.now)).toBe(failing.length);
  }),
);
const replayChosen = fc
  .uniqueArray(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 6 })
  .map((ids) =>
    action(`replay ${ids.join()}`, async (world) => {
      const failing = world.updates.filter(
        ({ state }, index) => ids.includes(index + 1) && (state === "scheduled" || state === "failed"),
      );
      for (const update of failing) requeue(update);
      expect(await world.store.replayUpdates(world.ref, ids, world.now)).toBe(failing.length);
    }),
  );
const pass = fc.constantFrom(1, 1_000, 20_000).map((ms) =>
  action(`${ms} ms pass`, async (world) => {
    world.now += ms;
  }),
);
const claimAndRelease = fc.constant(
  action("claim and release", async (world) => {
    const lanes = await claim(world.store, world.now);
    await world.store.releaseLanes(
      "here",
      lanes.map(({ botId, generation }) => ({ botId, health: FRESH_HEALTH, generation })),
      world.now,
    );
  }),
);
const restart = fc.constant(
  action("restart", async (world) => {
    world.inFlight = [];
    await world.reopen();
  }),
);

const actions = fc.oneof(
  { weight: 3, arbitrary: post },
  { weight: 5, arbitrary: startAttempts },
  { weight: 8, arbitrary: finish },
  { weight: 2, arbitrary: putWebhook },
  { weight: 1, arbitrary: deleteWebhook },
  { weight: 1, arbitrary: disable },
  { weight: 1, arbitrary: pause },
  { weight: 2, arbitrary: replay },
  { weight: 2, arbitrary: replayChosen },
  { weight: 4, arbitrary: pass },
  { weight: 1, arbitrary: claimAndRelease },
  { weight: 1, arbitrary: restart },
);

async function checkAgainstModel(world: World): Promise<void> {
  const { store, ref, updates } = world;
  const isOpen = world.url !== undefined && !world.disabled && !world.paused;
  const rows = (await store.listRecentUpdates(ref.botId, 100)).toReversed();
  const shown = rows.map(({ state, attemptCount, lastError, nextRetryAt }) => ({
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
  };
  expect(await store.readStats(ref)).toMatchObject({ total: updates.length, ...counters });
  const oldest = updates.find(({ state }) => state === "pending" || state === "scheduled");
  expect((await store.readStats(ref))?.oldestPendingAt).toBe(oldest?.createdAt);
  const webhook = await store.readWebhook(ref);
  expect(webhook?.url).toBe(world.url ?? "");
  expect(webhook?.pendingUpdates).toBe(counters.pending + counters.scheduled);
  expect(webhook?.failingSince).toBe(world.failingSince);

  const state = DELIVERY_STATES[(world.checks += 1) % DELIVERY_STATES.length] as DeliveryState;
  const before = 1 + Math.ceil(updates.length / 2);
  const found = await store.listUpdatesInState(ref.botId, state, 100, before);
  const wanted = updates.flatMap((update, i) => (update.state === state && i + 1 < before ? [i + 1] : []));
  expect(found.updates.map(({ updateId }) => updateId)).toEqual(wanted.toReversed());

  const errors = (await store.listDeliveryErrors(ref.botId, 100)) ?? [];
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

  const reads = [{ botId: ref.botId, afterUpdateId: 0, limit: 1000 }];
  const [read] = await store.readDueUpdates(reads, world.now);
  const isDue = ({ state, dueAt }: ModelUpdate) =>
    state === "pending" || (state === "scheduled" && dueAt <= world.now);
  const due = updates.flatMap((update, i) => (isDue(update) ? [i + 1] : []));
  expect(read?.updates.map(({ updateId }) => updateId).sort((a, b) => a - b)).toEqual(isOpen ? due : []);

  const lanes = await claim(store, world.now, "check");
  if (lanes.length > 0) expect(isOpen).toBe(true);
  if (isOpen && due.length > 0) expect(lanes).toHaveLength(1);
  const releases = lanes.map(({ botId, generation }) => ({ botId, health: FRESH_HEALTH, generation }));
  await store.releaseLanes("check", releases, world.now);
}

/** Its minutes have every attempt that the rows have. */
async function checkTimeline({ store, ref, updates }: World): Promise<void> {
  const kept = await store.readTimeline(ref.botId, 0);
  const attempts = kept.reduce(
    (sum, { delivered, retried, failed }) => sum + delivered + retried + failed,
    0,
  );
  expect(attempts).toBe(updates.reduce((sum, update) => sum + update.attempts, 0));
}

/** Over a network each takes many times as long. */
const LIVES = { sqlite: 100, postgres: 50, "installed-postgres": 20 };

describe(`the life of an update on ${engine.name}`, () => {
  let home: StoreHome;
  let store: Store;

  beforeAll(async () => {
    home = await engine.createHome();
    store = await home.open();
  });
  afterAll(async () => {
    await store.close();
    await home.remove();
  });

  it("follows the model, whatever happens in whatever order", { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(actions, { minLength: 20, maxLength: 80, size: "max" }), async (steps) => {
        const { ref, channelId } = await makeAttachedBot(store);
        const world: World = {
          store,
          ref,
          channelId,
          now: NOW,
          url: undefined,
          webhookVersion: 0,
          failingSince: undefined,
          disabled: false,
          paused: false,
          updates: [],
          inFlight: [],
          checks: 0,
          async reopen() {
            await store.close();
            store = await home.open();
            world.store = store;
          },
        };
        try {
          for (const step of steps) {
            if (world.updates.length > 95) break;
            await step.run(world);
            await checkAgainstModel(world);
          }
          await checkTimeline(world);
        } finally {
          // Its lane must not be there when the next bot looks for lanes that are due.
          await store.deleteBot(ref);
        }
      }),
      { numRuns: LIVES[engine.name] },
    );
  });
});
