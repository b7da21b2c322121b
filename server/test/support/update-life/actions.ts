import fc from "fast-check";
import { expect } from "vitest";
import { type AttemptOutcome, outcomeKind } from "#botyard/domain/delivery/attempt.js";
import { FRESH_HEALTH } from "#botyard/domain/delivery/lane-health.js";
import { countAttempt, type TimelineCounts } from "#botyard/domain/delivery/timeline.js";
import type { DeliveryState } from "#botyard/domain/events/update.js";
import { claim, publish } from "../store-fixtures.js";
import { type Action, type Attempt, moveTo, requeue, settle, skipUpdate, type World } from "./model.js";

const action = (does: string, run: Action["run"]): Action => ({ does, run });
/** More often on than off: only then is there anything to deliver. */
const seldom = fc.constantFrom(true, false, false);

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
      [{ destinationId: world.ref.botId, afterUpdateId: 0, limit: 100 }],
      world.now,
    );
    const idle =
      read?.updates.filter(({ updateId }) => !world.inFlight.some((a) => a.updateId === updateId)) ?? [];
    const webhookVersion = read?.webhookVersion ?? 0;
    for (const { updateId, failureCount } of idle.slice(0, count))
      world.inFlight.push({ updateId, failureCount, webhookVersion });
  }),
);

/** Ends attempts, whose outcomes are recorded together. */
async function end(world: World, ended: readonly { attempt: Attempt; outcome: string }[]): Promise<void> {
  const { botId } = world.ref;
  const lanes = new Map<number, { attempts: AttemptOutcome[]; minutes: TimelineCounts[] }>();
  for (const { attempt, outcome } of ended) {
    const nextRetryAt = outcome === "retry" ? world.now + 1_000 : undefined;
    const failure = outcome === "accepted" ? undefined : { error: "boom", nextRetryAt };
    const counts = settle(world, attempt, failure);
    const { webhookVersion, ...begun } = attempt;
    const lane = lanes.get(webhookVersion) ?? { attempts: [], minutes: [] };
    lanes.set(webhookVersion, lane);
    const told = { ...begun, attemptedAt: world.now, durationMs: 0, ...(failure && { failure }) };
    lane.attempts.push(told);
    const timed = { endedAt: world.now, durationMs: 0, createdAt: world.now, outcome: outcomeKind(told) };
    if (counts) countAttempt(lane.minutes, timed);
  }
  const firstFresh = world.updates.findIndex(({ attempts }) => attempts === 0);
  const nextFreshId = (firstFresh === -1 ? world.updates.length : firstFresh) + 1;
  await world.store.recordAttempts(
    [...lanes].map(([webhookVersion, lane]) => ({
      destinationId: botId,
      webhookVersion,
      nextFreshId,
      ...lane,
    })),
  );
}

const outcomes = fc.constantFrom("accepted", "retry", "retry", "terminal");
const hasNoneInFlight = ({ inFlight }: World) => inFlight.length === 0;

const finish = fc.record({ pick: fc.nat({ max: 20 }), outcome: outcomes }).map(({ pick, outcome }) => ({
  ...action(`finish ${pick}: ${outcome}`, async (world) => {
    const [attempt] = world.inFlight.splice(pick % Math.max(1, world.inFlight.length), 1);
    if (attempt) await end(world, [{ attempt, outcome }]);
  }),
  isIdle: hasNoneInFlight,
}));

/** Mostly accepted: those of updates in a row are stored together. */
const finishMany = fc
  .array(fc.oneof({ weight: 5, arbitrary: fc.constant("accepted") }, outcomes), {
    minLength: 2,
    maxLength: 8,
  })
  .map((all) => ({
    ...action(`finish ${all.join()}`, async (world) => {
      const attempts = world.inFlight.splice(0, all.length);
      await end(
        world,
        attempts.map((attempt, index) => ({ attempt, outcome: all[index] ?? "accepted" })),
      );
    }),
    isIdle: hasNoneInFlight,
  }));

const putWebhook = fc.constantFrom("https://example.com/", "https://example.com/other").map((url) =>
  action(`put webhook ${url}`, async (world) => {
    moveTo(world, url);
    await world.store.putWebhook(world.ref, { url, sealedSecret: undefined }, world.now);
  }),
);
const putAndSkip = fc
  .record({
    url: fc.constantFrom("https://example.com/", "https://example.com/other"),
    through: fc.oneof(fc.nat({ max: 40 }), fc.constant(Number.MAX_SAFE_INTEGER)),
    done: fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 5 }),
  })
  .map(({ url, through, done }) =>
    action(`put webhook ${url}, skip through ${through} and ${done.join()}`, async (world) => {
      moveTo(world, url);
      for (const [index, update] of world.updates.entries()) {
        const isSkipped = index + 1 <= through || done.includes(index + 1);
        if (isSkipped && update.state === "pending") skipUpdate(update);
      }
      const skip = { through, done };
      await world.store.putWebhook(world.ref, { url, sealedSecret: undefined, skip }, world.now);
    }),
  );
const deleteWebhook = fc.constant(
  action("delete webhook", async (world) => {
    world.paused = false;
    if (world.url !== undefined) moveTo(world, undefined);
    await world.store.deleteWebhook(world.ref, world.now);
  }),
);
const disable = seldom.map((disabled) =>
  action(disabled ? "disable" : "enable", async (world) => {
    world.disabled = disabled;
    await world.store.setBotDisabled(world.ref, disabled, world.now);
  }),
);
const pause = seldom.map((paused) =>
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
const skip = fc.integer({ min: 1, max: 30 }).map((id) =>
  action(`skip ${id}`, async (world) => {
    const update = world.updates[id - 1];
    const isWaiting = update && (update.state === "pending" || update.state === "scheduled");
    if (isWaiting) {
      world.skips += 1;
      update.attempts += 1;
      update.failed.push(update.attempts);
      Object.assign(update, {
        state: "failed",
        failures: update.failures + 1,
        failedAt: world.now,
        dueAt: 0,
      });
    }
    expect(await world.store.skipUpdate(world.ref, id, world.now)).toBe(isWaiting);
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
      lanes.map(({ botId, generation }) => ({ destinationId: botId, health: FRESH_HEALTH, generation })),
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

/** Everything that can happen to a bot and its updates, by how often it should. */
export const actions = fc.oneof(
  { weight: 3, arbitrary: post },
  { weight: 5, arbitrary: startAttempts },
  { weight: 8, arbitrary: finish },
  { weight: 4, arbitrary: finishMany },
  { weight: 2, arbitrary: putWebhook },
  { weight: 1, arbitrary: putAndSkip },
  { weight: 1, arbitrary: deleteWebhook },
  { weight: 1, arbitrary: disable },
  { weight: 1, arbitrary: pause },
  { weight: 2, arbitrary: replay },
  { weight: 2, arbitrary: replayChosen },
  { weight: 2, arbitrary: skip },
  { weight: 4, arbitrary: pass },
  { weight: 1, arbitrary: claimAndRelease },
  { weight: 1, arbitrary: restart },
);
