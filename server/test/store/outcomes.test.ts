import { describe, expect, it } from "vitest";
import { FRESH_HEALTH } from "#botyard/domain/delivery/lane-health.js";
import type { BotRef, Store } from "#botyard/store/store.js";
import { failUntil, onAttachedBot } from "../support/attached-bot.js";
import { engine } from "../support/engines.js";
import { claim, makeAttachedBot, NOW, publish, recordOutcomes } from "../support/store-fixtures.js";
import { eraseRemains, expireUpdates } from "../support/upkeep.js";

describe(`outcomes on ${engine.name}`, () => {
  let store: Store;
  let ref: BotRef;
  let botId: string;
  let channelId: string;
  const { putWebhook, release, record, due, stats, refuse } = onAttachedBot((bot) => {
    ({ store, ref, botId, channelId } = bot);
  });

  it("counts each state, and the counters add up", async () => {
    await putWebhook();
    await publish(store, channelId, 4);
    await claim(store, NOW);
    await record(1, NOW + 1);
    await record(2, NOW + 2, failUntil(NOW + 1_000));
    await record(3, NOW + 3, failUntil(undefined));
    expect(await stats()).toEqual({
      total: 4,
      pending: 1,
      scheduled: 1,
      delivered: 1,
      failed: 1,
      skipped: 0,
      attachedChannels: 1,
      oldestPendingAt: NOW,
      lastUpdateAt: NOW,
      lastAttemptedAt: NOW + 3,
      lastDeliveredAt: NOW + 1,
    });
    expect(await store.readWebhook(ref)).toEqual({
      url: "https://example.com/",
      hasSecretToken: false,
      lastAttemptedAt: NOW + 3,
      lastDeliveredAt: NOW + 1,
      lastError: "500 Internal Server Error",
      nextRetryAt: NOW + 1_000,
      failingSince: NOW + 2,
      pendingUpdates: 2,
    });
  });

  it("shows history and errors newest first, and keeps an error after a later success", async () => {
    await putWebhook();
    await publish(store, channelId, 3);
    await record(2, NOW, failUntil(NOW + 100));
    await record(3, NOW);
    await record(2, NOW + 100, undefined, 1);
    expect((await store.listRecentUpdates(botId, 2)).map(({ updateId }) => updateId)).toEqual([3, 2]);
    const [error, ...others] = (await store.listDeliveryErrors(botId, 10)) ?? [];
    expect(others).toEqual([]);
    expect(error).toMatchObject({
      updateId: 2,
      state: "delivered",
      attemptCount: 2,
      lastError: "500 Internal Server Error",
      deliveredAt: NOW + 100,
    });
    expect(error).not.toHaveProperty("nextRetryAt");
    expect((await store.readWebhook(ref))?.lastError).toBe("");
  });

  it("never overwrites delivered with a late failure", async () => {
    await putWebhook();
    await publish(store, channelId, 1);
    await record(1, NOW);
    await record(1, NOW + 5, failUntil(undefined));
    expect(await store.listRecentUpdates(botId, 1)).toMatchObject([
      { state: "delivered", deliveredAt: NOW, attemptCount: 2, lastAttemptedAt: NOW + 5 },
    ]);
    expect(await stats()).toMatchObject({ delivered: 1, failed: 0, scheduled: 0, pending: 0 });
  });

  it("counts each update once, however often it was attempted in one batch", async () => {
    await putWebhook();
    await publish(store, channelId, 3);
    await record(1, NOW, failUntil(NOW + 1));
    const accepted = (updateId: number, failureCount: number) => ({
      updateId,
      failureCount,
      attemptedAt: NOW + 2,
    });
    const failed = (updateId: number, failureCount: number) => ({
      ...accepted(updateId, failureCount),
      failure: failUntil(NOW + 3),
    });
    const attempts = [
      accepted(1, 1),
      accepted(1, 1),
      failed(1, 1),
      accepted(2, 0),
      accepted(2, 0),
      failed(3, 0),
      failed(3, 1),
      failed(3, 0),
    ];
    await recordOutcomes(store, [{ destinationId: botId, nextFreshId: 4, attempts }]);
    expect(await stats()).toMatchObject({ total: 3, pending: 0, scheduled: 1, delivered: 2, failed: 0 });
    const history = await store.listRecentUpdates(botId, 10);
    expect(history.map(({ state, attemptCount }) => [state, attemptCount])).toEqual([
      ["scheduled", 3],
      ["delivered", 2],
      ["delivered", 4],
    ]);
  });

  it("records nothing of a call that fails for one of its lanes, so that it can be repeated", async () => {
    const other = await makeAttachedBot(store);
    await store.putWebhook(other.ref, { url: "https://example.com/", sealedSecret: null }, NOW);
    await putWebhook();
    await publish(store, channelId, 2);
    await publish(store, other.channelId, 1);
    const attempt = { updateId: 1, failureCount: 0, attemptedAt: NOW };
    const recordBoth = () =>
      recordOutcomes(store, [
        { destinationId: other.botId, nextFreshId: 2, attempts: [attempt] },
        {
          destinationId: botId,
          nextFreshId: 3,
          attempts: [
            { ...attempt, failure: failUntil(NOW + 1) },
            { ...attempt, updateId: 2, notSent: "unwanted" },
          ],
        },
      ]);
    const forgive = await refuse("INSERT", "failed_attempts");
    await expect(recordBoth()).rejects.toThrow("refused");
    expect(await store.readStats(other.ref)).toMatchObject({ pending: 1, delivered: 0 });
    expect(await stats()).toMatchObject({ pending: 2, scheduled: 0, skipped: 0 });
    await forgive();
    await recordBoth();
    expect(await store.listRecentUpdates(other.botId, 1)).toMatchObject([
      { state: "delivered", attemptCount: 1 },
    ]);
    expect(await stats()).toMatchObject({ pending: 0, scheduled: 1, skipped: 1 });
  });

  it("counts one delivery of an update that several record as accepted", async () => {
    await putWebhook();
    await publish(store, channelId, 3);
    const accepted = (...updateIds: number[]) => {
      const attempts = updateIds.map((updateId) => ({
        updateId,
        failureCount: 0,
        attemptedAt: NOW + updateId,
      }));
      return recordOutcomes(store, [{ destinationId: botId, nextFreshId: 4, attempts }]);
    };
    await Promise.all([accepted(1, 2), accepted(2, 1), accepted(1, 1), accepted(3), accepted(2, 3)]);
    expect(await stats()).toMatchObject({ pending: 0, delivered: 3, lastDeliveredAt: NOW + 3 });
    const history = await store.listRecentUpdates(botId, 10);
    expect(history.map(({ state, attemptCount }) => [state, attemptCount])).toEqual([
      ["delivered", 2],
      ["delivered", 3],
      ["delivered", 4],
    ]);
  });

  it("replays failed updates before scheduled ones, oldest first up to the limit, with a fresh schedule", async () => {
    await putWebhook();
    await publish(store, channelId, 4);
    await claim(store, NOW);
    await record(1, NOW, failUntil(undefined));
    await record(2, NOW);
    await record(3, NOW, failUntil(NOW + 9_000));
    await record(4, NOW, failUntil(undefined));
    await release(NOW, { ...FRESH_HEALTH, restingUntil: NOW + 50_000 });
    expect(await store.replayFailed(ref, 2, NOW + 1)).toBe(2);
    expect(await stats()).toMatchObject({ pending: 2, scheduled: 1, delivered: 1, failed: 0 });
    const [lane] = await claim(store, NOW + 1);
    expect(lane?.updates).toMatchObject([
      { updateId: 1, attemptCount: 1, failureCount: 0 },
      { updateId: 4, attemptCount: 1, failureCount: 0 },
    ]);
    expect(await store.replayFailed(ref, 100, NOW + 2)).toBe(1);
    expect(await store.replayFailed(ref, 100, NOW + 3)).toBe(0);
    expect(await store.replayFailed({ ...ref, ownerUserId: "bob" }, 1, NOW)).toBeUndefined();
  });

  it("does not let an earlier attempt end the round of a replay", async () => {
    await putWebhook();
    await publish(store, channelId, 1);
    await record(1, NOW, failUntil(NOW + 10));
    await store.replayFailed(ref, 1, NOW + 11);
    await record(1, NOW + 12, failUntil(undefined), 1);
    expect(await store.listRecentUpdates(botId, 1)).toMatchObject([{ state: "pending", attemptCount: 2 }]);
    expect(await due(NOW + 12)).toEqual([1]);
  });

  it("makes scheduled updates pending when the webhook is removed, and clears its health", async () => {
    await store.putWebhook(ref, { url: "https://example.com/", sealedSecret: "sealed" }, NOW);
    await publish(store, channelId, 3);
    await record(1, NOW, failUntil(NOW + 10));
    await record(2, NOW, failUntil(undefined));
    expect(await store.deleteWebhook(ref, NOW + 1)).toBe(true);
    expect(await store.deleteWebhook(ref, NOW + 1)).toBe(true);
    expect(await stats()).toMatchObject({ pending: 2, scheduled: 0, failed: 1 });
    expect(await store.readWebhook(ref)).toMatchObject({ url: "", hasSecretToken: false, lastError: "" });
    const [read] = await store.readDueUpdates(
      [{ destinationId: botId, afterUpdateId: 0, limit: 9 }],
      NOW + 99,
    );
    expect(read).toMatchObject({ destinationId: botId, updates: [] });
    expect(read).not.toHaveProperty("target");
    await putWebhook(NOW + 3);
    expect((await claim(store, NOW + 3))[0]?.updates.map(({ updateId }) => updateId)).toEqual([1, 3]);
  });

  it("keeps, replaces and removes the secret as asked", async () => {
    const sealedSecret = async () =>
      (await store.readDueUpdates([{ destinationId: botId, afterUpdateId: 0, limit: 1 }], NOW))[0]?.target
        ?.sealedSecret;
    const url = "https://example.com/";
    await store.putWebhook(ref, { url, sealedSecret: "one" }, NOW);
    expect(await sealedSecret()).toBe("one");
    await store.putWebhook(ref, { url, sealedSecret: undefined }, NOW);
    expect(await sealedSecret()).toBe("one");
    expect((await store.readWebhook(ref))?.hasSecretToken).toBe(true);
    await store.putWebhook(ref, { url, sealedSecret: null }, NOW);
    expect(await sealedSecret()).toBeUndefined();
  });

  it("accepts outcomes and releases of a deleted bot", async () => {
    await putWebhook();
    await publish(store, channelId, 1);
    await claim(store, NOW);
    await store.deleteBot(ref);
    await record(1, NOW);
    await release(NOW);
    expect(await store.renewLeases("here", [botId], 1, 250)).toEqual([botId]);
  });

  it("expires old updates in steps, counts undelivered ones as failed and keeps the totals", async () => {
    await putWebhook();
    await publish(store, channelId, 3, NOW - 5_000);
    await publish(store, channelId, 2, NOW);
    await record(1, NOW);
    await record(2, NOW, failUntil(NOW + 60_000));
    while (await expireUpdates(store, NOW - 1, 2)) {
      // until nothing is left to remove
    }
    expect((await store.readUpdates(botId, 0, 10)).map(({ updateId }) => updateId)).toEqual([4, 5]);
    expect(await stats()).toMatchObject({ total: 5, delivered: 1, failed: 2, scheduled: 0, pending: 2 });
    expect((await claim(store, NOW))[0]?.updates.map(({ updateId }) => updateId)).toEqual([4, 5]);
  });

  it("removes the log of a deleted bot in steps", async () => {
    await publish(store, channelId, 25);
    await store.deleteBot(ref);
    let steps = 0;
    while (await eraseRemains(store, 10)) steps += 1;
    expect(steps).toBe(3);
  });
});
