import { describe, expect, it } from "vitest";
import { DELIVERY_STATES } from "#botyard/domain/events/update.js";
import type { BotRef, Skip, Store } from "#botyard/store/store.js";
import { failUntil, onAttachedBot } from "../support/attached-bot.js";
import { engine } from "../support/engines.js";
import { claim, NOW, publish, recordOutcomes } from "../support/store-fixtures.js";
import { expireUpdates } from "../support/upkeep.js";

/** More than the rows of one step, and of two. */
const MANY = 600;
const EVERYTHING = Number.MAX_SAFE_INTEGER;

describe(`updates that a webhook skips on ${engine.name}`, () => {
  let store: Store;
  let ref: BotRef;
  let botId: string;
  let channelId: string;
  const { putWebhook, record, release, stats, due, reopen } = onAttachedBot((bot) => {
    ({ store, ref, botId, channelId } = bot);
  });
  const put = (skip: Skip, round?: number) =>
    store.putWebhook(ref, { url: "https://example.org/", sealedSecret: null, skip, round }, NOW);
  const expectExact = async () => {
    const {
      total = 0,
      pending = 0,
      scheduled = 0,
      delivered = 0,
      failed = 0,
      skipped = 0,
    } = (await stats()) ?? {};
    expect(pending + scheduled + delivered + failed + skipped).toBe(total);
    return { total, pending, scheduled, delivered, failed, skipped };
  };
  /** The numbers in each state, as the history lists them. */
  const inState = async (state: (typeof DELIVERY_STATES)[number]) => {
    const numbers: number[] = [];
    for (let before: number | undefined = EVERYTHING; before !== undefined; ) {
      const step = await store.listUpdatesInState(botId, state, 100, before);
      numbers.push(...step.updates.map(({ updateId }) => updateId));
      before = step.next ?? (step.updates.length === 100 ? step.updates.at(-1)?.updateId : undefined);
    }
    return numbers.toSorted((a, b) => a - b);
  };
  /** Each counter is the length of its list. */
  const expectListed = async () => {
    const counts = await expectExact();
    for (const state of DELIVERY_STATES) expect(await inState(state), state).toHaveLength(counts[state]);
  };
  /** Rows that wait, of which one step skips some. */
  const failAll = (first: number, last: number) => {
    const attempts = Array.from({ length: last - first + 1 }, (_, index) => ({
      updateId: first + index,
      failureCount: 0,
      attemptedAt: NOW,
      failure: failUntil(NOW + 60_000),
    }));
    return recordOutcomes(store, [{ destinationId: botId, nextFreshId: last + 1, attempts }]);
  };
  const workOff = async () => {
    for (let steps = 0; ; steps++) {
      expect(steps).toBeLessThan(20);
      const [read] = await store.readDueUpdates([{ destinationId: botId, afterUpdateId: 0, limit: 1 }], NOW);
      if (!read?.isSkipping) return;
      await store.skipRemaining([botId]);
      await expectListed();
    }
  };

  it("are those up to a number, in whichever state they were, and are never sent", async () => {
    await putWebhook();
    await publish(store, channelId, 8);
    await record(1, NOW);
    await record(2, NOW, failUntil());
    await record(3, NOW, failUntil(NOW + 60_000));
    await record(4, NOW, failUntil(NOW + 60_000));
    await store.replayUpdates(ref, [4], NOW);
    await put({ through: 5, done: [7] });
    expect(await expectExact()).toEqual({
      total: 8,
      pending: 2,
      scheduled: 0,
      delivered: 1,
      failed: 1,
      skipped: 4,
    });
    expect(await due(NOW + 10 ** 9)).toEqual([6, 8]);
    expect(await inState("skipped")).toEqual([3, 4, 5, 7]);
    await expectListed();
    expect((await store.readUpdates(botId, 0, 100)).map(({ updateId }) => updateId)).toHaveLength(8);
    expect(await store.replayUpdates(ref, [3, 4, 5, 7], NOW)).toBe(0);
    expect(await store.replayFailed(ref, 100, NOW)).toBe(1);
    expect(await due(NOW)).toEqual([2, 6, 8]);
    await store.deleteWebhook(ref, NOW);
    await putWebhook();
    expect(await due(NOW)).toEqual([2, 6, 8]);
    await reopen();
    await expectListed();
  });

  it("are all there are, and the next one is sent", async () => {
    await publish(store, channelId, 3);
    await put({ through: EVERYTHING, done: [] });
    expect(await expectExact()).toMatchObject({ total: 3, skipped: 3, pending: 0 });
    expect((await stats())?.oldestPendingAt).toBeUndefined();
    await publish(store, channelId, 2);
    const [lane] = await claim(store, NOW);
    expect(lane?.updates.map(({ updateId }) => updateId)).toEqual([4, 5]);
    await record(4, NOW);
    await record(5, NOW);
    await release(NOW);
    expect(await claim(store, NOW)).toEqual([]);
    expect(await expectExact()).toMatchObject({ total: 5, delivered: 2, skipped: 3 });
  });

  it("are none when the webhook has changed meanwhile", async () => {
    await publish(store, channelId, 3);
    await putWebhook();
    expect(await put({ through: EVERYTHING, done: [2] }, 0)).toBe("outdated");
    expect(await expectExact()).toMatchObject({ skipped: 0, pending: 3 });
    expect(await due(NOW)).toEqual([1, 2, 3]);
  });

  it("are marked in one step and worked off in small ones, exact in each", async () => {
    await putWebhook();
    await publish(store, channelId, MANY);
    await claim(store, NOW);
    await record(5, NOW);
    await failAll(1, MANY - 100);
    await release(NOW);
    await put({ through: MANY - 100, done: [MANY - 1] });
    const before = await expectExact();
    expect(before).toMatchObject({ total: MANY, scheduled: 0, delivered: 1, failed: 0 });
    expect(before.skipped).toBeGreaterThan(0);
    expect(before.skipped).toBeLessThan(300);
    const sent = Array.from({ length: 100 }, (_, i) => MANY - 99 + i).filter((id) => id !== MANY - 1);
    expect(await due(NOW)).toEqual(sent);
    await expectListed();
    await reopen();
    expect(await due(NOW)).toEqual(sent);
    await workOff();
    expect(await expectExact()).toEqual({ ...before, pending: 99, skipped: MANY - 100 });
    expect(await due(NOW)).toEqual(sent);
    for (const id of sent) await record(id, NOW);
    expect(await expectExact()).toMatchObject({ pending: 0, delivered: 100 });
  });

  it("may be delivered by an attempt in flight, and a failure changes nothing", async () => {
    await publish(store, channelId, MANY);
    await putWebhook();
    await claim(store, NOW);
    await failAll(1, MANY);
    await store.putWebhook(
      ref,
      { url: "https://example.com/", sealedSecret: null, skip: { through: MANY, done: [] } },
      NOW,
    );
    expect((await expectExact()).skipped).toBeLessThan(MANY);
    // One of a row that says so already, and one of a row that does not yet.
    for (const id of [1, MANY - 1]) await record(id, NOW);
    for (const id of [2, MANY]) await record(id, NOW, failUntil(NOW + 1000));
    await expectExact();
    expect(await due(NOW + 10 ** 9)).toEqual([]);
    await workOff();
    expect(await expectExact()).toMatchObject({ delivered: 2, skipped: MANY - 2, scheduled: 0, pending: 0 });
    await expectListed();
  });

  it("are skipped at once when they were never attempted, around what was", async () => {
    await publish(store, channelId, MANY);
    await putWebhook();
    await claim(store, NOW);
    const attempt = { failureCount: 0, attemptedAt: NOW };
    const attempts = [
      { ...attempt, updateId: 3 },
      { ...attempt, updateId: 5, failure: failUntil() },
    ];
    await recordOutcomes(store, [{ destinationId: botId, nextFreshId: 1, attempts }]);
    await put({ through: MANY - 1, done: [] });
    expect(await expectExact()).toMatchObject({ delivered: 1, failed: 1, skipped: MANY - 3, pending: 1 });
    // In flight when the webhook was set.
    await record(1, NOW);
    await record(MANY / 2, NOW + 7, undefined, 0, 2);
    await record(2, NOW, failUntil(NOW + 1000));
    expect(await expectExact()).toMatchObject({ delivered: 3, skipped: MANY - 5, scheduled: 0, pending: 1 });
    await expectListed();
    expect(await inState("delivered")).toEqual([1, 3, MANY / 2]);
    expect((await store.listRecentUpdates(botId, 1, MANY / 2 + 1))[0]).toMatchObject({
      attemptCount: 1,
      lastAttemptedAt: NOW + 7,
      deliveredAt: NOW + 9,
    });
    expect(await due(NOW + 10 ** 9)).toEqual([MANY]);
  });

  it("are counted without numbers that were skipped", async () => {
    await publish(store, channelId, 3);
    await store.skipUpdateIds(0, 10, 1_000);
    await publish(store, channelId, 2);
    await put({ through: EVERYTHING, done: [] });
    expect(await expectExact()).toMatchObject({ total: 5, skipped: 5, pending: 0 });
    await expectListed();
    while (await expireUpdates(store, NOW + 1, 2));
    expect(await expectExact()).toMatchObject({ total: 5, skipped: 5, pending: 0 });
  });

  it("do not include what is replayed while they are worked off", async () => {
    await putWebhook();
    await publish(store, channelId, MANY);
    for (const id of [1, 2]) await record(id, NOW, failUntil());
    await failAll(3, MANY);
    await put({ through: MANY, done: [] });
    expect(await store.replayUpdates(ref, [1], NOW)).toBe(1);
    expect(await store.replayFailed(ref, 100, NOW)).toBe(1);
    expect(await inState("failed")).toEqual([]);
    await expectListed();
    const oldest = (await store.readUpdates(botId, 0, 1))[0]?.createdAt;
    expect((await stats())?.oldestPendingAt).toBe(oldest);
    expect((await store.readWebhook(ref))?.nextRetryAt).toBeUndefined();
    // Behind what was replayed, which is owed.
    expect(await store.openConsumer(botId, "new", NOW)).toEqual({ position: 0, done: [] });
    // Also before everything is skipped.
    expect(await due(NOW)).toEqual([1, 2]);
    await workOff();
    expect(await expectExact()).toMatchObject({ pending: 2, failed: 0, skipped: MANY - 2 });
    expect(await inState("pending")).toEqual([1, 2]);
    expect(await due(NOW)).toEqual([1, 2]);
    await record(1, NOW, failUntil(NOW + 1000));
    await record(2, NOW);
    expect(await expectExact()).toMatchObject({ scheduled: 1, delivered: 1, skipped: MANY - 2 });
    await expectListed();
  });

  it("include what was replayed while others were worked off, for a webhook that is set later", async () => {
    await putWebhook();
    await publish(store, channelId, MANY);
    for (const id of [1, 2, 3]) await record(id, NOW, failUntil());
    await failAll(4, MANY);
    await put({ through: MANY, done: [] });
    expect(await store.replayFailed(ref, 100, NOW)).toBe(3);
    await store.putWebhook(ref, { url: "https://example.com/third", sealedSecret: null }, NOW);
    await expectListed();
    const skip = { through: 1, done: [2] };
    await store.putWebhook(ref, { url: "https://example.com/fourth", sealedSecret: null, skip }, NOW);
    await workOff();
    expect(await due(NOW)).toEqual([3]);
    expect(await expectExact()).toMatchObject({ pending: 1, failed: 0, skipped: MANY - 1 });
  });

  it.each(["paused", "gone", "disabled"])(
    "are worked off by the upkeep while the webhook is %s",
    async (how) => {
      await putWebhook();
      await publish(store, channelId, MANY);
      await failAll(1, MANY - 1);
      await put({ through: MANY - 1, done: [] });
      if (how === "paused") await store.setWebhookPaused(ref, true, NOW);
      if (how === "gone") await store.deleteWebhook(ref, NOW);
      if (how === "disabled") await store.setBotDisabled(ref, true, NOW);
      expect((await expectExact()).skipped).toBeLessThan(MANY - 1);
      while (await expireUpdates(store, 0, 100)) await expectListed();
      expect(await expectExact()).toMatchObject({ pending: 1, skipped: MANY - 1 });
      expect(await store.readUpdates(botId, 0, 1)).toHaveLength(1);
    },
  );

  it("count once when they expire, worked off or not", async () => {
    await publish(store, channelId, MANY);
    await failAll(1, MANY / 2);
    await put({ through: EVERYTHING, done: [] });
    while (await expireUpdates(store, NOW + 1, 100));
    expect(await expectExact()).toMatchObject({ total: MANY, skipped: MANY, failed: 0, pending: 0 });
    await publish(store, channelId, 1);
    expect(await due(NOW)).toEqual([MANY + 1]);
  });
});
