import { describe, expect, it } from "vitest";
import type { BotRef, Store } from "#botyard/store/store.js";
import { failUntil, onAttachedBot } from "../support/attached-bot.js";
import { engine } from "../support/engines.js";
import { makeAttachedBot, NOW, publish, recordOutcomes } from "../support/store-fixtures.js";
import { eraseRemains, expireUpdates } from "../support/upkeep.js";

describe(`failed attempts on ${engine.name}`, () => {
  let store: Store;
  let ref: BotRef;
  let botId: string;
  let channelId: string;
  const { putWebhook, record } = onAttachedBot((bot) => {
    ({ store, ref, botId, channelId } = bot);
  });
  const attemptsOf = async (updateId: number) =>
    (await store.listFailedAttempts(botId, updateId))?.map(({ attempt }) => attempt);
  const failingSince = async () => (await store.readWebhook(ref))?.failingSince;

  it("are stored with the receiver's answer, in order; accepted ones are not", async () => {
    await putWebhook();
    await publish(store, channelId, 2);
    await record(1, NOW + 1, failUntil(NOW + 10));
    await record(1, NOW + 20, { error: "timed out after 10 s" }, 1, 10_000);
    await record(1, NOW + 30, undefined, 2);
    expect(await store.listFailedAttempts(botId, 1)).toEqual([
      {
        attempt: 1,
        attemptedAt: NOW + 1,
        durationMs: 0,
        status: 500,
        error: "500 Internal Server Error",
        responseBody: "oops",
      },
      {
        attempt: 2,
        attemptedAt: NOW + 20,
        durationMs: 10_000,
        error: "timed out after 10 s",
        responseBody: "",
      },
    ]);
    expect(await store.listFailedAttempts(botId, 2)).toEqual([]);
    expect(await store.listFailedAttempts(botId, 3)).toBeUndefined();
    expect(await store.listFailedAttempts(ref.ownerUserId, 1)).toBeUndefined();
  });

  it("are the last 20 of an update, however often it is replayed, with late ones", async () => {
    await putWebhook();
    await publish(store, channelId, 1);
    for (let attempt = 1; attempt <= 23; attempt += 1) {
      await record(1, NOW + attempt, failUntil(undefined));
      await store.replayFailed(ref, 1, NOW + attempt);
    }
    expect(await attemptsOf(1)).toEqual(Array.from({ length: 20 }, (_, index) => index + 4));
    await record(1, NOW + 24);
    await record(1, NOW + 25, failUntil(undefined));
    expect((await attemptsOf(1))?.slice(-2)).toEqual([23, 25]);
  });

  it("of many updates and bots are kept in one call", async () => {
    const other = await makeAttachedBot(store);
    for (const attached of [{ ref, channelId }, other]) {
      await store.putWebhook(attached.ref, { url: "https://example.com/", sealedSecret: null }, NOW);
      await publish(store, attached.channelId, 3);
    }
    const attempts = [1, 2, 3].map((updateId) => ({
      updateId,
      failureCount: 0,
      attemptedAt: NOW,
      durationMs: updateId,
      ...(updateId === 2 ? {} : { failure: { error: `boom ${updateId}` } }),
    }));
    await recordOutcomes(store, [
      { destinationId: botId, nextFreshId: 4, attempts },
      { destinationId: other.botId, nextFreshId: 4, attempts: attempts.slice(2) },
    ]);
    expect([await attemptsOf(1), await attemptsOf(2), await attemptsOf(3)]).toEqual([[1], [], [1]]);
    expect(await store.listFailedAttempts(other.botId, 3)).toMatchObject([
      { error: "boom 3", durationMs: 3 },
    ]);
  });

  it("are removed with their update, in small steps, and with their bot", async () => {
    await putWebhook();
    await publish(store, channelId, 2, NOW - 5_000);
    await publish(store, channelId, 1);
    for (const updateId of [1, 2, 3]) {
      for (const failureCount of [0, 1]) {
        await record(updateId, NOW, failUntil(NOW + 1), failureCount);
      }
    }
    expect(await expireUpdates(store, NOW - 1, 2)).toBe(true);
    expect(await attemptsOf(2)).toEqual([1, 2]);
    while (await expireUpdates(store, NOW - 1, 2));
    expect(await attemptsOf(2)).toBeUndefined();
    expect(await attemptsOf(3)).toEqual([1, 2]);
    expect(await store.readStats(ref)).toMatchObject({ scheduled: 1, failed: 2 });

    await store.deleteBot(ref);
    let steps = 0;
    while (await eraseRemains(store, 2)) steps += 1;
    expect(steps).toBe(2);
  });

  it("show since when all have failed", async () => {
    await putWebhook();
    await publish(store, channelId, 3);
    expect(await failingSince()).toBeUndefined();
    await record(1, NOW + 1, failUntil(NOW + 5));
    await record(2, NOW + 2, failUntil(NOW + 5));
    expect(await failingSince()).toBe(NOW + 1);
    await store.replayFailed(ref, 9, NOW + 3);
    expect(await failingSince()).toBe(NOW + 1);
    await record(3, NOW + 4);
    expect(await failingSince()).toBeUndefined();

    const failed = (updateId: number, attemptedAt: number) => ({
      updateId,
      attemptedAt,
      failureCount: 0,
      failure: failUntil(NOW + 99),
    });
    const accepted = { updateId: 3, attemptedAt: NOW + 6, failureCount: 0 };
    const attempts = [failed(1, NOW + 5), accepted, failed(2, NOW + 7), failed(1, NOW + 8)];
    await recordOutcomes(store, [{ destinationId: botId, nextFreshId: 4, attempts }]);
    expect(await failingSince()).toBe(NOW + 7);

    await putWebhook(NOW + 9);
    expect(await failingSince()).toBeUndefined();
    await record(1, NOW + 10, failUntil(NOW + 99));
    expect(await failingSince()).toBe(NOW + 10);
    await store.deleteWebhook(ref, NOW + 11);
    expect(await failingSince()).toBeUndefined();
  });
});
