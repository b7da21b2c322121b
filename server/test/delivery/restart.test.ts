import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startControlledReceiver } from "../support/controlled-receiver.js";
import { createDeliveryWorld, type DeliveryWorld } from "../support/delivery-world.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { accept } from "../support/receiver.js";

const upTo = (last: number): number[] => Array.from({ length: last }, (_, i) => i + 1);

describe(`dispatchers that stop and start on ${engine.name}`, () => {
  let home: StoreHome;
  let world: DeliveryWorld;
  beforeEach(async () => {
    home = await engine.createHome();
    world = createDeliveryWorld(await home.open());
  });
  afterEach(async () => {
    await world.close();
    await home.remove();
  });

  it("skip no update when a later one was delivered first", async () => {
    const receiver = await startControlledReceiver(world);
    const bot = await world.createBot();
    await bot.putWebhook(receiver.url);
    await bot.post(12);
    const first = world.startDispatcher();
    await receiver.shows([1, 2, 3, 4]);
    for (const updateId of [2, 4, 3]) receiver.answer(updateId);
    await eventually("the others to come", () => receiver.waiting().length >= 4);
    for (let delivered = 3; delivered < 11; ) {
      const others = receiver.waiting().filter((updateId) => updateId !== 1);
      for (const updateId of others) receiver.answer(updateId);
      delivered += others.length;
      await bot.delivered(delivered);
    }
    await first.stop(0);
    expect(await bot.update(1)).toMatchObject({ state: "pending", attemptCount: 0 });

    receiver.answerWith(accept);
    world.startDispatcher();
    await bot.delivered(12);
    const received = receiver.requests.map(({ updateId }) => updateId).sort((a, b) => a - b);
    expect(received).toEqual([1, ...upTo(12)]);
  });

  it("hand over while sending: everything arrives once, and no attempt is in flight after the stop", async () => {
    const receiver = await world.startReceiver((response) => setTimeout(() => response.end(), 2));
    const bots = await Promise.all([1, 2, 3].map(() => world.createBot()));
    for (const bot of bots) {
      await bot.putWebhook(receiver.url);
      await bot.post(400);
    }
    for (let round = 1; round <= 3; round += 1) {
      const dispatcher = world.startDispatcher();
      await eventually("some deliveries", () => receiver.requests.length > round * 250);
      await dispatcher.stop(30_000);
      expect(receiver.underWay()).toBe(0);
      const stats = await Promise.all(bots.map((bot) => bot.stats()));
      expect(stats.reduce((sum, { delivered }) => sum + delivered, 0)).toBe(receiver.requests.length);
    }
    world.startDispatcher();
    for (const bot of bots) await bot.delivered(400);
    expect(receiver.requests).toHaveLength(1200);
  });

  it("wait for attempts in flight and record them", async () => {
    const receiver = await startControlledReceiver(world);
    const bot = await world.createBot();
    await bot.putWebhook(receiver.url);
    await bot.post(10);
    const dispatcher = world.startDispatcher();
    await receiver.shows([1, 2, 3, 4]);
    let hasStopped = false;
    const stop = async (): Promise<void> => {
      await dispatcher.stop(30_000);
      hasStopped = true;
    };
    const stopped = stop();
    receiver.answer(1);
    receiver.answer(2, 500);
    receiver.answer(3);
    await bot.delivered(2);
    expect(hasStopped).toBe(false);
    receiver.answer(4);
    await stopped;
    expect(await bot.stats()).toMatchObject({ delivered: 3, scheduled: 1, pending: 6 });
    expect(receiver.requests).toHaveLength(4);
  });

  it("cut off what takes longer than the grace, and send it again later", async () => {
    const receiver = await startControlledReceiver(world);
    const bot = await world.createBot();
    await bot.putWebhook(receiver.url);
    await bot.post(4);
    const dispatcher = world.startDispatcher();
    await receiver.shows([1, 2, 3, 4]);
    await dispatcher.stop(50);
    await receiver.shows([]);
    expect(await bot.stats()).toMatchObject({ pending: 4 });
    receiver.answerWith(accept);
    world.startDispatcher();
    await bot.delivered(4);
    expect(receiver.requests).toHaveLength(8);
  });

  it("release their lanes at once", async () => {
    const receiver = await startControlledReceiver(world);
    const bot = await world.createBot();
    await bot.putWebhook(receiver.url);
    await bot.post(1);
    const dispatcher = world.startDispatcher();
    await receiver.shows([1]);
    await dispatcher.stop(0);
    const now = Date.now();
    const claim = { holder: "another", now, leaseMs: 1, targetAgeMs: 250, limit: 10, updatesPerLane: 10 };
    const { lanes } = await world.store.claimLanes(claim);
    expect(lanes.map(({ botId }) => botId)).toEqual([bot.botId]);
  });

  it("share the lanes when there are two: every update is sent once", async () => {
    const receiver = await world.startReceiver();
    const bots = await Promise.all(Array.from({ length: 20 }, () => world.createBot()));
    for (const bot of bots) await bot.putWebhook(receiver.url);
    world.startDispatcher();
    world.startDispatcher();
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(bots.map((bot) => bot.post(10)));
      await sleep(20);
    }
    for (const bot of bots) await bot.delivered(50);
    expect(receiver.requests).toHaveLength(1000);
  });

  it("take over a lane whose holder is gone, when its lease has run out", async () => {
    const receiver = await world.startReceiver();
    const bot = await world.createBot();
    await bot.putWebhook(receiver.url);
    await bot.post(3);
    const now = Date.now();
    const claim = { holder: "gone", now, leaseMs: 500, targetAgeMs: 250, limit: 10, updatesPerLane: 10 };
    expect((await world.store.claimLanes(claim)).lanes).toHaveLength(1);
    world.startDispatcher();
    await bot.delivered(3);
    expect(Date.now()).toBeGreaterThanOrEqual(now + 500);
  });

  it("keep a lane for as long as there is work, beyond its first lease", async () => {
    const receiver = await startControlledReceiver(world);
    const bot = await world.createBot();
    await bot.putWebhook(receiver.url);
    await bot.post(8);
    const claims = vi.spyOn(world.store, "claimLanes");
    world.startDispatcher();
    await receiver.shows([1, 2, 3, 4]);
    const heldAt = Date.now();
    const { leaseMs = 0 } = claims.mock.calls[0]?.[0] ?? {};
    expect(leaseMs).toBeGreaterThan(0);
    await eventually("the first lease to run out", () => Date.now() > heldAt + leaseMs);
    const now = Date.now();
    const claim = { holder: "another", now, leaseMs: 60_000, targetAgeMs: 250, limit: 10, updatesPerLane: 1 };
    expect((await world.store.claimLanes(claim)).lanes).toEqual([]);
    receiver.answerWith(accept);
    receiver.answerAll();
    await bot.delivered(8);
  });
});
