import { describe, expect, it } from "vitest";
import { DELIVERY_STATES } from "#botyard/domain/events/update.js";
import type { BotRef, Store } from "#botyard/store/store.js";
import { failUntil, onAttachedBot } from "../support/attached-bot.js";
import { engine } from "../support/engines.js";
import { claim, NOW, publish, recordOutcomes } from "../support/store-fixtures.js";
import { expireUpdates } from "../support/upkeep.js";

const EVERYTHING = Number.MAX_SAFE_INTEGER;

/** What is accepted at once, or skipped before it was sent, is stored as runs. Each update is shown by itself all the same. */
describe(`runs of updates on ${engine.name}`, () => {
  let store: Store;
  let ref: BotRef;
  let botId: string;
  let channelId: string;
  const { putWebhook, record, stats, due, reopen } = onAttachedBot((bot) => {
    ({ store, ref, botId, channelId } = bot);
  });
  const accept = (ids: readonly number[], nextFreshId = Math.max(...ids) + 1) => {
    const attempts = ids.map((updateId) => ({
      updateId,
      failureCount: 0,
      attemptedAt: NOW + 10 * updateId,
      durationMs: updateId,
    }));
    return recordOutcomes(store, [{ destinationId: botId, nextFreshId, attempts }]);
  };
  const range = (from: number, through: number) =>
    Array.from({ length: through + 1 - from }, (_, index) => from + index);
  const inState = async (state: (typeof DELIVERY_STATES)[number], limit = 100, before?: number) =>
    (await store.listUpdatesInState(botId, state, limit, before)).updates.map(({ updateId }) => updateId);
  const shown = async (updateId: number) => (await store.listRecentUpdates(botId, 1, updateId + 1))[0];
  const acceptedAtOnce = (updateId: number) => ({
    updateId,
    state: "delivered",
    attemptCount: 1,
    lastAttemptedAt: NOW + 10 * updateId,
    deliveredAt: NOW + 11 * updateId,
    lastError: "",
  });

  it("show when each was attempted and delivered, in whatever order they ended", async () => {
    await putWebhook();
    await publish(store, channelId, 150);
    await accept(range(1, 150).toReversed());
    expect(await stats()).toMatchObject({
      delivered: 150,
      pending: 0,
      lastAttemptedAt: NOW + 1_500,
      lastDeliveredAt: NOW + 1_650,
    });
    await reopen();
    for (const id of [1, 64, 65, 128, 129, 150]) expect(await shown(id)).toMatchObject(acceptedAtOnce(id));
    expect(await inState("delivered", 100)).toEqual(range(51, 150).toReversed());
    expect(await inState("delivered", 100, 51)).toEqual(range(1, 50).toReversed());
    expect(await inState("delivered", 3, 10)).toEqual([9, 8, 7]);
  });

  it("leave out what was attempted before", async () => {
    await putWebhook();
    await publish(store, channelId, 9);
    await record(3, NOW, failUntil(NOW + 100));
    await record(6, NOW, failUntil());
    await accept(range(1, 8));
    expect(await stats()).toMatchObject({ delivered: 8, scheduled: 0, failed: 0, pending: 1 });
    expect(await shown(2)).toMatchObject(acceptedAtOnce(2));
    expect(await shown(7)).toMatchObject(acceptedAtOnce(7));
    for (const id of [3, 6])
      expect(await shown(id)).toMatchObject({
        ...acceptedAtOnce(id),
        attemptCount: 2,
        lastError: failUntil().error,
      });
    expect(await inState("delivered")).toEqual(range(1, 8).toReversed());
    expect(await due(NOW)).toEqual([9]);
  });

  it.each([1, 3, 5])("count a later outcome of one of them alone: %i of 5", async (id) => {
    await putWebhook();
    await publish(store, channelId, 5);
    await accept(range(1, 5));
    await record(id, NOW + 1_000, failUntil(NOW + 2_000));
    await record(id, NOW + 3_000);
    expect(await shown(id)).toMatchObject({
      ...acceptedAtOnce(id),
      attemptCount: 3,
      lastAttemptedAt: NOW + 3_000,
      lastError: failUntil().error,
    });
    for (const other of range(1, 5).filter((one) => one !== id))
      expect(await shown(other)).toMatchObject(acceptedAtOnce(other));
    expect((await store.listFailedAttempts(botId, id))?.map(({ attempt }) => attempt)).toEqual([2]);
    expect((await store.listDeliveryErrors(botId, 9))?.map(({ updateId }) => updateId)).toEqual([id]);
    expect(await stats()).toMatchObject({ delivered: 5, scheduled: 0, pending: 0 });
    expect(await inState("delivered")).toEqual([5, 4, 3, 2, 1]);
    expect(await store.skipUpdate(ref, id, NOW)).toBe(false);
  });

  it("that are skipped let through what was in flight", async () => {
    await putWebhook();
    await publish(store, channelId, 9);
    await accept([4], 1);
    const failed = { updateId: 6, failureCount: 0, attemptedAt: NOW, failure: failUntil(NOW + 100) };
    await recordOutcomes(store, [{ destinationId: botId, nextFreshId: 1, attempts: [failed] }]);
    await claim(store, NOW);
    const skip = { through: 8, done: [] };
    await store.putWebhook(ref, { url: "https://example.com/", sealedSecret: null, skip }, NOW);
    expect(await inState("skipped")).toEqual([8, 7, 6, 5, 3, 2, 1]);
    expect(await inState("skipped", 2, 7)).toEqual([6, 5]);
    expect(await shown(2)).toMatchObject({ state: "skipped", attemptCount: 0 });
    await accept([2, 8], 9);
    await record(7, NOW + 5, failUntil(NOW + 100));
    expect(await inState("skipped")).toEqual([7, 6, 5, 3, 1]);
    expect(await shown(8)).toMatchObject(acceptedAtOnce(8));
    expect(await shown(7)).toMatchObject({ state: "skipped", attemptCount: 1, lastError: failUntil().error });
    expect(await stats()).toMatchObject({ total: 9, skipped: 5, delivered: 3, scheduled: 0, pending: 1 });
    expect(await due(NOW + 10 ** 9)).toEqual([9]);
  });

  it("that are skipped end a page by bytes, and continue", async () => {
    await publish(store, channelId, 6);
    await store.putWebhook(
      ref,
      { url: "https://example.com/", sealedSecret: null, skip: { through: EVERYTHING, done: [] } },
      NOW,
    );
    const [one] = await store.listRecentUpdates(botId, 1);
    const most = 2 * Buffer.byteLength(one?.payload ?? "");
    const page = await store.listUpdatesInState(botId, "skipped", 100, undefined, most);
    expect(page.updates.map(({ updateId }) => updateId)).toEqual([6, 5]);
    const next = await store.listUpdatesInState(botId, "skipped", 100, page.next, most);
    expect(next.updates.map(({ updateId }) => updateId)).toEqual([4, 3]);
  });

  it("that a webhook skips count no numbers that the log skipped", async () => {
    await publish(store, channelId, 3);
    await store.skipUpdateIds(0, 100, 1_000);
    await publish(store, channelId, 2);
    await store.skipUpdateIds(0, 100, 1_000);
    const skip = { through: EVERYTHING, done: [] };
    await store.putWebhook(ref, { url: "https://example.com/", sealedSecret: null, skip }, NOW);
    expect(await stats()).toMatchObject({ total: 5, skipped: 5, pending: 0 });
    expect(await inState("skipped")).toEqual([1_005, 1_004, 3, 2, 1]);
    await publish(store, channelId, 1);
    expect(await due(NOW)).toEqual([2_006]);
  });

  it("expire update by update", async () => {
    await putWebhook();
    await publish(store, channelId, 4, NOW - 5_000);
    await publish(store, channelId, 4);
    await accept(range(1, 6));
    const skip = { through: 8, done: [] };
    await store.putWebhook(ref, { url: "https://example.com/", sealedSecret: null, skip }, NOW);
    while (await expireUpdates(store, NOW - 1, 3));
    expect((await store.listRecentUpdates(botId, 9)).map(({ updateId }) => updateId)).toEqual([8, 7, 6, 5]);
    expect(await inState("delivered")).toEqual([6, 5]);
    expect(await shown(5)).toMatchObject(acceptedAtOnce(5));
    expect(await stats()).toMatchObject({ total: 8, delivered: 6, skipped: 2, failed: 0 });
    // A late outcome of an update that has expired changes nothing.
    await record(2, NOW, failUntil());
    await record(6, NOW + 9, failUntil());
    expect(await stats()).toMatchObject({ total: 8, delivered: 6, skipped: 2, failed: 0 });
    expect(await store.listFailedAttempts(botId, 2)).toBeUndefined();
    while (await expireUpdates(store, NOW + 1, 3));
    expect(await store.listRecentUpdates(botId, 9)).toEqual([]);
    expect(await stats()).toMatchObject({ total: 8, delivered: 6, skipped: 2, failed: 0 });
  });
});
