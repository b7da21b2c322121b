import { describe, expect, it } from "vitest";
import { FRESH_HEALTH } from "#botyard/domain/delivery/lane-health.js";
import type { BotRef, Store } from "#botyard/store/store.js";
import { failUntil, onAttachedBot } from "../support/attached-bot.js";
import { engine } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { claim, NOW, publish, recordOutcomes } from "../support/store-fixtures.js";

describe(`lanes on ${engine.name}`, () => {
  let store: Store;
  let ref: BotRef;
  let botId: string;
  let channelId: string;
  const { putWebhook, generation, release, record, due, reopen } = onAttachedBot((bot) => {
    ({ store, ref, botId, channelId } = bot);
  });

  it("has no lane to claim without a webhook, and the whole backlog once one is set", async () => {
    await publish(store, channelId, 3);
    expect(await claim(store, NOW + 1)).toEqual([]);
    await putWebhook();
    const [lane] = await claim(store, NOW + 1);
    expect(lane).toMatchObject({ botId, target: { url: "https://example.com/" }, health: FRESH_HEALTH });
    expect(lane?.updates.map(({ updateId }) => updateId)).toEqual([1, 2, 3]);
  });

  it("gives a lane to one holder until its lease runs out", async () => {
    await putWebhook();
    await publish(store, channelId, 1);
    expect(await claim(store, NOW, "first", 60_000)).toHaveLength(1);
    expect(await claim(store, NOW, "second")).toEqual([]);
    expect(await store.renewLeases("first", [botId], 300, 250)).toEqual([]);
    expect(await claim(store, NOW, "second")).toEqual([]);
    await eventually("the lease runs out", async () => (await claim(store, NOW, "second")).length === 1);
    expect(await store.renewLeases("first", [botId], 60_000, 250)).toEqual([botId]);
  });

  it("tells for how long the holder of a lane may use what it has read, and nothing once it is released", async () => {
    await putWebhook();
    await publish(store, channelId, 1);
    expect(await store.readTargetAge({ destinationId: botId })).toBe(0);
    await claim(store, NOW);
    expect(await store.readTargetAge({ destinationId: botId })).toBe(250);
    await store.renewLeases("here", [botId], 60_000, 4_000);
    await store.renewLeases("another", [botId], 60_000, 9_000);
    expect(await store.readTargetAge({ destinationId: botId })).toBe(4_000);
    await release(NOW);
    expect(await store.readTargetAge({ destinationId: botId })).toBe(0);
  });

  it("gives refused updates half of a read while others were never attempted, and all of it when there are none", async () => {
    await putWebhook();
    await publish(store, channelId, 12);
    await claim(store, NOW);
    for (let id = 1; id <= 6; id += 1) await record(id, NOW, failUntil(NOW + 10));
    const ids = (limit: number, afterUpdateId = 6) => due(NOW + 20, afterUpdateId, limit);
    expect(await ids(5)).toEqual([1, 2, 3, 7, 8]);
    expect(await ids(12)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(await ids(5, 12)).toEqual([1, 2, 3, 4, 5]);
    expect(await ids(4, 11)).toEqual([1, 2, 12, 3]);
    await store.replayUpdates(ref, [5, 6], NOW + 20);
    expect(await ids(5)).toEqual([5, 6, 1, 2, 3]);
  });

  it("makes a released lane due again when its log says so", async () => {
    await putWebhook();
    await publish(store, channelId, 2);
    await claim(store, NOW);
    await record(1, NOW);
    await release(NOW);
    const [lane] = await claim(store, NOW);
    expect(lane?.updates.map(({ updateId }) => updateId)).toEqual([2]);
    await record(2, NOW + 1, failUntil(NOW + 5_000));
    await release(NOW + 1);
    expect(await claim(store, NOW + 4_999)).toEqual([]);
    expect(await claim(store, NOW + 5_000)).toHaveLength(1);
    await record(2, NOW + 5_001, undefined, 1);
    await release(NOW + 5_002);
    const idle = await store.claimLanes({
      holder: "h",
      now: NOW + 9e9,
      leaseMs: 1,
      targetAgeMs: 250,
      limit: 1,
      updatesPerLane: 1,
    });
    expect(idle).toEqual({ lanes: [] });
  });

  it("says when the next lane is due", async () => {
    await putWebhook();
    await publish(store, channelId, 1);
    await claim(store, NOW);
    await record(1, NOW, failUntil(NOW + 777));
    await release(NOW);
    const none = await store.claimLanes({
      holder: "h",
      now: NOW,
      leaseMs: 1,
      targetAgeMs: 250,
      limit: 1,
      updatesPerLane: 1,
    });
    expect(none).toEqual({ lanes: [], nextDueAt: NOW + 777 });
  });

  it("becomes due by a post that arrives while it is held or after", async () => {
    await putWebhook();
    await publish(store, channelId, 1);
    await claim(store, NOW);
    await publish(store, channelId, 1);
    await record(1, NOW);
    await release(NOW);
    expect((await claim(store, NOW))[0]?.updates.map(({ updateId }) => updateId)).toEqual([2]);
    await record(2, NOW);
    await release(NOW);
    expect(await claim(store, NOW)).toEqual([]);
    await publish(store, channelId, 1);
    expect((await claim(store, NOW))[0]?.updates.map(({ updateId }) => updateId)).toEqual([3]);
  });

  it("lets a lane rest, whatever is appended, until the webhook is set again", async () => {
    const tired = {
      window: 1,
      failingUpdates: 3,
      lastFailedUpdateId: 1,
      failedProbes: 2,
      restingUntil: NOW + 60_000,
    };
    await putWebhook();
    await publish(store, channelId, 1);
    await claim(store, NOW);
    await record(1, NOW, failUntil(NOW + 1_000));
    await release(NOW, tired);
    await publish(store, channelId, 2, NOW + 10);
    expect(await claim(store, NOW + 59_999)).toEqual([]);
    expect((await store.listRecentUpdates(botId, 5)).at(-1)?.nextRetryAt).toBe(NOW + 60_000);
    expect((await store.readWebhook(ref))?.nextRetryAt).toBe(NOW + 60_000);
    const [lane] = await claim(store, NOW + 60_000);
    expect(lane?.health).toEqual(tired);
    await release(NOW + 60_000, { ...tired, restingUntil: NOW + 120_000 });
    await putWebhook(NOW + 60_001);
    expect((await claim(store, NOW + 60_002))[0]?.health).toMatchObject({
      failingUpdates: 0,
      restingUntil: 0,
    });
  });

  it("ignores health from an earlier generation", async () => {
    const tired = { ...FRESH_HEALTH, failingUpdates: 3, restingUntil: NOW + 300_000 };
    await putWebhook();
    await publish(store, channelId, 1);
    const [lane] = await claim(store, NOW);
    await record(1, NOW, failUntil(NOW + 60_000));
    await store.replayFailed(ref, 1, NOW + 1);
    expect(await generation()).toBe((lane?.generation ?? 0) + 1);
    await store.releaseLanes(
      "here",
      [{ destinationId: botId, health: tired, generation: lane?.generation ?? 0 }],
      NOW + 2,
    );
    expect(await claim(store, NOW + 3)).toMatchObject([{ health: FRESH_HEALTH, updates: [{ updateId: 1 }] }]);
  });

  it("reads retries first, oldest due first, then fresh updates in order, and none that is settled", async () => {
    await putWebhook();
    await publish(store, channelId, 6);
    await claim(store, NOW);
    await record(2, NOW, failUntil(NOW + 200));
    await record(1, NOW, failUntil(NOW + 300));
    await record(3, NOW);
    expect(await due(NOW + 100)).toEqual([4, 5, 6]);
    expect(await due(NOW + 300)).toEqual([2, 1, 4, 5, 6]);
    expect(await due(NOW + 300, 5)).toEqual([2, 1, 6]);
  });

  it("finds unrecorded attempts again, even if later ones were recorded", async () => {
    await putWebhook();
    await publish(store, channelId, 5);
    await claim(store, NOW, "here", 1);
    await recordOutcomes(store, [
      {
        destinationId: botId,
        nextFreshId: 2,
        attempts: [1, 3, 4].map((updateId) => ({ updateId, failureCount: 0, attemptedAt: NOW })),
      },
    ]);
    await reopen();
    const [lane] = await eventually("the lease of the process before runs out", async () => {
      const lanes = await claim(store, NOW);
      return lanes.length > 0 ? lanes : undefined;
    });
    expect(lane?.updates.map(({ updateId }) => updateId)).toEqual([2, 5]);
  });

  it("pauses the lane of a disabled bot and resumes it when enabled", async () => {
    await putWebhook();
    await publish(store, channelId, 1);
    await store.setBotDisabled(ref, true, NOW);
    await publish(store, channelId, 1);
    expect(await claim(store, NOW + 1)).toEqual([]);
    expect(
      (await store.readDueUpdates([{ destinationId: botId, afterUpdateId: 0, limit: 1 }], NOW))[0]?.target,
    ).toBeUndefined();
    await store.setBotDisabled(ref, false, NOW + 2);
    expect((await claim(store, NOW + 2))[0]?.updates).toHaveLength(2);
  });

  it("emits the bots whose lanes changed", async () => {
    const changed: string[] = [];
    store.events.on("laneChanged", (id) => changed.push(id));
    await putWebhook();
    await publish(store, channelId, 1);
    // Neither concerns the receiver, whose health would be reset.
    await store.editBot(ref, { description: "another", updatedAt: NOW });
    await store.replaceBotToken(ref, "another");
    await store.setBotDisabled(ref, true, NOW);
    await store.setBotDisabled(ref, false, NOW);
    expect(await store.replayFailed(ref, 1, NOW)).toBe(0);
    await record(1, NOW, failUntil(undefined));
    await store.replayFailed(ref, 1, NOW);
    await store.deleteWebhook(ref, NOW);
    await store.deleteBot(ref);
    expect(changed).toEqual(Array.from({ length: 6 }, () => botId));
  });

  it("emits the bots whose credentials changed", async () => {
    const changed: string[] = [];
    store.events.on("credentialsChanged", (id) => changed.push(id));
    await putWebhook();
    await store.editBot(ref, { description: "another", updatedAt: NOW });
    await store.replayFailed(ref, 1, NOW);
    expect(changed).toEqual([]);
    await store.replaceBotToken(ref, "another");
    await store.setBotDisabled(ref, true, NOW);
    await store.setBotDisabled(ref, false, NOW);
    await store.deleteBot(ref);
    expect(changed).toEqual(Array.from({ length: 4 }, () => botId));
  });
});
