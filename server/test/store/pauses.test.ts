import { describe, expect, it } from "vitest";
import type { BotRef, Store } from "#botyard/store/store.js";
import { failUntil, onAttachedBot } from "../support/attached-bot.js";
import { engine } from "../support/engines.js";
import { claim, NOW, publish } from "../support/store-fixtures.js";

describe(`a paused webhook on ${engine.name}`, () => {
  let store: Store;
  let ref: BotRef;
  let botId: string;
  let channelId: string;
  const { putWebhook, record, due, stats, reopen } = onAttachedBot((bot) => {
    ({ store, ref, botId, channelId } = bot);
  });
  const pause = (now = NOW) => store.setWebhookPaused(ref, true, now);
  const resume = (now = NOW) => store.setWebhookPaused(ref, false, now);
  const claimed = async (now = NOW + 9e9) => (await claim(store, now, "someone", 1)).length;

  it("must be set, and its bot must be the owner's", async () => {
    expect(await pause()).toBe("no webhook");
    expect(await resume()).toBe("no webhook");
    const stranger = { ...ref, ownerUserId: "bob" };
    await putWebhook();
    expect(await store.setWebhookPaused(stranger, true, NOW)).toBeUndefined();
    expect(await store.readWebhook(ref)).not.toHaveProperty("pausedAt");
  });

  it("has no lane to claim and nothing due, until it is resumed", async () => {
    await putWebhook();
    await publish(store, channelId, 1);
    expect(await pause()).toMatchObject({ pausedAt: NOW, url: "https://example.com/", pendingUpdates: 1 });
    await publish(store, channelId, 1);
    expect([await claimed(), await due(NOW + 9e9)]).toEqual([0, []]);
    expect(await pause(NOW + 5)).toMatchObject({ pausedAt: NOW });
    expect(await resume(NOW + 6)).not.toHaveProperty("pausedAt");
    expect(await due(NOW + 6)).toEqual([1, 2]);
    expect(await claimed(NOW + 6)).toBe(1);
  });

  it("accepts outcomes of attempts in flight, and stays paused after the release", async () => {
    await putWebhook();
    await publish(store, channelId, 3);
    const [lane] = await claim(store, NOW);
    await pause();
    await record(1, NOW);
    await record(2, NOW, failUntil(NOW + 60_000));
    const releases = [
      { destinationId: botId, health: lane?.health ?? expect.fail(), generation: lane?.generation ?? 0 },
    ];
    await store.releaseLanes("here", releases, NOW);
    expect(await claimed()).toBe(0);
    expect(await stats()).toMatchObject({ delivered: 1, scheduled: 1, pending: 1 });
    await resume();
    expect(await due(NOW)).toEqual([3]);
  });

  it("stays paused through all other changes and a restart", async () => {
    await putWebhook();
    await publish(store, channelId, 2);
    await record(1, NOW, failUntil(undefined));
    await pause();
    await putWebhook(NOW + 1);
    await store.setBotDisabled(ref, true, NOW + 2);
    await store.setBotDisabled(ref, false, NOW + 3);
    expect(await store.replayFailed(ref, 10, NOW + 4)).toBe(1);
    await reopen();
    expect(await store.readWebhook(ref)).toMatchObject({ pausedAt: NOW });
    expect([await claimed(), await due(NOW + 9e9)]).toEqual([0, []]);
    await resume(NOW + 5);
    expect(await due(NOW + 5)).toEqual([1, 2]);
    expect(await claimed(NOW + 5)).toBe(1);
  });

  it("sends nothing after the resume while its bot is disabled", async () => {
    await putWebhook();
    await publish(store, channelId, 1);
    await pause();
    await store.setBotDisabled(ref, true, NOW);
    await resume();
    expect(await claimed()).toBe(0);
    await store.setBotDisabled(ref, false, NOW);
    expect(await claimed()).toBe(1);
  });

  it("still returns its target, like that of a disabled bot", async () => {
    expect(await store.readStoredWebhook(ref)).toMatchObject({ version: 0 });
    await store.putWebhook(ref, { url: "https://example.com/", sealedSecret: "sealed" }, NOW);
    await pause();
    await store.setBotDisabled(ref, true, NOW);
    const target = { url: "https://example.com/", sealedSecret: "sealed" };
    expect(await store.readStoredWebhook(ref)).toMatchObject({ version: 1, target });
    await store.putWebhook(ref, { url: "https://example.com/", sealedSecret: null }, NOW);
    expect(await store.readStoredWebhook(ref)).toEqual({
      id: ref.botId,
      version: 1,
      round: expect.any(Number),
      target: { url: "https://example.com/" },
    });
    expect(await store.readStoredWebhook({ ...ref, ownerUserId: "bob" })).toBeUndefined();
  });

  it("is removed with the webhook", async () => {
    await putWebhook();
    await pause();
    await store.deleteWebhook(ref, NOW);
    expect(await store.readWebhook(ref)).not.toHaveProperty("pausedAt");
    await putWebhook(NOW + 1);
    await publish(store, channelId, 1);
    expect(await claimed()).toBe(1);
  });
});
