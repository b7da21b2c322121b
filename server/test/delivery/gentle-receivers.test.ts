import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { WebhookSettings } from "#botyard/domain/delivery/webhook-settings.js";
import { createDeliveryWorld, type DeliveryWorld, type WorldBot } from "../support/delivery-world.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import type { Receiver } from "../support/receiver.js";

describe(`a webhook that limits its requests, on ${engine.name}`, () => {
  let home: StoreHome;
  let world: DeliveryWorld;
  let bot: WorldBot;
  let receiver: Receiver;
  beforeEach(async () => {
    home = await engine.createHome();
    world = createDeliveryWorld(await home.open());
    bot = await world.createBot();
    receiver = await world.startReceiver();
  });
  afterEach(async () => {
    await world.close();
    await home.remove();
  });

  const set = async (settings: WebhookSettings, url = receiver.url) =>
    await world.store.putWebhook(bot.ref, { url, sealedSecret: null, settings }, Date.now());

  /** Keeps each request for a while. @returns how many there were at once, at most */
  const countAtOnce = (holdMs: number): (() => number) => {
    let open = 0;
    let most = 0;
    receiver.answerWith((response) => {
      open += 1;
      most = Math.max(most, open);
      setTimeout(() => {
        open -= 1;
        response.end();
      }, holdMs);
    });
    return () => most;
  };

  it.each([1, 3])("has no more than %i at once", async (maxInFlight) => {
    const most = countAtOnce(10);
    await set({ maxInFlight });
    await bot.post(40);
    world.startDispatcher();
    await bot.delivered(40);
    expect(most()).toBe(maxInFlight);
  });

  it("has up to 64 at once when it allows them, and 16 when it does not say", async () => {
    const most = countAtOnce(100);
    await set({ maxInFlight: 64 });
    await bot.post(500);
    world.startDispatcher();
    await bot.delivered(500);
    expect(most()).toBeGreaterThan(16);
    expect(most()).toBeLessThanOrEqual(64);

    const second = countAtOnce(20);
    await world.store.putWebhook(
      bot.ref,
      { url: receiver.url, sealedSecret: null, settings: { maxInFlight: null } },
      Date.now(),
    );
    await bot.post(200);
    await bot.delivered(700);
    expect(second()).toBeLessThanOrEqual(16);
  });

  it("follows another limit while its lane is held", async () => {
    world.startDispatcher();
    await set({ maxInFlight: 16 });
    await bot.post(50);
    await bot.delivered(50);
    const most = countAtOnce(5);
    await set({ maxInFlight: 2 });
    await bot.post(50);
    await bot.delivered(100);
    expect(most()).toBeLessThanOrEqual(2);
  });

  it("gets its requests at even intervals, also when the lane is idle between them", async () => {
    const times: number[] = [];
    receiver.answerWith((response) => {
      times.push(performance.now());
      response.end();
    });
    await set({ maxPerSecond: 20 });
    world.startDispatcher();
    // The first to arrive says nothing of when it was sent: on a busy machine it is late, and the next one is not.
    const began = performance.now();
    await bot.post(10);
    await bot.delivered(10);
    await bot.post(1);
    await bot.delivered(11);
    // The n-th begins n intervals of 50 ms after the first, less what a timer may have been late by.
    for (const [index, time] of times.entries()) expect(time - began).toBeGreaterThan(index * 50 - 25);
  });

  it("delays no other bot", async () => {
    await set({ maxPerSecond: 1 });
    const other = await world.createBot();
    const otherReceiver = await world.startReceiver();
    await world.store.putWebhook(other.ref, { url: otherReceiver.url, sealedSecret: null }, Date.now());
    world.startDispatcher({ concurrency: 2 });
    await bot.post(20);
    await other.post(50);
    await other.delivered(50);
    expect(receiver.requests.length).toBeLessThan(20);
    // A higher rate holds at once.
    await set({ maxPerSecond: 1_000 });
    await bot.delivered(20);
  });

  it("is released in good order while it waits for its rate", async () => {
    await set({ maxPerSecond: 1 });
    const first = world.startDispatcher();
    await bot.post(3);
    await eventually("the first", () => receiver.requests.length === 1);
    await first.stop(1_000);
    const sent = receiver.requests.length;
    await set({ maxPerSecond: 1_000 });
    world.startDispatcher();
    await bot.delivered(3);
    expect(receiver.requests.length).toBe(Math.max(3, sent));
  });
});
